import { expect, test } from '../support/fixtures.ts'

const LIST = '/advertiseManage/adList'
const rights = (...actions: string[]) => actions.map((action) => `advertiseManage:adList:${action}`)
const AUTHOR = rights('list', 'query', 'add', 'edit', 'upload', 'submit')
const AUDITOR = rights('list', 'query', 'audit')
/** A PNG of one grey pixel, which every browser and server decodes. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('AD-02 AD-03 one account uploads and submits an ad, and another account approves the ad', async ({
  page,
  login,
  staff,
  context,
  accessible,
}) => {
  test.setTimeout(180_000)
  const [author, auditor] = [await staff(AUTHOR, '投放员'), await staff(AUDITOR, '审核员')]
  const name = `开业海报${Date.now() % 100_000}`
  await login(author)
  await page.goto(LIST)
  await page.getByRole('button', { name: '新增广告' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('广告名称').fill(name)
  await page.getByLabel('选择素材').setInputFiles({ name: '海报.png', mimeType: 'image/png', buffer: PNG })
  const line = page.locator('.ad-material')
  await expect(line).toContainText('1×1 · 70 B', { timeout: 60_000 })
  await form.getByLabel('广告主', { exact: true }).fill('春风茶饮')
  await accessible()
  await page.getByRole('button', { name: '保存' }).click()
  const row = page.getByRole('row').filter({ hasText: name })
  await expect(row).toContainText('草稿')
  await row.getByRole('button', { name: '提交审核' }).click()
  await expect(page.getByText('已提交审核')).toBeVisible()
  await expect(row).toContainText('待审核')
  await expect(row.getByRole('button', { name: '编辑' })).toHaveCount(0)

  await context.clearCookies()
  await login(auditor)
  await page.goto(`${LIST}?auditStatus=1`)
  await row.getByRole('button', { name: '审核' }).click()
  const drawer = page.locator('.ant-drawer').filter({ hasText: `审核广告「${name}」` })
  const preview = page.frameLocator('iframe[title^="预览"]')
  await expect(preview.locator('.layer-shown img')).toBeVisible({ timeout: 30_000 })
  await expect(drawer.getByLabel('提交的内容')).toContainText('春风茶饮')
  await drawer.getByRole('button', { name: /通\s*过/ }).click()
  await expect(page.getByText('请勾选全部审核要点').first()).toBeVisible()
  for (const box of await drawer.getByRole('checkbox').all()) await box.check()
  await drawer.getByRole('button', { name: /通\s*过/ }).click()
  await expect(page.getByText('审核完成')).toBeVisible()
  await page.goto(LIST)
  await expect(row).toContainText('已通过')
})
