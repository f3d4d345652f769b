import { agentIncome } from '@oms/contract/agent/orders/order-income.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { IncomePanel } from '#modules/agent/orders/order-usage.tsx'
import { ok, openTab, refusal, startServer } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

test('a failed request is shown inside the panel of income and cost with a retry, and not as a toast', async () => {
  const route = `GET ${agentIncome.list.path}`
  const server = startServer({ [route]: () => refusal(500, 'x') })
  const params = new URLSearchParams()
  const query = { startDate: '2026-03-01', endDate: '2026-03-31' }
  tab = openTab(<IncomePanel query={query} address={[params, () => {}]} onTenant={() => {}} />)
  const sums = page.getByRole('region', { name: '收入与成本' }).getByRole('alert').first()
  await expect.element(sums.getByText('服务器出错!')).toBeVisible()
  expect(document.querySelector('.kit-figures dd')).toBeNull()
  expect(document.querySelector('.ant-message-notice')).toBeNull()
  server.on(route, () => ok(buildSample(agentIncome.list.result)))
  await sums.getByRole('button', { name: '重试' }).click()
  await expect.poll(() => document.querySelectorAll('.kit-figures dd').length).toBe(2)
})
