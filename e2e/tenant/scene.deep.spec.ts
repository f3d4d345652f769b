import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

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

test('a new scene with a cover is listed, shown in its drawer and offered in the form of a new tenant', async ({
  page,
  login,
  accessible,
}) => {
  const name = fresh('场景')
  await login()
  await page.goto('/system/sceneManagement')
  await page.getByRole('button', { name: '新增场景' }).first().click()
  const form = page.getByRole('dialog', { name: '新增业务场景' })
  await form.getByLabel('场景名称').fill(name)
  await form.getByLabel('场景编码').fill(fresh('scene_'))
  await form.locator('input[type=file]').setInputFiles({ name: '封面.png', mimeType: 'image/png', buffer: PNG })
  await expect(form.getByRole('img', { name: '图片 1' })).toBeVisible()
  await shot(page, 'scene-form')
  await accessible()
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toBeVisible()
  await shot(page, 'scene-list')
  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '详情' }).click()
  const details = page.getByRole('dialog', { name: `业务场景「${name}」` })
  await expect(details.getByRole('img', { name: '图片 1' })).toBeVisible()
  await shot(page, 'scene-drawer')
  await page.setViewportSize(PHONE)
  await shot(page, 'scene-drawer-phone')
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.goto('/tenantManage/tenant')
  await page.getByRole('button', { name: '新增客户' }).first().click()
  const customer = page.getByRole('dialog', { name: '新增客户' })
  await pick(customer.getByLabel('业务场景'), name)
  await expect(customer.getByTitle(name)).toBeVisible()
  await shot(page, 'tenant-scenes')
})
