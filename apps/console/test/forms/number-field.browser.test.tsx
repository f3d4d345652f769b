import { limited } from '@oms/contract/core/fields.ts'
import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { LimitField, NumberField } from '#kit/form/field.tsx'
import { openTab } from '#test/browser-harness.tsx'

const OrderInput = z.object({ copies: limited('份数', 1, 36, '份数应为1～36').meta({ title: '份数' }) })

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

test('a number field keeps a typed number outside the limits and shows the limits as an error', async () => {
  tab = openTab(
    <Form>
      <NumberField of={OrderInput} name="copies" />
    </Form>,
  )
  const control = page.getByLabelText('份数')
  for (const typed of ['50', '-3']) {
    await control.fill(typed)
    await userEvent.tab()
    await expect.element(page.getByText('份数应为1～36')).toBeVisible()
    await expect.element(control).toHaveValue(typed)
  }
})

test('a limit field shows no limit as a checkbox and never the value -1', async () => {
  const Input = z.object({ quota: limited('数量上限', -1, 100, '数量上限应为-1～100').meta({ title: '数量上限' }) })
  let stored: unknown
  tab = openTab(
    <Form initialValues={{ quota: -1 }} onValuesChange={(_, { quota }) => void (stored = quota)}>
      <LimitField of={Input} name="quota" unit="台" />
    </Form>,
  )
  const control = page.getByRole('spinbutton')
  const unlimited = page.getByRole('checkbox', { name: '不限' })
  await expect.element(unlimited).toBeChecked()
  await expect.element(control).toHaveValue('')
  await unlimited.click()
  await control.fill('')
  await userEvent.tab()
  await expect.element(page.getByText('请输入数量上限，或选择不限')).toBeVisible()
  await control.fill('30')
  expect(stored).toBe(30)
  await unlimited.click()
  expect(stored).toBe(-1)
})
