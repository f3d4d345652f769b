import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { OrderRow } from '@oms/contract/agent/orders/order-entities.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { Navigate, Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { enterText, waitUntil } from '#test/form-cases/page-driver.ts'
import { matchRoute } from '#app/screen-match.ts'
import { RECORD_FINDERS } from '#app/search/record-finders.ts'
import SearchPalette from '#app/search/search-palette.tsx'
import { OrderTab } from '#modules/storage/order-tab.tsx'
import { Address, addressOf } from './address.tsx'
import { held, ok, openTab, setButtons } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const palette = (
  <>
    <Address />
    <SearchPalette entries={[]} open onClose={() => {}} />
  </>
)
const search = (text: string) =>
  waitUntil(() => enterText(document.querySelector<HTMLElement>('[aria-label="搜索关键字"]'), text))
const order = { ...(buildFilledSample(OrderRow) as object), orderNo: 'AO20260001' }

test('Ctrl+K finds an order of a voice package by its number, and opens the list with this order', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentOrders.list, ({ orderNo }) => ok({ list: orderNo === 'AO20260001' ? [order] : [], total: 1 }))
  tab = openTab(palette)
  await search('AO20260001')
  await page.getByRole('option', { name: /^AO20260001/ }).click()
  await expect.poll(addressOf).toBe('/agent/order?orderNo=AO20260001')
})

test('Ctrl+K finds an application by its account, and opens the list filtered by this application', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const application = { applyNo: 'AP20260001', account: 'sunli_qm', realname: '孙丽', tenantName: '清沐' }
  server.on(userApply.list, ({ account }) => ok({ list: account === 'sunli_qm' ? [application] : [], total: 1 }))
  tab = openTab(palette)
  await search('sunli_qm')
  await page.getByRole('option', { name: /^AP20260001/ }).click()
  await expect.poll(addressOf).toBe('/tenantManage/userapplication?applyNo=AP20260001')
})

test('Ctrl+K finds a customer by one keyword for name, number, contact details and credit code', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const row = { ...(buildFilledSample(TenantRow) as object), id: 3, name: '云栖' }
  server.on(tenant.list, ({ keyword }) => ok({ list: keyword === '13825200002' ? [row] : [], total: 1 }))
  tab = openTab(palette)
  await search('13825200002')
  await expect.element(page.getByRole('option', { name: /^云栖/ })).toBeVisible()
})

test('Enter after a new text opens no hit of the earlier text, and waits for the hits of the new text', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const answer = held()
  server.on(agentOrders.list, ({ orderNo }) =>
    orderNo === 'AO20260001' ? ok({ list: [order], total: 1 }) : answer.respond(),
  )
  tab = openTab(palette, ['agent:order:list'])
  await search('AO20260001')
  await expect.element(page.getByRole('option', { name: /^AO20260001/ })).toBeVisible()
  const before = addressOf()
  await search('AO20260002')
  await page.getByRole('combobox', { name: '搜索关键字' }).click()
  await userEvent.keyboard('{Enter}')
  expect(addressOf()).toBe(before)
  await expect.element(page.getByText('搜索中…，找到后打开')).toBeVisible()
  answer.answer(ok({ list: [{ ...order, orderNo: 'AO20260002' }], total: 1 }))
  await expect.poll(addressOf).toBe('/agent/order?orderNo=AO20260002')
})

test('the palette says that nothing matches only after the search of the last kind of records answered', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const answer = held()
  server.on(agentOrders.list, () => ok({ list: [], total: 0 }))
  server.on(storageOrders.refunds, () => answer.respond())
  tab = openTab(palette, ['agent:order:list', storageOrders.refunds.access])
  await search('AO20260002')
  await expect.element(page.getByText('搜索中…')).toBeVisible()
  await expect.poll(() => server.inputsOf(agentOrders.list).length).toBe(1)
  expect(page.getByText('没有匹配的菜单或记录').query()).toBeNull()
  answer.answer(ok({ list: [], total: 0 }))
  await expect.element(page.getByText('没有匹配的菜单或记录')).toBeVisible()
})

test('Ctrl+K requests only records that the account may list', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentOrders.list, () => ok({ list: [order], total: 1 }))
  tab = openTab(palette, ['agent:order:list'])
  await search('20260001')
  await expect.element(page.getByRole('option', { name: /^AO20260001/ })).toBeVisible()
  expect(server.inputsOf(storageOrders.list)).toEqual([])
})

test('every kind of record that Ctrl+K finds opens a page of the console, with and without the right to its details', async () => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch), buildFilledSample)
  const lost: string[] = []
  for (const buttons of [['*:*:*'], RECORD_FINDERS.map(({ access }) => access)]) {
    setButtons(buttons)
    for (const finder of RECORD_FINDERS) {
      expect(finder.accepts('20260001'), finder.access).toBe(true)
      // oxlint-disable-next-line no-await-in-loop -- the rights belong to the round
      const hits = await finder.find('20260001', new AbortController().signal, (work) => work())
      expect(hits.length, finder.access).toBeGreaterThan(0)
      for (const { key, to } of hits) {
        // A sample may have the id 0, which no record has.
        const screen = matchRoute(to.replace(/\/0$/, '/1'))?.screen
        const isOpen =
          screen && (buttons[0] === '*:*:*' || buttons.includes(screen.access) || screen.access === 'session')
        if (!isOpen) lost.push(`${key}: ${to}`)
      }
    }
  }
  expect(new Set(lost)).toEqual(new Set())
})

test('a URL opens the list of refunds with its filters, until another list is chosen', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const url = '/storage?view=orders&list=refunds&refundNo=OR20260001'
  tab = openTab(
    <>
      <Address />
      <Routes>
        <Route path="/storage" element={<OrderTab />} />
        <Route path="*" element={<Navigate to={url} replace />} />
      </Routes>
    </>,
  )
  const number = () => document.querySelector<HTMLInputElement>('#refundNo, [id$="_refundNo"]')?.value
  await expect.poll(number).toBe('OR20260001')
  expect(server.inputsOf(storageOrders.refunds)[0]).toMatchObject({ refundNo: 'OR20260001' })
  await page.getByText('订单', { exact: true }).first().click()
  await expect.poll(addressOf).toBe('/storage?view=orders')
  await expect.element(page.getByText('商城订单号').first()).toBeInTheDocument()
})
