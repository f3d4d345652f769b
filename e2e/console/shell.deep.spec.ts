import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'

const PROFILE = '/account/profile'
const PASSWORD = '/account/password'
const SESSIONS = '/account/sessions'

const tabs = (page: Page) => page.getByRole('tablist', { name: '已打开的页面' }).getByRole('tab')
const tab = (page: Page, name: string) => tabs(page).filter({ hasText: name })
const tabMenu = (page: Page) => page.getByRole('menu', { name: '页签菜单' })
const choose = (page: Page, entry: string) => tabMenu(page).getByRole('menuitem', { name: entry }).click()

test('ROUTE-04 an unknown URL shows the error page with a link to the home page', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  for (const address of ['/404', '/no/such/page']) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: '错误页面' })).toBeVisible()
    await expect(page.getByText(/检查输入的网址.*返回首页.*发送错误报告/)).toBeVisible()
    await accessible()
  }
  await page.getByRole('link', { name: '返回首页' }).click()
  await expect(page).toHaveURL(/\/indexScreen$/)
})

test('the sidebar scrolls to the entry of the shown page without moving the focus', async ({ page, login }) => {
  await login()
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto('/system/AboutUs')
  const entry = page.locator('aside.sidebar [aria-current]')
  await expect(entry).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.activeElement?.closest('aside'))).toBeNull()
  await page.locator('.side-menu').evaluate((menu) => menu.scrollTo(0, 0))
  await expect(entry).not.toBeInViewport()
  await page.getByRole('button', { name: '收起菜单' }).click()
  await page.getByRole('button', { name: '展开菜单' }).click()
  await expect(entry).toBeInViewport({ ratio: 1 })
})

test('an open dialog is visible and keeps its input after the user switched to another tab and back', async ({
  page,
  login,
}) => {
  await login()
  await page.goto('/system/rolemanagement')
  await page.getByRole('button', { name: '新增角色' }).click()
  const dialog = page.getByRole('dialog', { name: '新增角色' })
  await dialog.getByLabel('角色名称').fill('值班')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: '搜索关键字' }).fill('首')
  await expect(page.getByRole('option', { name: /首页/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/indexScreen$/)
  await expect(tab(page, '角色管理')).toHaveAttribute('aria-selected', 'false')
  await tab(page, '角色管理').click()
  await expect(dialog.getByLabel('角色名称')).toHaveValue('值班')
  await expect(page.locator('.ant-modal')).toHaveCSS('opacity', '1')
  await expect(page.locator('.ant-modal')).not.toHaveClass(/-appear/)
})

test('LAYOUT-01 the sidebar collapses to 58 px and stays collapsed after a reload', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  await page.goto('/')
  const sidebar = page.locator('aside.sidebar')
  await expect(sidebar.getByRole('link').first()).toHaveText('首页')
  await expect(sidebar).toHaveCSS('width', '180px')
  await page.getByRole('button', { name: '收起菜单' }).click()
  await expect(sidebar).toHaveCSS('width', '58px')
  await page.reload()
  await expect(sidebar).toHaveCSS('width', '58px')
  // A collapsed directory shows its pages as a flyout on hover and by keyboard; Escape closes the flyout.
  const directory = sidebar.getByRole('button', { name: '系统管理' })
  await directory.hover()
  await expect(sidebar.getByRole('link', { name: '用户管理' })).toBeVisible()
  await page.mouse.move(900, 500)
  await expect(sidebar.getByRole('link', { name: '用户管理' })).toHaveCount(0)
  await directory.focus()
  await page.keyboard.press('Enter')
  await expect(sidebar.getByRole('link', { name: '用户管理' })).toBeVisible()
  await accessible()
  await page.keyboard.press('Escape')
  await expect(directory).toBeFocused()
  await expect(sidebar.getByRole('link', { name: '用户管理' })).toHaveCount(0)
  await page.keyboard.press('Enter')
  await sidebar.getByRole('link', { name: '用户管理' }).click()
  await expect(page).toHaveURL(/\/system\/manager$/)
  await page.getByRole('button', { name: '展开菜单' }).click()
  // The group of the current page is expanded; a click collapses the group.
  const here = sidebar.getByRole('link', { name: '用户管理' })
  await expect(here).toHaveAttribute('aria-current', 'page')
  await directory.click()
  await expect(here).toHaveCount(0)
})

test('LAYOUT-02 LAYOUT-03 LAYOUT-04 tabs are opened, closed with the tab menu, and restored after a reload', async ({
  page,
  login,
}) => {
  await login()
  for (const address of [PROFILE, PASSWORD, SESSIONS]) {
    await page.goto(address)
    await expect(page.getByRole('tabpanel')).toBeVisible()
  }
  await expect(tabs(page)).toHaveText(['首页', '编辑资料', '修改密码', '我的会话'])
  await tab(page, '首页').click({ button: 'right' })
  await expect(tabMenu(page)).toHaveCSS('width', '105px')
  await expect(tabMenu(page).getByRole('menuitem', { name: '关闭当前' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  await expect(tabMenu(page)).toHaveCount(0)
  await tab(page, '修改密码').click({ button: 'right' })
  await choose(page, '关闭其他')
  await expect(tabs(page)).toHaveText(['首页', '修改密码'])
  await expect(page).toHaveURL(new RegExp(`${PASSWORD}$`))
  await tab(page, '修改密码').click({ button: 'middle' })
  await expect(tabs(page)).toHaveText(['首页'])
  await expect(page).toHaveURL(/\/indexScreen$/)
})

test('arrow keys move through a menu, and closing the menu restores the focus', async ({ page, login, accessible }) => {
  await login()
  await page.goto('/')
  const opener = page.getByRole('button', { name: '账号 admin' })
  await opener.click()
  await expect(page.getByRole('menuitem', { name: '编辑资料' })).toBeFocused()
  await accessible()
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('menuitem', { name: '退出登录' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: '编辑资料' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(opener).toBeFocused()
  await opener.click()
  await opener.click()
  await expect(page.getByRole('menu')).toHaveCount(0)
  await opener.click()
  await page.mouse.click(700, 700)
  await expect(page.getByRole('menu')).toHaveCount(0)
  // The context menu key opens a tab's menu at the tab.
  await tab(page, '首页').focus()
  await page.keyboard.press('Shift+F10')
  await expect(tabMenu(page).getByRole('menuitem', { name: '刷新页面' })).toBeFocused()
})

test('LAYOUT-06 form input is kept after switching to another tab', async ({ page, login }) => {
  await login()
  await page.goto(PROFILE)
  const nickname = page.getByRole('textbox', { name: '昵称' })
  await nickname.fill('夜班')
  await tab(page, '首页').click()
  await expect(nickname).toBeHidden()
  await tab(page, '编辑资料').click()
  await expect(nickname).toHaveValue('夜班')
})

test('unsaved changes mark the tab, and closing the tab asks for confirmation', async ({ page, login }) => {
  await login()
  await page.goto(PROFILE)
  await page.getByRole('textbox', { name: '昵称' }).fill('没保存')
  await expect(page.getByRole('img', { name: '有未保存的内容' })).toBeVisible()
  // Another active tab hides the page; the unsaved mark stays.
  await tab(page, '首页').click()
  await expect(page.getByRole('textbox', { name: '昵称' })).toBeHidden()
  await expect(page.getByRole('img', { name: '有未保存的内容' })).toBeVisible()
  await tab(page, '编辑资料').focus()
  await page.keyboard.press('Delete')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('「编辑资料」有未保存的内容')
  await dialog.getByRole('button', { name: '取消' }).click()
  await expect(dialog).toBeHidden()
  await expect(tab(page, '编辑资料')).toBeVisible()
  await tab(page, '编辑资料').focus()
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: '关闭' }).last().click()
  await expect(tabs(page)).toHaveText(['首页'])
})

test('a calendar shows Chinese day names and starts on Monday', async ({ page, login, staff }) => {
  // Expanded filters are stored per account.
  await login(await staff(['system:operLog:list']))
  await page.goto('/system/operLog')
  await page.getByRole('button', { name: '更多筛选' }).click()
  await page.getByRole('search').getByLabel('操作时间').first().click()
  const calendar = page.locator('.ant-picker-dropdown')
  await expect(calendar.getByRole('columnheader').first()).toHaveText('一')
  await expect(calendar.getByText(/^\d+月$/).first()).toBeVisible()
})

test('ROUTE-09 refreshing a tab uses /redirect and keeps the path and the query', async ({ page, login }) => {
  await login()
  await page.goto(`${SESSIONS}?x=1`)
  const read = page.waitForResponse(/account\/session$/)
  await tab(page, '我的会话').click({ button: 'right' })
  await choose(page, '刷新页面')
  await read
  await expect(page).toHaveURL(new RegExp(`${SESSIONS}\\?x=1$`))
  await page.goto(`/redirect${PASSWORD}?a=2`)
  await expect(page).toHaveURL(new RegExp(`${PASSWORD}\\?a=2$`))
  await page.goto('/redirect//evil.example/x')
  await expect(page).toHaveURL(/\/indexScreen$/)
})

test('LAYOUT-05 the top bar has breadcrumb, unread count and account menu', async ({ page, login }) => {
  await login()
  await page.route('**/api/v1/events', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: 'event: unread\ndata: {"count":12}\n\n' }),
  )
  await page.goto('/')
  await expect(page.getByRole('navigation', { name: '面包屑' })).toHaveText('首页')
  await expect(page.getByRole('button', { name: '消息，12 条未读' })).toBeVisible()
  await page.getByRole('button', { name: '账号 admin' }).click()
  for (const entry of ['编辑资料', '修改密码', '我的会话', '两步验证', '退出登录']) {
    await expect(page.getByRole('menuitem', { name: entry })).toBeVisible()
  }
})

test('GUARD-07 logging out shows a message and logs out all other tabs of the browser', async ({
  page,
  login,
  context,
}) => {
  await login()
  await page.goto('/')
  const other = await context.newPage()
  await other.goto(SESSIONS)
  await expect(tabs(other).last()).toBeVisible()
  await page.getByRole('button', { name: '账号 admin' }).click()
  await page.getByRole('menuitem', { name: '退出登录' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByText('退出成功')).toBeVisible()
  await expect(other).toHaveURL(/\/login/)
})

test('GUARD-03 a page without permission is not reachable by its URL', async ({ page, staff, login }) => {
  await login(await staff(['system:operLog:list']))
  const versions: (string | undefined)[] = []
  page.on('response', (answer) => {
    if (answer.url().includes('/account/perms')) versions.push(answer.headers()['x-perm-version'])
  })
  await page.goto('/system/manager')
  await expect(page.getByRole('heading', { name: /您没有权限！|错误页面/ })).toBeVisible()
  await expect(tabs(page)).toHaveText(['首页'])
  // Parallel journeys change permissions too, so a reload of permissions is allowed only for another version.
  expect(versions.length).toBeGreaterThan(0)
  expect(new Set(versions).size).toBe(versions.length)
})

test('the first Tab key reaches a link that moves the focus past the menu to the page', async ({ page, login }) => {
  await login()
  await page.goto('/')
  await expect(tabs(page).first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: '跳到主要内容' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('a menu lists all tabs when they do not fit the tab bar', async ({ page, login }) => {
  await page.setViewportSize({ width: 600, height: 700 })
  await login()
  const addresses = [
    '/device/apkManage',
    '/upgrade/ota',
    '/AfterService/Questions',
    '/system/manager',
    PROFILE,
    PASSWORD,
    SESSIONS,
  ]
  for (const address of addresses) {
    await page.goto(address)
    await expect(tabs(page).and(page.locator('[aria-selected=true]'))).toBeVisible()
  }
  await page.getByRole('button', { name: /^全部页签（\d+）$/ }).click()
  const all = page.getByRole('menu', { name: '全部页签' }).getByRole('menuitem')
  await expect(all).toHaveCount(await tabs(page).count())
  await all.filter({ hasText: '编辑资料' }).click()
  await expect(page).toHaveURL(PROFILE)
})
