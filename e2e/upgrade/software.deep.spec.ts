import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, TestInfo } from '@playwright/test'
import pg from 'pg'
import { DATA_DIR_NOTE } from '../support/database.ts'
import { expect, test } from '../support/fixtures.ts'
import { makeFleet } from '../support/fleet.ts'
import { expectSwitched, pick } from '../support/pick.ts'

const ACTIONS = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'uploadComp', 'export']
const PACKAGER = ACTIONS.map((key) => `upgrade:GeneralSoftware:${key}`)
const EDITOR = ACTIONS.map((key) => `upgrade:ota:${key}`)
const unique = () => randomBytes(3).toString('hex')

const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const save = (page: Page) => page.getByRole('button', { name: '保存', exact: true }).click()

async function chooseModel(page: Page, code: string) {
  await pick(page.getByRole('combobox', { name: '设备型号' }), code)
}

async function fillVersion(page: Page, info: TestInfo, verCode: string, verName: string) {
  await field(page, '版本号').fill(verCode)
  await field(page, '版本名称').fill(verName)
  await field(page, '发布日期').fill('2030-01-01 08:00:00')
  await field(page, '发布日期').press('Tab')
  const path = info.outputPath('package.bin')
  await writeFile(path, randomBytes(40_000))
  await page.locator('input[type=file]').first().setInputFiles(path)
  await expect(page.getByText('组件上传成功')).toBeVisible()
}

test('a version of an App package is created, edited, enabled and signed', async ({
  page,
  login,
  staff,
  accessible,
}, info) => {
  test.slow()
  const { modelCode } = await makeFleet(1)
  const name = `语音助手 ${unique()}`
  await login(await staff(PACKAGER, '应用工程师'))
  await page.goto('/upgrade/GeneralSoftware')
  await page.getByRole('link', { name: '新增软件包' }).first().click()
  await expect(page).toHaveURL(/\/AddSoftware$/)
  await chooseModel(page, modelCode)
  await field(page, '包名').fill('Com.OMS')
  await field(page, '包名').press('Tab')
  await expect(page.getByText('包名只能包含小写字母、数字和 . _ -')).toBeVisible()
  await field(page, '包名').fill('com.oms.voice')
  await accessible()
  await fillVersion(page, info, '12', name)
  await save(page)
  await expect(page.getByText('新增成功')).toBeVisible()
  await expect(page).toHaveURL(/\/upgrade\/GeneralSoftware/)

  const row = page.getByRole('row', { name: new RegExp(name) })
  await expect(row).toContainText('com.oms.voice')
  await row.getByRole('button', { name: '编辑' }).click()
  await expect(page).toHaveURL(/\/EditSoftware\/\d+$/)
  await expect(field(page, '版本名称')).toHaveValue(name)
  await field(page, '版本描述').fill('更快的唤醒')
  await save(page)
  await expect(page.getByText('修改成功')).toBeVisible()

  await row.getByRole('switch').click()
  await expect(page.getByRole('dialog')).toContainText(`启用软件包版本「${name}」（12）？`)
  await page.getByRole('dialog').getByRole('button', { name: '启用', exact: true }).click()
  await expect(page.getByText('启用成功')).toBeVisible()
  await expectSwitched(row.getByRole('switch'), true)
  await row.getByRole('button', { name: '详情' }).click()
  const details = page.getByRole('dialog')
  await expect(details.getByText('com.oms.voice').first()).toBeVisible()
  const signature = details.getByRole('region', { name: '签名' })
  await expect(signature).toContainText('已签名')
  await expect(signature).toContainText('签名与清单一致')
  await signature.getByRole('button', { name: '重新核对文件' }).click()
  await expect(signature).toContainText('1 个组件的文件与清单一致')
  const download = page.waitForEvent('download')
  await signature.getByRole('button', { name: '下载清单' }).click()
  const manifest = JSON.parse(readFileSync(await (await download).path(), 'utf8'))
  expect(manifest).toMatchObject({
    kind: 'software',
    package: 'com.oms.voice',
    model: modelCode,
    verCode: 12,
    release: 1,
  })
  await accessible()
})

test('a user with permissions only for software packages publishes a package and has no access to firmware', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  test.slow()
  const [app, firmware] = [await makeFleet(3, 'com.oms.voice'), await makeFleet(3)]
  const RELEASER = ['list', 'query', 'white', 'whiteAll', 'publish', 'task', 'push']
  await login(
    await staff(
      RELEASER.map((key) => `upgrade:GeneralSoftware:${key}`),
      '应用发布人',
    ),
  )
  await page.goto(`/upgrade/GeneralSoftware?verName=${encodeURIComponent(app.verName)}`)
  await page
    .getByRole('row', { name: new RegExp(app.verName) })
    .getByRole('button', { name: '发布', exact: true })
    .click()
  await expect(page).toHaveURL(new RegExp(`/upgrade/GeneralSoftware/release/${app.otaId}$`))
  await expect(page.getByRole('heading', { name: `${app.verName}（200）` })).toBeVisible()
  await expect(page.locator('.kit-head-facts').filter({ visible: true })).toContainText('软件包com.oms.voice')
  await page.getByRole('button', { name: '去添加设备' }).click()
  const first = page.getByRole('row', { name: new RegExp(app.sns[0] as string) })
  await first.getByRole('button', { name: '加入' }).click()
  await expect(page.getByText('加入成功！新加入 1 台')).toBeVisible()
  await expect(page.getByRole('tab', { name: '白名单（1）' })).toBeVisible()
  await accessible()
  await page.getByRole('button', { name: '发布', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: new RegExp(`发布「${app.verName}」`) })
  await sheet.getByRole('radio', { name: '一次性按比例' }).check()
  await sheet.getByRole('button', { name: '发布', exact: true }).click()
  await expect(page.getByText('发布成功')).toBeVisible()
  await page.getByRole('tab', { name: '策略与历史' }).click()
  await expect(page.getByText(`正式发布软件包版本「${app.verName}」(com.oms.voice 200)`)).toBeVisible()

  await page.goto(`/upgrade/ota/release/${firmware.otaId}`)
  await expect(
    page
      .getByText('您没有权限')
      .or(page.getByRole('heading', { name: '错误页面' }))
      .first(),
  ).toBeVisible()
  await page.goto(`/upgrade/GeneralSoftware/release/${firmware.otaId}`)
  await expect(page.getByText('版本不存在或已被删除').first()).toBeVisible()
})

test('an alarm stays above the list until a user acknowledges it', async ({ page, login, staff }) => {
  const { otaId, verName } = await makeFleet(1)
  const message = `固件版本「${verName}」(200)的组件「主程序」文件已损坏或丢失，版本已自动停用`
  const client = new pg.Client({ host: join(readFileSync(DATA_DIR_NOTE, 'utf8'), 'run'), user: 'oms', database: 'oms' })
  await client.connect()
  await client.query('insert into ota_alarms (tenant_id, ota_id, kind, message) values (1, $1, 1, $2)', [
    otaId,
    message,
  ])
  await client.end()
  await login(await staff(EDITOR))
  await page.goto('/upgrade/ota')
  const alarm = page.getByRole('region', { name: '告警' }).getByRole('alert').filter({ hasText: verName })
  await expect(alarm).toContainText(message)
  await alarm.getByRole('button', { name: '知道了' }).click()
  await expect(page.getByText('告警已关闭')).toBeVisible()
  await expect(alarm).toBeHidden()
})

test('a dialog that is still opening does not take the focus from a field while the user types', async ({
  page,
  login,
}) => {
  await login()
  await page.goto('/AddOta')
  // Simulates a slow machine: the dialog accepts input before its opening animation ends.
  const held = await page.addStyleTag({ content: '.ant-zoom-appear { animation-play-state: paused !important }' })
  await page.getByRole('combobox', { name: '设备型号' }).click()
  await page.getByRole('button', { name: '新增型号' }).click()
  const dialog = page.getByRole('dialog', { name: '新增型号' })
  await dialog.getByLabel('型号名称').fill('甲')
  await dialog.getByLabel('型号编码').fill('A')
  await expect(page.locator('.ant-zoom-appear')).toHaveCount(1)
  await held.evaluate((style) => (style as HTMLElement).remove())
  await expect(page.locator('.ant-zoom-appear')).toHaveCount(0)
  await expect(dialog.getByLabel('型号编码')).toBeFocused()
})
