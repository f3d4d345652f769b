import type { Locator, Page } from '@playwright/test'
import { modelOf } from './model-records.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { expectSwitched, pick } from '../support/pick.ts'

const INFO = '/api/v1/device/info'

const rowOf = (page: Page, sn: string) => page.getByRole('row', { name: new RegExp(sn) })

async function more(page: Page, row: Locator, action: string) {
  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test('MODULE-01 a new device token is shown once, and the page of the device says that a token exists', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const { code, modelName } = await modelOf(await api())
  const sn = fresh('DEV-')
  await login()
  await page.goto('/device/apkManage')
  await page.getByRole('button', { name: '新增设备' }).first().click()
  const form = page.getByRole('dialog', { name: '新增设备' })
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText('请输入序列号', { exact: true })).toBeVisible()
  await form.getByLabel('序列号', { exact: true }).fill(sn)
  await form.getByLabel('设备名称').fill('前台摄像机')
  await pick(form.getByRole('combobox', { name: '设备型号' }), code)
  await form.getByLabel('固件版本号').fill('1200')
  await form.getByText('更多信息').click()
  await form.getByLabel('标签').fill('样机')
  await page.keyboard.press('Enter')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await page.getByRole('search').getByLabel('序列号', { exact: true }).fill(sn.slice(2))
  await page.getByRole('button', { name: '查询' }).click()
  const row = rowOf(page, sn)
  await expect(row).toContainText(modelName)
  await more(page, row, '生成令牌')
  await page.getByRole('dialog', { name: '生成令牌' }).getByRole('button', { name: '生成令牌' }).click()
  const shown = page.getByRole('dialog', { name: '设备令牌' })
  await expect(shown).toContainText(sn)
  expect((await shown.locator('strong').textContent())?.trim()).toMatch(/^[A-Za-z0-9]{32}$/)
  await shown.getByRole('button', { name: '我已保存' }).click()
  await expect(shown).toBeHidden()

  await row.getByRole('link', { name: sn }).click()
  await expect(page.getByRole('heading', { name: `前台摄像机（${sn}）` })).toBeVisible()
  await expect(page.getByText('已生成', { exact: true })).toBeVisible()
  await expect(page.locator('.kit-tags').filter({ visible: true, hasText: '样机' })).toHaveCount(1)
  await page.getByRole('tab', { name: '版本历史' }).click()
  await expect(page.getByRole('tabpanel', { name: '版本历史' })).toContainText('人工录入')
  await page.getByRole('tab', { name: '操作记录' }).click()
  await expect(page.getByRole('tabpanel', { name: '操作记录' })).toContainText(`生成设备令牌：「前台摄像机（${sn}）」`)
  await page.getByRole('tab', { name: '设备属性' }).click()
  await expect(page.getByRole('tabpanel', { name: '设备属性' })).toContainText('下次连接时将重新上报')
  await accessible()

  await page.getByRole('switch').click()
  await page.getByRole('dialog').getByRole('button', { name: '停用' }).click()
  await expectSwitched(page.getByRole('switch'), false)
})

test('a read-only user sees the devices and no buttons that change devices', async ({ page, login, staff, api }) => {
  const admin = await api()
  const { modelId } = await modelOf(admin)
  const sn = fresh('LOOK-')
  const { id } = await admin.call<{ id: number }>('POST', INFO, { sn, modelId })
  await login(await staff(['device:apkManage:list', 'device:apkManage:query']))
  await page.goto(`/device/apkManage?sn=${sn}`)
  const row = rowOf(page, sn)
  await expect(row.getByRole('switch')).toBeDisabled()
  for (const name of ['新增设备', '导入', '导出', '编辑'])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await row.getByRole('button', { name: '详情' }).click()
  await expect(page).toHaveURL(new RegExp(`/device/apkManage/detail/${id}$`))
  await expect(page.getByRole('heading', { name: sn })).toBeVisible()
})
