import type { Request } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'

test('MODULE-01 the home page shows exactly the blocks that an account may see', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  const seen: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/v1/home/')) seen.push(new URL(response.url()).search)
  })
  await login(await staff(['device:apkManage:list'], '周工'))
  await page.goto('/indexScreen')
  await expect(page.getByRole('region', { name: '设备', exact: true }).getByText('在线')).toBeVisible()
  await expect(page.getByRole('region', { name: '设备分布' })).toBeVisible()
  await expect(page.getByRole('region', { name: '趋势' })).toBeVisible()
  await expect(page.getByRole('region', { name: '客户' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: '待处理工单' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: '打开运营大屏' })).toHaveCount(0)
  // The page requests only permitted blocks instead of hiding the others.
  expect(seen.filter((query) => /tenants|tickets|licenses|accounts/.test(query))).toEqual([])
  await accessible()
})

test('MODULE-01 a block that fails to load has its own retry button, and a new device appears without a reload', async ({
  page,
  login,
  api,
}) => {
  await login()
  const isPressed = () => page.evaluate(() => document.documentElement.dataset['pressed'] === 'yes')
  // A change by another journey loads the block again, so only the press ends the failure.
  await page.route(/home\/summary\?block=firmware$/, async (route) =>
    (await isPressed()) ? route.continue() : route.fulfill({ status: 500, body: '' }),
  )
  await page.goto('/indexScreen')
  const firmware = page.getByRole('region', { name: '固件版本' })
  await expect(firmware.getByText('加载失败')).toBeVisible()
  await expect(page.getByRole('region', { name: '设备', exact: true }).getByText('在线')).toBeVisible()
  await page.evaluate(() =>
    document.addEventListener('click', () => (document.documentElement.dataset['pressed'] = 'yes'), true),
  )
  await firmware.getByRole('button', { name: '重试' }).click()
  await expect(firmware.getByText(/已启用/)).toBeVisible()

  const shown = page.getByRole('region', { name: '设备', exact: true }).locator('.home-value')
  const count = async () =>
    Number(/^[\d,]+/.exec((await shown.textContent()) ?? '')?.[0].replaceAll(',', '') ?? Number.NaN)
  const before = await count()
  const admin = await api()
  const code = fresh('HOME')
  const { modelId } = await admin.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', {
    modelName: code,
    modelCode: code,
    typeName: code,
    typeCode: code,
  })
  await admin.call('POST', '/api/v1/device/info', { sn: code, modelId, tenantId: 1 })
  await expect.poll(count, { timeout: 30_000 }).toBeGreaterThan(before)
})

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

test('the big screen requires a permission', async ({ page, login, staff }) => {
  await login(await staff(['device:apkManage:list']))
  await page.goto('/bigScreen')
  await expect(page.getByText(/没有权限/).first()).toBeVisible()
})
