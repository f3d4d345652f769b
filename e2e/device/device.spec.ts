import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { expectSwitched, pick } from '../support/pick.ts'

const INFO = '/api/v1/device/info'

/** Creates a model for new devices and returns its code. */
async function modelOf(api: Api) {
  const code = fresh('M')
  const model = { modelName: `型号${code}`, modelCode: code, typeName: `类型${code}`, typeCode: `t-${code}` }
  const { modelId } = await api.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', model)
  return { code, modelId, modelName: model.modelName }
}

/** A laptop screen is too narrow for all columns. */
async function tagsOf(api: Api, sn: string) {
  const { list } = await api.call<{ list: { tags: string[] }[] }>('GET', `${INFO}/page`, { sn })
  return list[0]?.tags
}

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
  await expect(page.locator('.device-tags').filter({ visible: true })).toContainText('样机')
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

test('MODULE-01 a search by pasted serial numbers reports unknown numbers, and all found devices are tagged together', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const { modelId } = await modelOf(admin)
  const sns = [fresh('PASTE-'), fresh('PASTE-')] as const
  for (const sn of sns) await admin.call('POST', INFO, { sn, modelId })
  const missing = fresh('NOBODY-')
  await login()
  await page.goto('/device/apkManage')
  await page.getByRole('button', { name: '批量查找' }).click()
  const paste = page.getByRole('dialog', { name: '按序列号批量查找' })
  await paste.getByLabel('序列号列表').fill([...sns, missing, sns[0]].join('\n'))
  await expect(paste.getByRole('status')).toHaveText('共 3 个序列号')
  await paste.getByRole('button', { name: '查找', exact: true }).click()
  const told = page.getByRole('alert')
  await expect(told).toContainText('按 3 个序列号查找：找到 2 台，1 个未找到')
  for (const sn of sns) await expect(rowOf(page, sn)).toBeVisible()
  await expect(page.getByText('共 2 条')).toBeVisible()
  await accessible()
  await told.getByRole('button', { name: '查看未找到的' }).click()
  const list = page.getByRole('dialog', { name: '未找到的序列号（1）' })
  await expect(list).toContainText(missing)
  await page.keyboard.press('Escape')
  await expect(list).toBeHidden()

  await told.getByRole('button', { name: '批量操作全部 2 台' }).click()
  await page.getByRole('menuitem', { name: '修改标签' }).click()
  const tags = page.getByRole('dialog', { name: '修改标签（2 台）' })
  await tags.getByLabel('添加标签').fill('展会')
  await page.keyboard.press('Enter')
  await tags.getByRole('button', { name: '保存' }).click()
  await expect(tags).toBeHidden()
  for (const sn of sns) expect(await tagsOf(admin, sn)).toEqual(['展会'])

  await page.getByRole('checkbox', { name: '选择本页全部' }).check()
  await page.getByRole('button', { name: '更多操作' }).click()
  await page.getByRole('menuitem', { name: '批量生成令牌' }).click()
  const dialog = page.getByRole('dialog', { name: '批量生成令牌（2 台）' })
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: '生成并下载' }).click()
  const file = await readFile(await (await downloading).path(), 'utf8')
  for (const sn of sns) expect(file).toMatch(new RegExp(`${sn},[A-Za-z0-9]{32}\r\n`))
  await page.getByRole('dialog', { name: '已生成 2 个令牌并下载' }).getByRole('button', { name: '知道了' }).click()
  await told.getByRole('button', { name: '清除' }).click()
  await expect(told).toBeHidden()
})

test('MODULE-01 a dry run checks each row of a device table, and the import skips the invalid row', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const { code } = await modelOf(admin)
  const [good, other] = [fresh('IMP-'), fresh('IMP-')]
  const table = `序列号,设备名称,型号编码,标签\n${good},一号,${code},样机、展厅\n${other},二号,${code}NO,\n`
  await login()
  await page.goto('/device/apkManage')
  await page.getByRole('button', { name: '导入' }).first().click()
  const modal = page.getByRole('dialog', { name: '导入设备' })
  await modal
    .locator('input[type=file]')
    .setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(table) })
  await modal.getByRole('button', { name: '校验' }).click()
  await expect(modal.getByText(`型号编码「${code}NO」不存在或已停用`)).toBeVisible()
  await modal.getByRole('button', { name: '导入 1 行' }).click()
  await modal.getByRole('button', { name: '完成' }).click()
  await page.getByRole('search').getByLabel('序列号', { exact: true }).fill(good)
  await page.getByRole('button', { name: '查询' }).click()
  await expect(rowOf(page, good)).toBeVisible()
  expect(await tagsOf(admin, good)).toEqual(['样机', '展厅'])
  await expect(page.getByText('共 1 条')).toBeVisible()
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
