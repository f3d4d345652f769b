import { AgentDeviceRow, agentDevices } from '@oms/contract/agent/devices/device.ts'
import { Form } from 'antd'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { openTab } from '#test/browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { Filter } from '#kit/list/filter.tsx'
import { PairForm } from '#modules/advertise/screens/screen-dialogs.tsx'
import { BindForm } from '#modules/agent/devices/device-forms.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

test.each([
  { form: <BindForm onClose={() => {}} />, label: '验证码', typed: ' 797984', pasted: '797 984 ', stored: '797984' },
  {
    form: <PairForm code="" onClose={() => {}} />,
    label: '配对码',
    typed: ' AB2CD3',
    pasted: 'AB2 CD3',
    stored: 'AB2CD3',
  },
])('the field $label removes blanks before it limits the length', async ({ form, label, typed, pasted, stored }) => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(form)
  const field = page.getByLabelText(label, { exact: true })
  await field.click()
  // `maxLength` limits typed and pasted text, but not text set by `fill`.
  await userEvent.keyboard(typed)
  await expect.element(field).toHaveValue(stored)
  await field.fill(pasted)
  await expect.element(field).toHaveValue(stored)
})

test('a search field removes blanks around a pasted text before it limits the length', async () => {
  tab = openTab(
    <Form>
      <Filter of={agentDevices.list.input} name="mac" />
    </Form>,
  )
  const field = page.getByLabelText(AgentDeviceRow.shape.mac.meta()?.title ?? '')
  await field.fill('   aa:bb:cc:dd:ee:01')
  await expect.element(field).toHaveValue('aa:bb:cc:dd:ee:01')
})
