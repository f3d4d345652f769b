import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { openOptions, pick } from '../support/pick.ts'

const SHOTS = process.env.E2E_SHOTS
const PHONE = { width: 390, height: 844 }
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Saves a screenshot when requested. */
async function shot(page: Page, name: string) {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` })
}

test('the form of a new tenant lists the recommended scenes of its industry first, without selecting them', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const [industry, type, name] = [fresh('行业'), fresh('类型'), fresh('场景')]
  const top = await admin.call<{ id: number }>('POST', '/api/v1/tenant/industry', {
    name: industry,
    code: fresh('I_').toUpperCase(),
  })
  const below = fresh('下级')
  await admin.call('POST', '/api/v1/tenant/industry', {
    name: below,
    code: fresh('J_').toUpperCase(),
    parentId: top.id,
  })
  await admin.call('POST', '/api/v1/device/type', { typeName: type, typeCode: fresh('t') })
  await login()
  await page.goto('/system/sceneManagement')
  await page.getByRole('button', { name: '新增场景' }).first().click()
  const form = page.getByRole('dialog', { name: '新增业务场景' })
  await form.getByLabel('场景名称').fill(name)
  await form.getByLabel('场景编码').fill(fresh('scene_'))
  await form.locator('input[type=file]').setInputFiles({ name: '封面.png', mimeType: 'image/png', buffer: PNG })
  await expect(form.getByRole('img', { name: '图片 1' })).toBeVisible()
  await form.getByLabel('推荐行业').fill(industry)
  await page.locator('.ant-select-tree-title', { hasText: industry }).click()
  // The open tree can cover the next field.
  await form.getByLabel('场景名称').click()
  await expect(page.locator('.ant-select-tree')).toBeHidden()
  await pick(form.getByLabel('适用设备类型'), type)
  await form.getByLabel('场景名称').click()
  await shot(page, 'scene-form')
  await accessible()
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText(industry)
  await shot(page, 'scene-list')
  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '详情' }).click()
  const details = page.getByRole('dialog', { name: `业务场景「${name}」` })
  await expect(details).toContainText(type)
  await expect(details.getByRole('img', { name: '图片 1' })).toBeVisible()
  await shot(page, 'scene-drawer')
  await page.setViewportSize(PHONE)
  await shot(page, 'scene-drawer-phone')
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.goto('/tenantManage/tenant')
  await page.getByRole('button', { name: '新增客户' }).first().click()
  const customer = page.getByRole('dialog', { name: '新增客户' })
  await customer.getByLabel('所属行业').fill(below)
  await page.locator('.ant-select-tree-title', { hasText: below }).click()
  const scenes = await openOptions(customer.getByLabel('业务场景'))
  await expect(scenes.first()).toHaveText(`${name}（推荐）`)
  await expect(scenes.and(page.locator('.ant-select-item-option-selected')).filter({ hasText: name })).toHaveCount(0)
  await shot(page, 'tenant-scenes')
  await page.keyboard.press('Escape')
  await customer.getByRole('button', { name: '加上该行业推荐的 1 个场景' }).click()
  await expect(customer.getByTitle(`${name}（推荐）`)).toBeVisible()
  await expect(customer.getByRole('button', { name: /加上该行业推荐/ })).toHaveCount(0)
})
