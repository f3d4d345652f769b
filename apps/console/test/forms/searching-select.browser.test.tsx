import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { Button, Select } from 'antd'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { Targets } from '#test/form-cases/targets-form.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { SerialsPicker } from '#modules/storage/storage-pickers.tsx'
import { held, ok, openTab, startServer } from '#test/browser-harness.tsx'

const DEVICES = 'GET /api/v1/oss/options/device'
const TENANTS = 'GET /api/v1/tenant/options/tenant'

let server: ReturnType<typeof startServer>
let tab: ReturnType<typeof openTab> | undefined
beforeEach(() => {
  server = startServer({
    [DEVICES]: () => ok({ list: [{ id: 1, name: 'OTHER-1', modelName: '球机' }] }),
    [TENANTS]: () => ok({ list: [{ id: 1, name: '平台', tenantNo: 'T1' }] }),
  })
})
afterEach(() => {
  tab?.close()
  tab = undefined
})

function Serials() {
  const [value, setValue] = useState<string[]>([])
  return (
    <main>
      <SerialsPicker value={value} onChange={setValue} />
      <output>{value.join('+')}</output>
    </main>
  )
}

function Tenant() {
  const [value, setValue] = useState<number>()
  return (
    <main>
      <TenantPicker {...(value !== undefined && { value })} onChange={setValue} />
      <output>{value ?? 'none'}</output>
    </main>
  )
}

test('Enter selects the device with the typed serial number although the list still shows other devices', async () => {
  tab = openTab(<Serials />)
  const input = page.getByRole('combobox')
  await input.click()
  await expect.element(page.getByTitle('OTHER-1 · 球机')).toBeVisible()
  const search = held()
  server.on(DEVICES, search.respond)
  await userEvent.keyboard('CAM-7{Enter}CAM-8{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('CAM-7+CAM-8')
  search.answer(ok({ list: [] }))
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByRole('status')).toHaveTextContent('CAM-7+CAM-8')
})

test('the option list shows all records when it opens again after a search', async () => {
  const [platform, found] = [
    { id: 1, name: '平台', tenantNo: 'T1' },
    { id: 9, name: '海康', tenantNo: 'T9' },
  ]
  server.on(TENANTS, ({ keyword }) => ok({ list: keyword ? [found] : [platform] }))
  tab = openTab(<Tenant />)
  const input = page.getByRole('combobox')
  await input.click()
  await expect.element(page.getByTitle('平台（T1）')).toBeVisible()
  await userEvent.keyboard('海')
  await page.getByTitle('海康（T9）').click()
  await expect.element(page.getByRole('status')).toHaveTextContent('9')
  await input.click()
  await expect.element(page.getByTitle('平台（T1）')).toBeVisible()
})

test('after an arrow key, Enter selects the highlighted device', async () => {
  tab = openTab(<Serials />)
  await page.getByRole('combobox').click()
  await userEvent.keyboard('OTH')
  await expect.element(page.getByTitle('OTHER-1 · 球机')).toBeVisible()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('OTHER-1')
})

test('Enter selects nothing while the search for the typed text runs', async () => {
  tab = openTab(<Tenant />)
  await page.getByRole('combobox').click()
  await expect.element(page.getByTitle('平台（T1）')).toBeVisible()
  const search = held()
  server.on(TENANTS, search.respond)
  await userEvent.keyboard('海{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('none')
  search.answer(ok({ list: [{ id: 9, name: '海康', tenantNo: 'T9' }] }))
  await expect.element(page.getByTitle('海康（T9）')).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('9')
})

test('the targets of a program never contain a device of an earlier search', async () => {
  const path = `GET ${programOptions.targets.path}`
  server.on(path, () => ok({ list: [{ id: 1, name: 'OLD-1', detail: '', hasScreen: true }] }))
  tab = openTab(<Targets />)
  await page.getByRole('combobox').click()
  await expect.element(page.getByTitle('OLD-1')).toBeVisible()
  const search = held()
  server.on(path, search.respond)
  await userEvent.keyboard('NEW{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('none')
  search.answer(ok({ list: [{ id: 2, name: 'NEW-2', detail: '', hasScreen: true }] }))
  await expect.element(page.getByTitle('NEW-2')).toBeVisible()
  await expect.element(page.getByTitle('OLD-1')).not.toBeInTheDocument()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('2')
})

test('leaving a multi-select with Tab does not change the selected options', async () => {
  function Colours() {
    const [value, setValue] = useState(['red'])
    return (
      <main>
        <Select mode="multiple" value={value} onChange={setValue} options={[{ value: 'red' }, { value: 'blue' }]} />
        <Button>后面</Button>
        <output>{value.join('+')}</output>
      </main>
    )
  }
  tab = openTab(<Colours />)
  await page.getByRole('combobox').click()
  await page.getByTitle('blue').click()
  await expect.element(page.getByRole('status')).toHaveTextContent('red+blue')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByRole('button', { name: '后面' })).toHaveFocus()
  await expect.element(page.getByRole('status')).toHaveTextContent('red+blue')
})
