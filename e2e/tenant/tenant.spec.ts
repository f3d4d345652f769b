import type { Page } from '@playwright/test'
import { solveCaptcha } from '../support/database.ts'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh, freshMobile, type Person } from '../support/people.ts'
import { pick, pickExactly } from '../support/pick.ts'

const CHOSEN = 'Chosen-2026'
const PHONE = { width: 390, height: 844 }
const SHOTS = process.env.E2E_SHOTS

/** Saves a screenshot when requested. */
async function shot(page: Page, name: string) {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: false })
}

interface Node {
  id: number
  type: string
  perms: string
  children: Node[]
}

/** Creates an industry and a scene with these pages, which every tenant requires. */
async function ground(admin: Api, prefixes: readonly string[]) {
  const { menus } = await admin.call<{ menus: Node[] }>('GET', '/api/v1/sys/scene/permTree')
  const all = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...all(node.children ?? [])])
  const menuIds = all(menus).flatMap(({ id, type, perms }) =>
    type !== 'M' && prefixes.some((prefix) => perms.startsWith(prefix)) ? [id] : [],
  )
  const sceneName = fresh('场景')
  const scene = { sceneName, sceneCode: fresh('scene_'), isDefault: 0, menuIds }
  const { id: sceneId } = await admin.call<{ id: number }>('POST', '/api/v1/sys/scene', scene)
  const industry = fresh('行业')
  const kind = { name: industry, code: fresh('IND_').toUpperCase() }
  const { id: industryId } = await admin.call<{ id: number }>('POST', '/api/v1/tenant/industry', kind)
  return { sceneName, sceneId, industry, industryId }
}

const CUSTOMER = { contactName: '王经理', contactPhone: '13812345678', adminName: '李管理' }

interface Opened {
  id: number
  name: string
  account: string
  password: string
}

async function opened(admin: Api, place: { sceneId: number; industryId: number }): Promise<Opened> {
  const name = fresh('客户')
  const form = { ...CUSTOMER, name, industryId: place.industryId, sceneIds: [place.sceneId] }
  return { ...(await admin.call<Omit<Opened, 'name'>>('POST', '/api/v1/tenant', form)), name }
}

async function logIn(page: Page, account: string, password: string) {
  await page.goto('/login')
  await page.getByRole('textbox', { name: '账号' }).fill(account)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录' }).click()
}

/** First login: replaces the one-time password and logs in with the new password. */
async function completeFirstLogin(page: Page, { account, password }: Pick<Person, 'account' | 'password'>) {
  await logIn(page, account, password)
  await expect(page.getByText('请先设置新密码')).toBeVisible()
  await page.getByLabel('旧密码').fill(password)
  await page.getByLabel('新密码', { exact: true }).fill(CHOSEN)
  await page.getByLabel('确认新密码').fill(CHOSEN)
  await page.getByRole('button', { name: '确认修改' }).click()
  await expect(page).toHaveURL(/\/login/)
  await logIn(page, account, CHOSEN)
  await expect(page.getByRole('button', { name: `账号 ${account}` })).toBeVisible()
}

test("MODULE-01 a new tenant's administrator logs in and sees only the tenant's data", async ({
  page,
  browser,
  baseURL,
  login,
  staff,
  api,
  accessible,
}) => {
  const admin = await api()
  const place = await ground(admin, ['system:manager:', 'tenantManage:'])
  const stranger = await opened(admin, place)
  const manager = await staff(
    ['list', 'query', 'add', 'edit', 'renew', 'scene', 'enable', 'plain'].map((each) => `tenantManage:tenant:${each}`),
    '客户经理',
  )
  await login(manager)
  await page.goto('/tenantManage/tenant')
  await page.getByRole('button', { name: '新增客户' }).first().click()
  const form = page.getByRole('dialog', { name: '新增客户' })
  await form.getByRole('button', { name: '新增客户' }).click()
  await expect(form.getByText('请输入客户名称', { exact: true })).toBeVisible()
  const name = fresh('启明')
  await form.getByLabel('客户名称').fill(name)
  await form.getByLabel('所属行业').fill(place.industry)
  await page.getByTitle(place.industry, { exact: true }).click()
  await form.getByLabel('联系人').fill('赵经理')
  await form.getByLabel('联系电话').fill('1381234')
  await form.getByLabel('管理员姓名').fill('钱管理')
  const account = fresh('qiming')
  await form.getByLabel('管理员账号').fill(account)
  await expect(form.getByText('联系电话格式不正确，请输入手机号或带区号的座机号')).toBeVisible()
  await form.getByLabel('联系电话').fill('13812345678')
  await pick(form.getByLabel('业务场景'), place.sceneName)
  await form.getByLabel('客户名称').click()
  await shot(page, 'tenant-form')
  await form.getByRole('button', { name: '新增客户' }).click()
  const secret = page.getByRole('dialog', { name: '客户已新增' })
  await expect(secret).toContainText(account)
  const password = (await secret.locator('strong').textContent())?.trim() ?? ''
  await secret.getByRole('button', { name: '我已保存' }).click()
  await expect(secret).toBeHidden()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText(place.industry)
  await shot(page, 'tenant-list')
  await accessible()
  await row.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { name })).toBeVisible()
  await shot(page, 'tenant-overview')

  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
  })
  const inside = await context.newPage()
  await completeFirstLogin(inside, { account, password })
  await inside.goto('/system/manager')
  await expect(inside.getByRole('row', { name: new RegExp(account) })).toBeVisible()
  await expect(inside.getByRole('row', { name: new RegExp(stranger.account) })).toHaveCount(0)
  await inside.goto('/tenantManage/tenant')
  await expect(inside.getByRole('row', { name: new RegExp(name) })).toBeVisible()
  await expect(inside.getByText(stranger.name)).toHaveCount(0)
  await inside.goto(`/tenantManage/tenant/overview/${stranger.id}`)
  await expect(inside.getByText('客户不存在或已被删除')).toBeVisible()
  await context.close()
})

test('TENANT-05 a new user applies with a join code, gets a role with the approval, and can use it at once', async ({
  page,
  browser,
  baseURL,
  api,
  accessible,
}) => {
  const admin = await api()
  const place = await ground(admin, ['system:manager:', 'tenantManage:userapplication:'])
  const host = await opened(admin, place)
  const { joinCode } = await admin.call<{ joinCode: string }>('GET', `/api/v1/tenant/${host.id}`)

  const account = fresh('newcomer')
  await page.goto('/reg/index')
  await page.getByLabel('账号').fill(account)
  await page.getByLabel('姓名').fill('孙新人')
  await page.getByLabel('密码', { exact: true }).fill('Brand-new-77')
  await page.getByLabel('确认密码').fill('Brand-new-77')
  await page.getByLabel('图形验证码', { exact: true }).fill(await solveCaptcha(page))
  await page.getByRole('button', { name: '注册', exact: true }).click()
  await expect(page.getByText('注册成功，请登录')).toBeVisible()
  // A second navigation would abort the redirect.
  await expect(page).toHaveURL(/\/login/)
  await logIn(page, account, 'Brand-new-77')
  await expect(page.getByText('暂无可用菜单，请联系管理员')).toBeVisible()
  await page.getByLabel('加入码').fill('WRONG234')
  await page.getByRole('button', { name: '申请加入' }).click()
  await expect(page.getByText('加入码不正确或已停用').first()).toBeVisible()
  await page.getByLabel('加入码').fill(joinCode)
  await page.getByLabel('申请说明').fill('新来的运维')
  await accessible()
  await page.getByRole('button', { name: '申请加入' }).click()
  const own = page.getByRole('list', { name: '我的申请' })
  await expect(own).toContainText(host.name)
  await expect(own).toContainText('待审批')
  await shot(page, 'join-page')
  await page.setViewportSize(PHONE)
  await shot(page, 'join-page-phone')
  await page.setViewportSize({ width: 1440, height: 900 })

  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
  })
  const desk = await context.newPage()
  await completeFirstLogin(desk, host)
  await desk.goto('/tenantManage/userapplication')
  await expect(desk.getByRole('tab', { name: '加入申请（1）' })).toBeVisible()
  const row = desk.getByRole('row', { name: new RegExp(account) })
  await expect(row).toContainText('待审批')
  await shot(desk, 'apply-list')
  await row.getByRole('button', { name: '通过' }).click()
  const dialog = desk.getByRole('dialog', { name: '通过「孙新人」的申请' })
  await dialog.getByRole('button', { name: '通过', exact: true }).click()
  await expect(dialog.getByText('请选择角色').last()).toBeVisible()
  await pickExactly(dialog.getByLabel('角色'), '客户管理员')
  await dialog.getByLabel('审批意见').fill('欢迎加入')
  await shot(desk, 'apply-audit')
  await dialog.getByRole('button', { name: '通过', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(row).toContainText('已通过')
  await context.close()

  await expect(page.getByRole('navigation', { name: '主菜单' })).toBeVisible({ timeout: 30_000 })
  await page.goto('/system/manager')
  await expect(page.getByRole('row', { name: new RegExp(account) })).toBeVisible()
})

test('MODULE-01 the vendor switches to a tenant, sees a banner, and switches back', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const place = await ground(admin, ['system:manager:'])
  const host = await opened(admin, place)
  await login()
  await page.goto('/')
  await page.getByRole('button', { name: '账号 admin' }).click()
  await page.getByRole('menuitem', { name: '切换客户' }).click()
  const dialog = page.getByRole('dialog', { name: '切换客户' })
  await dialog.getByLabel('客户名称或客户编号').fill(host.name)
  await dialog.getByRole('button', { name: `进入 ${host.name}` }).click()
  const banner = page.locator('.switched-tenant-banner')
  await expect(banner).toContainText(host.name)
  await page.goto('/system/manager')
  await expect(page.getByRole('row', { name: new RegExp(host.account) })).toBeVisible()
  await expect(page.getByRole('row', { name: /admin.*系统管理员/ })).toHaveCount(0)
  await accessible()
  await shot(page, 'visit')
  await page.setViewportSize(PHONE)
  await shot(page, 'visit-phone')
  await page.setViewportSize({ width: 1440, height: 900 })
  await banner.getByRole('button', { name: /^返回/ }).click()
  await expect(banner).toHaveCount(0)
  await page.goto('/system/manager')
  // Shows the vendor's staff again, newest first; accounts of parallel journeys may move admin to another page.
  await expect(page.getByRole('row', { name: /平台运营中心|staff|admin/ }).first()).toBeVisible()
  await expect(page.getByRole('row', { name: new RegExp(host.account) })).toHaveCount(0)
})

test('MODULE-01 industries are created in levels and merged, and App accounts are bound to devices', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const place = await ground(admin, ['system:manager:'])
  const host = await opened(admin, place)
  await login()
  await page.goto('/tenantManage/industry')
  const target = fresh('智能制造')
  await page.getByRole('button', { name: '新增行业' }).first().click()
  const form = page.getByRole('dialog', { name: '新增行业' })
  await form.getByLabel('行业名称').fill(target)
  await form.getByLabel('行业编码').fill(fresh('MAKE_').toUpperCase())
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  const from = page.getByRole('row', { name: new RegExp(place.industry) })
  await expect(from).toContainText('1')
  await shot(page, 'industry')
  await accessible()
  await from.getByRole('button', { name: /更多/ }).click()
  await page.getByRole('menuitem', { name: '合并' }).click()
  const merge = page.getByRole('dialog', { name: `合并行业「${place.industry}」` })
  await merge.getByLabel('合并到').fill(target)
  await page.getByTitle(target, { exact: true }).click()
  await merge.getByRole('button', { name: '合并', exact: true }).click()
  await expect(from).toHaveCount(0)
  await expect(page.getByRole('row', { name: new RegExp(target) })).toContainText('1')

  const account = fresh('appuser')
  await admin.call('POST', '/api/v1/account/app', {
    tenantId: host.id,
    account,
    nickname: '小周',
    mobileNo: freshMobile(),
  })
  await page.goto(`/AccountAdministration/accountList?tenantId=${host.id}`)
  const row = page.getByRole('row', { name: new RegExp(account) })
  await expect(row).toContainText('小周')
  await shot(page, 'app-list')
  await row.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: `小周（${account}）` })
  await drawer.getByRole('tab', { name: /绑定设备/ }).click()
  await drawer.getByLabel('序列号').fill('NO-SUCH-DEVICE')
  await drawer.getByRole('button', { name: '绑定设备' }).click()
  await expect(page.getByText('设备不存在或已被删除')).toBeVisible()
  await shot(page, 'app-drawer')
})
