import { feedback } from '@oms/contract/ticket/ticket.ts'
import { AfterSalesDevice, TicketDetail } from '@oms/contract/ticket/ticket-rows.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { KnownPagesProvider } from '#core/routing/known-pages.ts'
import ServiceDevicesPage from '#modules/ticket/service-devices.page.tsx'
import { TicketContent } from '#modules/ticket/ticket-detail.page.tsx'
import { TicketHead, type TicketInfo } from '#modules/ticket/ticket-head.tsx'
import { ok, openTab } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())
const serve = () => createContractServer((fetch) => vi.stubGlobal('fetch', fetch), buildFilledSample)

test('a ticket links to its device, customer and account', async () => {
  const sample = buildFilledSample(TicketDetail) as TicketInfo
  const info = { ...sample, tenantId: 3, tenantName: '云栖', account: 'user01', contact: '', sn: 'SN7' }
  const device = { ...(buildFilledSample(feedback.device.result) as { device: object }).device, id: 7 }
  serve().on(feedback.device, () => ok({ found: true, device, versions: [], upgrades: [], tickets: [] }))
  tab = openTab(
    <KnownPagesProvider value={() => true}>
      <TicketHead info={info} viewers={[]} />
      <TicketContent info={{ ...info, devInfoVo: { ...info.devInfoVo, devName: '门口' } }} />
    </KnownPagesProvider>,
  )
  const hrefOf = (name: string) => expect.element(page.getByRole('link', { name, exact: true }))
  await hrefOf('云栖').toHaveAttribute('href', '/tenantManage/tenant/overview/3')
  await hrefOf('user01').toHaveAttribute('href', '/AccountAdministration/accountList?account=user01')
  await hrefOf('SN7').toHaveAttribute('href', '/device/apkManage/detail/7')
  await page.getByRole('link', { name: 'SN7' }).hover()
  await expect.element(page.getByRole('tooltip', { name: /门口/ })).toBeVisible()
})

test('the devices of the service desk offer details only to accounts that may open tickets', async () => {
  const row = { ...(buildFilledSample(AfterSalesDevice) as object), sn: 'SN7' }
  for (const [buttons, count] of [
    [['AfterService:Equipment:list'], 0],
    [['AfterService:Equipment:list', 'AfterService:Questions:query'], 1],
  ] as const) {
    serve().on(feedback.devices, () => ok({ list: [row], total: 1 }))
    tab = openTab(<ServiceDevicesPage />, [...buttons])
    // oxlint-disable-next-line no-await-in-loop -- each pass tests other permissions
    await expect.element(page.getByText('SN7')).toBeVisible()
    expect(page.getByRole('button', { name: '详情' }).elements()).toHaveLength(count)
    tab.close()
  }
})
