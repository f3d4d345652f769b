import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceRow } from '@oms/contract/device/device-row.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { LoginLogRow, logs } from '@oms/contract/system/log.ts'
import { TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { FeedbackRow } from '@oms/contract/ticket/ticket-rows.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ComponentType } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import type * as z from 'zod'
import '#app/console.css'
import DeviceListPage from '#modules/device/device-list.page.tsx'
import LoginLogPage from '#modules/system/logs/login-log.page.tsx'
import TenantListPage from '#modules/tenant/tenant-list.page.tsx'
import TicketListPage from '#modules/ticket/ticket-list.page.tsx'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

type Rows = Parameters<ReturnType<typeof createContractServer>['on']>[0]
const LISTS: readonly [string, ComponentType, Rows, z.ZodType, object][] = [
  [
    'tickets',
    TicketListPage,
    feedback.page,
    FeedbackRow,
    { feedbackNo: 'FB2026112800005', slaState: 2, status: 1, slaRespondDue: '2026-11-28 10:00:00' },
  ],
  ['devices', DeviceListPage, devices.list, DeviceRow, { sn: 'C302528002000' }],
  ['customers', TenantListPage, tenant.list, TenantRow, { tenantNo: 'T000000012', expireTime: '2027-01-31 00:00:00' }],
  ['sign-ins', LoginLogPage, logs.logins, LoginLogRow, { account: 'demo' }],
]

/** Heights in pixels of the top bar and of the tab strip, and the width of the sidebar. */
const [TOP_BAR, TAB_STRIP, SIDEBAR] = [50, 38, 180]

/** Opens a list with 20 rows in the place of a page of the console. */
async function openList([, List, call, row, fields]: (typeof LISTS)[number], width: number, height: number) {
  await page.viewport(width, height)
  const server = createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
  const rows = Array.from({ length: 20 }, () => ({ ...(buildFilledSample(row) as object), ...fields }))
  server.on(call, () => ok({ list: rows, total: 2040, pageNum: 1, pageSize: 20 }))
  tab = openTab(
    <div className="page" style={{ position: 'fixed', inset: `${TOP_BAR + TAB_STRIP}px 0 0 ${SIDEBAR}px` }}>
      <List />
    </div>,
  )
  await expect.element(page.getByText('2,040 条', { exact: true })).toBeVisible()
  await expect.poll(() => rowBoxes().length).toBe(20)
}
const boxes = (selector: string) =>
  [...document.querySelectorAll<HTMLElement>(selector)].flatMap((each) =>
    each.getClientRects().length > 0 ? [each.getBoundingClientRect()] : [],
  )
const rowBoxes = () => boxes('.ant-table-row')

test.each(LISTS)(
  'the list of %s begins at most 200 px below the top bar, with one size of controls',
  async (...list) => {
    await openList(list, 1440, 900)
    expect(rowBoxes()[0]!.top - TOP_BAR).toBeLessThanOrEqual(200)
    const controls =
      '.kit-search :is(.ant-select, .ant-picker, .ant-input-affix-wrapper, .ant-btn), .kit-page-head .ant-btn'
    expect([...new Set(boxes(controls).map(({ height }) => height))]).toEqual([32])
    const [search, table] = [boxes('.kit-search')[0]!, boxes('.kit-list')[0]!]
    expect([search.left, search.right]).toEqual([table.left, table.right])
    expect(table.left - SIDEBAR).toBe(innerWidth - table.right)
    // A number, a time and the name of a record take one line.
    const lines = boxes('.ant-table-cell :is(.kit-number, .kit-time, a)')
    expect(Math.max(...lines.map(({ height }) => height))).toBeLessThan(30)
    const body = document.querySelector('.ant-table-body')!
    expect(body.scrollWidth).toBe(body.clientWidth)
  },
)

test.each(LISTS)('the list of %s shows ten rows in a window of 1280 x 720 pixels', async (...list) => {
  await openList(list, 1280, 720)
  expect(rowBoxes().filter(({ bottom }) => bottom <= 720).length).toBeGreaterThanOrEqual(10)
})
