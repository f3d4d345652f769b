import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'

const tabs = (page: Page) => page.getByRole('tablist', { name: '已打开的页面' }).getByRole('tab')

test('when another account logs in in the same browser, an open page asks for a reload and then restarts', async ({
  page,
  login,
  staff,
  context,
}) => {
  const other = await staff(['system:operLog:list'], '接班人')
  await login()
  await page.goto('/account/sessions')
  await expect(tabs(page).last()).toHaveText('我的会话')
  const second = await context.newPage()
  await login(other)
  await second.goto('/')
  await expect(second.getByRole('button', { name: `账号 ${other.account}` })).toBeVisible()
  // The first page compares the session when it becomes visible.
  await page.bringToFront()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  const dialog = page.getByRole('dialog', { name: '账号已切换' })
  await expect(dialog.getByText('此浏览器已登录另一个账号')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: '重新加载' }).click()
  await expect(page.getByRole('button', { name: `账号 ${other.account}` })).toBeVisible()
  await expect(tabs(page)).toHaveText(['首页'])
})

test('the console announces a newer version once and loads it on request', async ({ page, login }) => {
  await page.route('**/version.json', (route) => route.fulfill({ json: { version: 'newer' } }))
  await login()
  await page.goto('/')
  await expect(tabs(page).first()).toBeVisible()
  // The page checks every five minutes and when it becomes visible; only the page's clock is advanced.
  const comeBack = () =>
    page.evaluate(() => {
      const now = Date.now()
      Date.now = () => now + 6 * 60_000
      document.dispatchEvent(new Event('visibilitychange'))
    })
  await expect(async () => {
    await comeBack()
    await expect(page.getByText('系统已更新')).toBeVisible({ timeout: 2000 })
  }).toPass()
  const loaded = page.waitForEvent('load')
  await page.getByRole('button', { name: '立即刷新' }).click()
  await loaded
  await expect(page.getByText('系统已更新')).toHaveCount(0)
})

test('the page and a list switch to full screen and back', async ({ page, login }) => {
  await login()
  await page.goto('/system/operLog')
  await expect(page.getByRole('table').last()).toBeVisible()
  const isFull = () => page.evaluate(() => document.fullscreenElement !== null)
  await page.getByRole('banner').getByRole('button', { name: '全屏' }).click()
  await expect.poll(isFull).toBe(true)
  await page.getByRole('banner').getByRole('button', { name: '退出全屏' }).click()
  await expect.poll(isFull).toBe(false)

  const list = page.locator('main').getByRole('button', { name: '全屏' })
  await list.click()
  await expect(page.locator('.kit-full')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('.kit-full')).toHaveCount(0)
})

test('a lost connection is shown in the list, and the list reloads when the connection returns', async ({
  page,
  login,
  context,
}) => {
  await login()
  await page.goto('/system/AboutUs')
  await expect(page.getByRole('heading', { name: '运营管理系统 OMS' })).toBeVisible()
  // The page's code is loaded; only its data is missing.
  await page.route('**/api/v1/sys/operlog/page*', (route) => route.abort('internetdisconnected'))
  await page.goto('/system/operLog')
  const failed = page.locator('main').getByText('网络异常')
  await expect(failed).toBeVisible()
  await page.unroute('**/api/v1/sys/operlog/page*')
  await page.locator('main').getByRole('button', { name: '重试' }).click()
  await expect(page.getByRole('table').last()).toBeVisible()
  await expect(failed).toHaveCount(0)

  await context.setOffline(true)
  await page.getByRole('search').getByLabel('操作账号').fill('nobody_at_all')
  await page.keyboard.press('Enter')
  await expect(failed).toBeVisible()
  await context.setOffline(false)
  await expect(page.locator('main').getByText('没有符合条件的数据')).toBeVisible()
})

test('a large import continues as a job, shows its progress, and is listed in the job centre', async ({
  page,
  login,
}) => {
  await login()
  await page.goto('/AccountAdministration/accountList')
  await page.getByRole('button', { name: '导入' }).first().click()
  const mark = fresh('')
  const lines = Array.from({ length: 2001 }, (_, at) => `job_${mark}_${at}`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'accounts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`账号\n${lines.join('\n')}\n`),
  })
  await page.getByRole('button', { name: '校验' }).click()
  await page.getByRole('button', { name: '导入 2001 行' }).click({ timeout: 60_000 })
  await expect(
    page
      .locator('.ant-notification-notice')
      .getByText(/导入App账号/)
      .first(),
  ).toBeVisible()
  await page.getByRole('button', { name: '账号 admin' }).click()
  await page.getByRole('menuitem', { name: '我的任务' }).click()
  const job = page
    .getByRole('dialog', { name: '我的任务' })
    .getByRole('listitem')
    .filter({ hasText: '导入App账号' })
    .first()
  await expect(job.getByText('已完成')).toBeVisible({ timeout: 60_000 })
  await expect(job.getByText('共 2001 行：已新增 2001 行')).toBeVisible()
})

test('ERR-05 a page whose chunk also contains other pages loads after failed attempts', async ({ page, login }) => {
  await login()
  let failures = 0
  await page.route(/assets\/staff-list\.page-.*\.js/, (route) => {
    failures += 1
    return failures < 3 ? route.abort() : route.continue()
  })
  await page.goto('/system/manager')
  await expect(page.getByRole('row', { name: /admin|staff/ }).first()).toBeVisible()
  expect(failures).toBeGreaterThan(2)
})
