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

  const shown = page.getByRole('region', { name: '设备', exact: true }).locator('.kit-tile-figure b')
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

test('the big screen requires a permission', async ({ page, login, staff }) => {
  await login(await staff(['device:apkManage:list']))
  await page.goto('/bigScreen')
  await expect(page.getByText(/没有权限/).first()).toBeVisible()
})
