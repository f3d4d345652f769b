import type { Page } from '@playwright/test'
import { atDesk } from '../support/desk.ts'
import { expect, test } from '../support/fixtures.ts'
import { type Api, apiOf, fresh, md5 } from '../support/people.ts'
import { expectSwitched, pick } from '../support/pick.ts'

const MANAGER = [
  'tenantManage:tenant:list',
  'tenantManage:tenant:query',
  'tenantManage:tenant:enable',
  'AfterService:Questions:list',
  'AfterService:Questions:query',
  'AfterService:StatisticAnalysis:list',
] as const
const AGENT = [
  'AfterService:Questions:list',
  'AfterService:Questions:query',
  'AfterService:Questions:submit',
  'AfterService:PendingList:list',
  'AfterService:PendingList:query',
  'AfterService:PendingList:claim',
] as const
/** Pages of the tenant's scene. */
const OFFERED = ['AfterService:Questions:', 'system:manager:']
const CHOSEN = 'Chosen-2026'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

interface Node {
  id: number
  type: string
  perms: string
  children: Node[]
}

/** Creates a tenant with its own scene, and an administrator with a one-time password. */
async function customer(admin: Api, name: string, account: string) {
  const { menus } = await admin.call<{ menus: Node[] }>('GET', '/api/v1/sys/scene/permTree')
  const all = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...all(node.children ?? [])])
  const menuIds = all(menus).flatMap(({ id, type, perms }) =>
    type !== 'M' && OFFERED.some((prefix) => perms.startsWith(prefix)) ? [id] : [],
  )
  const scene = { sceneName: name, sceneCode: fresh('trio_'), isDefault: 0, menuIds }
  const { id: sceneId } = await admin.call<{ id: number }>('POST', '/api/v1/sys/scene', scene)
  const kind = { name, code: fresh('TRIO_').toUpperCase() }
  const { id: industryId } = await admin.call<{ id: number }>('POST', '/api/v1/tenant/industry', kind)
  const form = { name, industryId, contactName: '王经理', contactPhone: '13812345678', sceneIds: [sceneId] }
  return admin.call<{ id: number; password: string }>('POST', '/api/v1/tenant', {
    ...form,
    adminAccount: account,
    adminName: '客户李',
  })
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const LIVE = { timeout: 40_000 }

test("MODULE-01 TENANT-01 TICKET-08 a manager, a service agent and a tenant's administrator handle one ticket concurrently", async ({
  browser,
  baseURL,
  playwright,
  staff,
  api,
}) => {
  const admin = await api()
  const [name, account] = [fresh('三人客户'), fresh('trio')]
  const { id: tenantId, password } = await customer(admin, name, account)
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  const first = await apiOf(request, { account, password, realname: '客户李' })
  await first.call('POST', '/api/v1/account/passwd/modify', { oldPswdMd5: md5(password), newPswdMd5: md5(CHOSEN) })
  await request.dispose()

  const [boss, agent] = [await staff(MANAGER, '运营周'), await staff(AGENT, '客服陈')]
  const manager = await atDesk(browser, baseURL, boss)
  const desk = await atDesk(browser, baseURL, agent)
  const inside = await atDesk(browser, baseURL, { account, password: CHOSEN, realname: '客户李' })

  // The manager opens the tenant, the agent opens the pending tickets, and the tenant's administrator reports a
  // problem.
  await manager.goto(`/tenantManage/tenant/overview/${tenantId}`)
  const block = manager.getByRole('region', { name: '售后工单' })
  await expect(block).toContainText('暂无数据')
  await desk.goto('/AfterService/PendingList')
  await expect(desk.getByRole('tab', { name: '待办工单' })).toBeVisible()

  await inside.goto('/AfterService/Questions')
  await inside.getByRole('button', { name: '新增工单' }).first().click()
  const drawer = inside.getByRole('dialog')
  await expect(drawer.getByRole('textbox', { name: '设备序列号' })).toBeFocused()
  await pick(drawer.getByLabel('问题类型'), '硬件故障')
  const content = fresh('大堂门禁屏黑屏 ')
  await drawer.getByRole('textbox', { name: '问题描述' }).fill(content)
  await drawer.getByLabel('选择图片').setInputFiles([{ name: '黑屏.png', mimeType: 'image/png', buffer: PNG }])
  await expect(drawer.getByRole('img', { name: '图片 1' })).toBeVisible()
  await drawer.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(inside).toHaveURL(/Questions\/Pendding/)
  await expect(inside.locator('.ticket-text')).toHaveText(content)

  // The ticket appears for the agent without a reload; the agent claims and processes it.
  await expect(row(desk, content)).toBeVisible(LIVE)
  await row(desk, content).getByRole('button', { name: '认领' }).click()
  await expect(row(desk, content)).toContainText('客服陈')
  await row(desk, content).getByRole('button', { name: '处理' }).click()
  await expect(desk.locator('.ticket-text')).toHaveText(content)
  await expect(desk.getByRole('img', { name: '图片 1' })).toBeVisible()
  await desk.locator('.ticket-statuses').getByText('修改中', { exact: true }).click()
  await desk.getByRole('button', { name: '由我处理' }).click()
  await desk.getByLabel('处理备注').fill('已派人更换屏幕')
  await desk.getByRole('button', { name: '提交处理' }).click()
  await expect(desk.locator('.ticket-progress')).toContainText('已派人更换屏幕')

  // The tenant sees the progress without a confirm button; the manager sees both viewers.
  await expect(inside.locator('.ticket-progress')).toContainText('已派人更换屏幕', LIVE)
  await expect(inside.locator('.ticket-head').getByText('修改中', { exact: true })).toBeVisible()
  await expect(inside.getByText('该工单由 客服陈 处理，您可以查看。')).toBeVisible()
  await expect(inside.getByRole('button', { name: '提交处理' })).toHaveCount(0)
  await manager.goto('/AfterService/Questions')
  await row(manager, content).getByRole('button', { name: '详情' }).click()
  await expect(manager.locator('.ticket-viewers')).toContainText('客服陈', LIVE)
  await expect(manager.locator('.ticket-viewers')).toContainText('客户李', LIVE)
  await expect(manager.getByRole('button', { name: '提交处理' })).toHaveCount(0)

  // Closing the ticket closes it on all three screens.
  await desk.locator('.ticket-statuses').getByText('已关闭', { exact: true }).click()
  await desk.getByLabel('处理备注').fill('屏幕已换，客户确认')
  await desk.getByRole('button', { name: '提交处理' }).click()
  await desk.getByRole('button', { name: '关闭工单' }).click()
  for (const page of [desk, inside, manager])
    await expect(page.locator('.ticket-head').getByText('已关闭', { exact: true })).toBeVisible(LIVE)

  // The tenant sees neither the vendor's pages nor rows of other tenants.
  await inside.goto('/tenantManage/tenant')
  await expect(inside.getByText(/没有权限/).first()).toBeVisible()
  await inside.goto('/system/manager')
  await expect(row(inside, account)).toBeVisible()
  await expect(row(inside, boss.account)).toHaveCount(0)

  // The manager disables the tenant: its users are logged out at once and see the reason.
  await manager.goto(`/tenantManage/tenant/overview/${tenantId}`)
  await expect(manager.getByRole('heading', { name })).toBeVisible()
  await manager.getByRole('switch', { name: new RegExp(name) }).click()
  await manager.getByRole('button', { name: /停用/ }).last().click()
  await expectSwitched(manager.getByRole('switch', { name: new RegExp(name) }), false)
  await inside.goto('/system/manager')
  await expect(inside.getByText(/所属客户已停用|欢迎登录/).first()).toBeVisible(LIVE)
  for (const page of [manager, desk, inside]) await page.context().close()
})
