import type { Request } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'

test('MODULE-01 the big screen fills the window, opens no tab, and keeps its size', async ({
  page,
  login,
  accessible,
}) => {
  await page.clock.install()
  await login()
  await page.goto('/indexScreen')
  await page.getByRole('link', { name: '打开运营大屏' }).click()
  await expect(page).toHaveURL(/\/bigScreen$/)
  await expect(page.getByRole('region', { name: '设备状态' })).toContainText('在线率')
  await expect(page.getByRole('region', { name: '工单动态' })).toContainText('待处理')
  await expect(page.getByRole('tab')).toHaveCount(0)
  await expect(page.getByRole('navigation', { name: '主菜单' })).toHaveCount(0)
  await accessible()

  let answered = 0
  const open = new Set<Request>()
  const isCall = (request: Request) => request.url().includes('/api/v1/') && !request.url().endsWith('/events')
  page.on('request', (request) => isCall(request) && open.add(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('requestfinished', (request) => {
    open.delete(request)
    if (request.url().includes('/api/v1/home/screen/')) answered += 1
  })
  // Counts only elements of the body: prefetching adds links to the document's head.
  const nodes = () => page.evaluate(() => document.body.querySelectorAll('*').length)
  const before = await nodes()
  // The next request is scheduled when the last response arrives. The clock advances only while no request is
  // pending, because otherwise requests would time out.
  for (let minute = 1; minute <= 20; minute++)
    await expect
      .poll(async () => {
        if (open.size === 0) await page.clock.runFor(61_000)
        return answered
      })
      .toBeGreaterThanOrEqual(minute * 4)
  expect(Math.abs((await nodes()) - before)).toBeLessThan(20)
  await page.getByRole('link', { name: '返回' }).click()
  await expect(page).toHaveURL(/\/indexScreen$/)
  await expect(page.getByRole('tab', { name: /运营大屏/ })).toHaveCount(0)
})

test('a display shows the big screen by its own URL until the URL is revoked', async ({
  page,
  browser,
  baseURL,
  login,
  staff,
  accessible,
}) => {
  const manager = await staff(
    ['index:indexScreen:bigScreen', 'index:indexScreen:display', 'device:apkManage:list'],
    '大屏管理',
  )
  await login(manager)
  await page.goto('/indexScreen')
  await page.getByRole('button', { name: '大屏展示链接' }).click()
  const drawer = page.getByRole('dialog', { name: '大屏展示链接' })
  const place = fresh('一楼大厅')
  await drawer.getByLabel('名称').fill(place)
  await accessible()
  await drawer.getByRole('button', { name: '生成链接' }).click()
  const secret = page.getByRole('dialog', { name: '展示链接已生成' })
  const address = (await secret.locator('strong').textContent())?.trim() ?? ''
  expect(address).toMatch(/\/display#[\w-]{43}$/)
  await secret.getByRole('button', { name: '我已保存' }).click()

  // The display has no session.
  const context = await browser.newContext({ ...(baseURL && { baseURL }), viewport: { width: 1920, height: 1080 } })
  const display = await context.newPage()
  await display.goto(address)
  await expect(display.getByRole('region', { name: '设备状态' })).toContainText('在线率')
  await expect(display.getByText(place)).toBeVisible()
  await expect(display.getByRole('region', { name: '工单动态' })).toHaveCount(0)
  await accessible(display)
  expect(await context.cookies()).toEqual([])
  // The display URL opens no other page.
  const other = await context.newPage()
  await other.goto('/device/apkManage')
  await expect(other.getByText('欢迎登录')).toBeVisible()
  await other.close()

  const line = drawer.getByRole('listitem').filter({ hasText: place })
  await line.getByRole('button', { name: `撤销 ${place}` }).click()
  await page.locator('.ant-popconfirm').getByRole('button', { name: '撤销', exact: true }).click()
  await expect(line).toHaveCount(0)
  await display.reload()
  await expect(display.getByText('展示链接无效、已过期或已被撤销，请联系管理员重新生成')).toBeVisible()
  await context.close()
})
