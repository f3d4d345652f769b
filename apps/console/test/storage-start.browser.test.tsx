import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample, findRowSchema } from '#test/form-cases/contract-server.ts'
import { Breadcrumb } from '#app/layout/breadcrumb.tsx'
import { AgentRemove } from '#modules/agent/agents/agent-dialogs.tsx'
import { EntitlementList } from '#modules/storage/entitlements/entitlement-list.tsx'
import { GrantFileTab } from '#modules/storage/entitlements/grant-file-tab.tsx'
import { StatCards } from '#modules/storage/statistics/statistics.page.tsx'
import { ok } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const close = () => {}

test('the empty list of opened devices offers to add a package', async () => {
  const server = start(<EntitlementList />)
  server.on(storageEntitlements.list, () => ok({ list: [], total: 0 }))
  await page.getByRole('button', { name: '新增套餐' }).click()
  await expect.element(page.getByRole('dialog', { name: '新增云存套餐' })).toBeVisible()
})

test.each([
  [0, '-'],
  [8, '0.00%'],
])('with %i channels that support cloud storage and none activated, 开通率 is %s', async (capable, rate) => {
  const server = start(<StatCards tenantId={undefined} />)
  server.on(storageStats.summary, () =>
    ok({ ...(buildSample(storageStats.summary.result) as object), capable, rate: 0 }),
  )
  await expect.element(page.getByText('开通率')).toBeVisible()
  await expect.element(page.getByText(rate, { exact: true }).first()).toBeVisible()
})

test('the numbers of a batch have thousands separators', async () => {
  await page.viewport(1440, 900)
  const server = start(<GrantFileTab />)
  const row = buildSample(findRowSchema(storageGrantFiles.list.result)) as object
  server.on(storageGrantFiles.list, () =>
    ok({ list: [{ ...row, id: 1, devices: 3000, copies: 1214, done: 1129, failed: 1871 }], total: 1 }),
  )
  for (const text of ['3,000', '1,214', '1,129', '1,871'])
    await expect.element(page.getByText(text, { exact: true })).toBeVisible()
})

test('the button that deletes an agent is red', async () => {
  start(<AgentRemove agent={{ id: 1, agentName: '助手', deviceCount: 0 }} onClose={close} onRemoved={close} />)
  await expect.element(page.getByRole('button', { name: /^删\s?除$/ })).toHaveClass(/dangerous/)
})

test('the breadcrumb shows one crumb for a menu and its first page when both have the same name', async () => {
  const pages = [{ id: 2, name: '智能体', url: '/agent/agent', children: [] }]
  const entries = [{ id: 1, name: '智能体', url: '/agent', children: pages }] as never
  const match = { key: '/agent/agent/1', screen: { under: '/agent/agent' } } as never
  start(<Breadcrumb entries={entries} match={match} title="云栖英语伙伴" />)
  const crumbs = () =>
    page
      .getByRole('listitem')
      .elements()
      .map(({ textContent }) => textContent)
  await expect.poll(crumbs).toEqual(['首页', '智能体', '云栖英语伙伴'])
})

test('the breadcrumb shows one crumb for the current page and its menu when both have the same name', async () => {
  const pages = [{ id: 2, name: '智能体', url: '/agent/agent', children: [] }]
  const entries = [{ id: 1, name: '智能体', url: '/agent', children: pages }] as never
  start(<Breadcrumb entries={entries} match={{ key: '/agent/agent', screen: {} } as never} title="智能体" />)
  const crumbs = () =>
    page
      .getByRole('listitem')
      .elements()
      .map(({ textContent }) => textContent)
  await expect.poll(crumbs).toEqual(['首页', '智能体'])
})
