import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { modelOf } from './model-records.ts'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'

const INFO = '/api/v1/device/info'

/** A laptop screen is too narrow for all columns. */
async function tagsOf(api: Api, sn: string) {
  const { list } = await api.call<{ list: { tags: string[] }[] }>('GET', `${INFO}/page`, { sn })
  return list[0]?.tags
}

const rowOf = (page: Page, sn: string) => page.getByRole('row', { name: new RegExp(sn) })

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
  // A notification of another journey's job is also an alert of the page.
  const told = page.getByRole('tabpanel', { name: '设备信息' }).getByRole('alert')
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
