import { agentUsage, UsageRow, USAGE_GROUP_CODE } from '@oms/contract/agent/usage/usage.ts'
import { useLocation, useNavigate } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import OrderListPage from '#modules/agent/orders/order-list.page.tsx'
import { ok, openTab } from '../browser-harness.tsx'
import { buildSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

/** Button with the query of the URL as text. A click goes one step back in the browser history. */
function Address() {
  const navigate = useNavigate()
  return (
    <button type="button" id="address" onClick={() => void navigate(-1)}>
      {useLocation().search}
    </button>
  )
}
const address = () => document.querySelector('#address')?.textContent
const shown = () => document.querySelector('.kit-stack')?.textContent ?? ''
function press(text: string, selector: string) {
  const found = [...document.querySelectorAll<HTMLElement>(selector)].find(({ textContent }) => textContent === text)
  if (!found) throw new Error(`${text} is not on the page`)
  found.click()
}

function openUsage() {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const { total } = buildSample(agentUsage.days.result) as { total: object }
  const figures = { ...total, turns: 3 }
  server.on(agentUsage.days, () => ok({ total: figures, days: [{ day: '2026-03-01', ...figures }] }))
  server.on(agentUsage.list, ({ by, startDate, endDate }) => {
    const group = by === String(USAGE_GROUP_CODE.device) ? 'a device' : 'a customer'
    const name = startDate && startDate === endDate ? `${group} of ${startDate}` : group
    return ok({ list: [{ ...(buildSample(UsageRow) as object), name }], total: 1 })
  })
  tab = openTab(
    <>
      <OrderListPage />
      <Address />
    </>,
  )
}

test('the URL contains the grouping and the measure of the usage page, and going back restores the grouping', async () => {
  openUsage()
  await waitUntil(() => press('用量', '[role=tab]'))
  await waitUntil(() => expect(address()).toBe('?view=usage'))
  await waitUntil(() => press('按设备', '.ant-segmented-item-label'))
  await waitUntil(() => expect(address()).toBe('?view=usage&by=3'))
  await waitUntil(() => expect(shown()).toContain('a device'))
  press('Token', '.ant-segmented-item-label')
  await waitUntil(() => expect(address()).toBe('?view=usage&by=3&measure=tokens'))
  document.querySelector<HTMLElement>('#address')?.click()
  document.querySelector<HTMLElement>('#address')?.click()
  await waitUntil(() => expect(address()).toBe('?view=usage'))
  // The page may show the first response from its cache without another request.
  await waitUntil(() => expect(shown()).toContain('a customer'))
})

test('a click on a day of the usage chart filters the usage page by this day', async () => {
  openUsage()
  await waitUntil(() => press('用量', '[role=tab]'))
  await waitUntil(() => pressButton('看表格'))
  await waitUntil(() => pressButton('3'))
  const day = { startDate: '2026-03-01', endDate: '2026-03-01' }
  await waitUntil(() => expect(address()).toBe(`?view=usage&${new URLSearchParams(day)}`))
  await waitUntil(() => expect(shown()).toContain('a customer of 2026-03-01'))
  // The chart of a single day has no link, because the panel already shows this day.
  await waitUntil(() => expect(document.querySelector('.chart-table .chart-link')).toBeNull())
})
