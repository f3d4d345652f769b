import { expect, test } from './fixtures.ts'
import { fresh } from './people.ts'

test('a user creates a cloud-storage package, takes it off sale and deletes it', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  await page.goto('/ossManage/packageList')
  await page.getByRole('button', { name: '新增套餐' }).first().click()
  const form = page.getByRole('dialog', { name: '新增云存套餐' })
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText('请输入套餐名称', { exact: true })).toBeVisible()
  const packageName = fresh('连续录像')
  await form.getByLabel('套餐名称').fill(packageName)
  await form.getByLabel('套餐编码').fill(fresh('YC'))
  await form.getByLabel('价格').fill('29.9')
  await accessible()
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await page.getByRole('textbox', { name: '套餐名称' }).fill(packageName)
  await page.getByRole('button', { name: '查询' }).click()
  const row = page.getByRole('row', { name: new RegExp(packageName) })
  await expect(row).toContainText('¥29.90')
  await accessible()
  await row.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: packageName })
  await drawer.getByRole('tab', { name: '版本' }).click()
  await expect(drawer).toContainText('版本 1')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '下架' }).click()
  await page.getByRole('dialog', { name: '下架' }).getByRole('button', { name: '下架' }).click()
  await expect(row).toContainText('已下架')
  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await page.getByRole('dialog', { name: '删除' }).getByRole('button', { name: '删除' }).click()
  await expect(row).toBeHidden()
})
