import type { Route } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'

const PROFILE = '/account/profile'
const SESSIONS = '/account/sessions'

const answer = (status: number, body: unknown) => (route: Route) =>
  route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) })

test('ERR-01 ERR-03 ERR-04 each kind of failure shows its message once', async ({ page, login }) => {
  await login()
  await page.goto(SESSIONS)
  // Waits for the page's own request, whose error would suppress the same error below.
  await expect(page.getByText('当前会话')).toBeVisible()
  const cases = [
    [answer(200, { code: 400, msg: '编号重复', data: null }), '编号重复'],
    [answer(200, { code: 501, msg: '您没有权限！', data: null }), '您没有权限！'],
    [answer(200, { code: 500, msg: 'x', data: null }), '服务器出错!'],
    [answer(404, {}), '网络请求不存在!'],
    [(route: Route) => route.abort(), '网络异常'],
  ] as const
  for (const [fulfil, text] of cases) {
    await page.route('**/api/v1/account/session', fulfil)
    // Does not wait for the load event, because the toast is visible for only three seconds.
    await page.goto('/redirect/account/sessions', { waitUntil: 'commit' })
    await expect(page.locator('.ant-message').getByText(text, { exact: true })).toHaveCount(1)
    await page.unroute('**/api/v1/account/session')
    await page.context().clearCookies({ name: 'error' })
  }
})

test('ERR-01 the error of a failed prefetch is shown when the page needs the response', async ({ page, login }) => {
  await login()
  await page.route('**/api/v1/tenant/user/list**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await answer(200, { code: 400, msg: '查询条件无效', data: null })(route)
  })
  await page.goto('/system/manager')
  await expect(page.locator('.ant-message').getByText('查询条件无效', { exact: true })).toHaveCount(1)
})

test('a page that fails to load shows the reason and loads after a retry', async ({ page, login }) => {
  await login()
  const pages = [
    ['**/api/v1/account/detail/**', '/account/mfa', page.getByRole('button', { name: '开始绑定' })],
    ['**/api/v1/account/detail/**', PROFILE, page.getByLabel('姓名')],
    ['**/api/v1/account/session', SESSIONS, page.getByText('当前会话')],
    ['**/api/v1/sys/account/all/page**', '/userManage/index', page.getByRole('link', { name: '系统管理员' })],
  ] as const
  // An event of another journey would reload the page in the background, and 重试 would disappear before the click.
  await page.route('**/api/v1/events', () => {})
  for (const [call, address, content] of pages) {
    await page.route(call, answer(200, { code: 400, msg: '暂时无法读取', data: null }))
    await page.goto(address)
    const failed = page.locator('.kit-failed')
    await expect(failed).toContainText('暂时无法读取')
    await expect(content).toHaveCount(0)
    await page.unroute(call)
    await failed.getByRole('button', { name: '重试' }).click()
    await expect(content.first()).toBeVisible()
  }
})

test('when loading more rows fails, the loaded rows stay and a retry loads only the missing rows', async ({
  page,
  login,
}) => {
  await login()
  const [all, second] = [/account\/job\?/, /account\/job\?.*pageNum=2/]
  const jobsFrom = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      jobId: from - at,
      title: `导出第${from - at}份`,
      state: 'done',
      percent: 100,
      error: '',
      rows: 1,
      file: null,
      report: null,
      createTime: '2026-01-01 10:00:00',
      finishTime: '2026-01-01 10:00:01',
    }))
  const pageOf = (list: readonly object[]) => answer(200, { code: 200, msg: '', data: { list, total: 21 } })
  const failing = answer(200, { code: 400, msg: '暂时无法读取', data: null })
  await page.route(all, failing)
  await page.goto(SESSIONS)
  await page.getByRole('button', { name: /^账号 / }).click()
  await page.getByRole('menuitem', { name: '我的任务' }).click()
  const drawer = page.getByRole('dialog', { name: '我的任务' })
  const failed = drawer.locator('.kit-failed')
  const more = drawer.getByRole('button', { name: '加载更多' })
  await expect(failed).toContainText('暂时无法读取')
  await page.unroute(all)
  await page.route(all, pageOf(jobsFrom(21, 20)))
  await page.route(second, failing)
  await failed.getByRole('button', { name: '重试' }).click()
  await more.click()
  await expect(failed).toContainText('暂时无法读取')
  await expect(drawer.getByText('导出第2份')).toBeVisible()
  await page.unroute(second)
  await page.route(second, pageOf(jobsFrom(1, 1)))
  await failed.getByRole('button', { name: '重试' }).click()
  await expect(drawer.getByText('导出第1份')).toBeVisible()
  await expect(drawer.getByText('导出第2份')).toBeVisible()
  await expect(failed).toHaveCount(0)
  await expect(more).toHaveCount(0)
})

test('ERR-02 an ended session keeps the page and its input, and a button leads to the login and back', async ({
  page,
  login,
}) => {
  await login()
  await page.goto(PROFILE)
  await page.getByRole('textbox', { name: '昵称' }).fill('草稿在')
  await page.route('**/api/v1/account/modify/*', answer(200, { code: 401, msg: '登录状态已过期', data: null }))
  await page.getByRole('button', { name: '保存' }).click()
  const dialog = page.getByRole('dialog', { name: '系统提示' })
  await expect(dialog).toContainText('登录状态已过期，您可以继续留在该页面，或者重新登录')
  await expect(dialog.getByRole('button', { name: '重新登录' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: '取消' })).toBeHidden()
  await dialog.getByRole('button', { name: /Close|关闭/ }).click()
  await expect(page.getByRole('textbox', { name: '昵称' })).toHaveValue('草稿在')
  await page.getByRole('button', { name: '保存' }).click()
  await dialog.getByRole('button', { name: '重新登录' }).click()
  await expect(page).toHaveURL(/\/login\?redirect=%2Faccount%2Fprofile$/)
  const left = await page.context().cookies()
  expect(left.map(({ name }) => name)).toContain('oms_account')
  expect(left.map(({ name }) => name)).not.toContain('oms_token')
  await page.unroute('**/api/v1/account/modify/*')
  await login()
  await page.goto(PROFILE)
  await expect(page.getByRole('textbox', { name: '昵称' })).toHaveValue('草稿在')
})

test('when a session ends while a form is open, the user logs in again in a new tab and saves the form', async ({
  page,
  login,
  staff,
  context,
}) => {
  const person = await staff(['system:systemDict:list', 'system:systemDict:query', 'system:systemDict:add'])
  await login(person)
  const name = fresh('断线')
  await page.goto('/system/systemDict')
  await page.getByRole('button', { name: '新增字典' }).first().click()
  const form = page.getByRole('dialog').last()
  await form.getByLabel('字典名称').fill(name)
  await form.getByLabel('字典类型').fill(fresh('cut_'))
  const saves = '**/api/v1/sys/dict/type'
  await page.route(saves, answer(200, { code: 401, msg: '登录状态已过期', data: null }))
  await form.getByRole('button', { name: '保存' }).click()
  const dialog = page.getByRole('dialog', { name: '系统提示' })
  const opened = context.waitForEvent('page')
  await dialog.getByRole('button', { name: '在新标签页登录' }).click()
  const beside = await opened
  await beside.getByRole('textbox', { name: '账号' }).fill(person.account)
  await beside.getByLabel('密码', { exact: true }).fill(person.password)
  await beside.getByRole('button', { name: '登录' }).click()
  await expect(dialog).toBeHidden()
  await page.unroute(saves)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('新增成功')).toBeVisible()
})

test('ERR-05 the console retries a chunk that fails to load', async ({ page, login }) => {
  await login()
  let failures = 0
  await page.route(/assets\/sessions\.page-.*\.js/, (route) => {
    failures += 1
    return failures < 3 ? route.abort() : route.continue()
  })
  await page.goto('/')
  await page.getByRole('button', { name: '账号 admin' }).click()
  await page.getByRole('menuitem', { name: '我的会话' }).click()
  await expect(page.getByText('当前会话')).toBeVisible()
  expect(failures).toBe(3)
})

test('a control that loads late does not take the focus from another field', async ({ page, login }) => {
  await login()
  let arrive = () => {}
  const held = new Promise<void>((go) => {
    arrive = go
  })
  await page.route(/assets\/select-.*\.js$/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/system/operLog')
  const kind = page.locator('.kit-search').getByRole('combobox', { name: '类型' })
  await page.getByRole('button', { name: '更多筛选' }).click()
  await kind.click()
  await page.getByLabel('操作账号').fill('adm')
  arrive()
  await expect(page.locator('.kit-search .kit-select-early').filter({ has: kind })).toHaveCount(0)
  await expect(page.getByLabel('操作账号')).toBeFocused()
  await expect(kind).toHaveAttribute('aria-expanded', 'false')
  await kind.click()
  await expect(page.getByRole('option', { name: '新增' })).toBeAttached()
})
