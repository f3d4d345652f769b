import { randomBytes } from 'node:crypto'
import { open, writeFile } from 'node:fs/promises'
import type { Page, TestInfo } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { expectSwitched, pick } from '../support/pick.ts'

const EDITOR = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'uploadComp', 'export'].map(
  (key) => `upgrade:ota:${key}`,
)
const MIB = 1024 * 1024
const unique = () => randomBytes(3).toString('hex')

/** Creates a file of the given size; only some bytes have content. */
async function fileOf(info: TestInfo, name: string, bytes: number, random = true) {
  const path = info.outputPath(name)
  if (random) await writeFile(path, randomBytes(bytes))
  else {
    const file = await open(path, 'w')
    await file.truncate(bytes)
    await file.close()
  }
  return path
}

/** Creates a model from the version form; the form then selects the model. */
async function newModel(page: Page, name: string) {
  const dialog = page.getByRole('dialog', { name: '新增型号' })
  await page.getByRole('combobox', { name: '设备型号' }).click()
  await page.getByRole('button', { name: '新增型号' }).click()
  await dialog.getByLabel('型号名称').fill(name)
  await dialog.getByLabel('型号编码').fill(name)
  await dialog.getByText('新增类型').click()
  await dialog.getByLabel('类型名称').fill(`类型${name}`)
  await dialog.getByLabel('类型编码').fill(`t-${name}`)
  await dialog.getByRole('button', { name: '保存' }).click()
  await expect(dialog).toBeHidden()
}

async function fillVersion(page: Page, verCode: string, verName: string) {
  await field(page, '版本号').fill(verCode)
  await field(page, '版本名称').fill(verName)
  await field(page, '发布日期').fill('2030-01-01 08:00:00')
  await field(page, '发布日期').press('Tab')
}

/** Limits a locator to the visible tab: pages of other tabs stay hidden in the document. */
const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const chooseFile = (page: Page, path: string) => page.locator('input[type=file]').first().setInputFiles(path)
const save = (page: Page) => page.getByRole('button', { name: '保存', exact: true }).click()

test('OTA-01 OTA-02 OTA-08 OTA-09 OTA-12 ROUTE-06 a version with a component is created, edited and enabled, and then keeps number, model and component', async ({
  page,
  login,
  staff,
  accessible,
}, info) => {
  const model = `M${unique()}`
  await login(await staff(EDITOR, '固件工程师'))
  await page.goto('/upgrade/ota')
  await page.getByRole('link', { name: '新增固件' }).first().click()
  await expect(page).toHaveURL(/\/AddOta$/)
  await newModel(page, model)
  await fillVersion(page, '100', `首版 ${model}`)
  await field(page, '最低适用版本').fill('1')
  await field(page, '最高适用版本').fill('99')
  await expect(page.getByRole('status').filter({ hasText: '适用 1～99' })).toBeVisible()
  await chooseFile(page, await fileOf(info, 'firmware-1.0.bin', 20 * MIB))
  await expect(page.getByText('组件上传成功')).toBeVisible()
  await expect(page.getByRole('group', { name: '组件 1' })).toContainText('20 MB')
  await expect(field(page, '组件名称')).toHaveValue('firmware-1.0')
  // A reload keeps the uploaded component, whose type follows from the file name.
  await page.reload()
  await expect(page.getByText('已恢复上次未保存的内容')).toBeVisible()
  await expect(page.getByRole('group', { name: '组件 1' })).toContainText('firmware-1.0.bin')
  await expect(page.getByRole('group', { name: '组件 1' })).toContainText('固件')
  await accessible()
  await save(page)
  await expect(page.getByText('新增成功')).toBeVisible()
  await expect(page).toHaveURL(/\/upgrade\/ota/)
  await expect(page.getByRole('tab', { name: '新增固件' })).toBeHidden()

  const row = page.getByRole('row', { name: new RegExp(model) })
  await expect(row).toContainText('草稿')
  await row.getByRole('button', { name: '编辑' }).click()
  await expect(page).toHaveURL(/\/EditOta\/\d+$/)
  const address = page.url()
  await expect(field(page, '版本名称')).toHaveValue(`首版 ${model}`)
  await field(page, '版本描述').fill('修复夜视偏色')
  await save(page)
  await expect(page.getByText('修改成功')).toBeVisible()

  await row.getByRole('switch').click()
  await page.getByRole('dialog').getByRole('button', { name: '启用' }).click()
  await expect(page.getByText('启用成功')).toBeVisible()
  await expectSwitched(row.getByRole('switch'), true)
  await accessible()

  await page.goto(address)
  await expect(page.getByText('启用过的版本只能修改名称、日期、适用范围和描述')).toBeVisible()
  await expect(field(page, '版本号')).toBeDisabled()
  await expect(page.getByRole('combobox', { name: '设备型号' })).toBeDisabled()
  await expect(page.getByRole('button', { name: '下载 firmware-1.0' })).toBeVisible()
  await expect(page.getByText('重新上传')).toBeHidden()
  await field(page, '版本描述').fill('修复夜视偏色和断连')
  await accessible()
  await save(page)
  await expect(page.getByText('修改成功')).toBeVisible()
  await expect(page).toHaveURL(/\/upgrade\/ota/)
})

test('OTA-03 OTA-04 OTA-05 OTA-06 OTA-07 OTA-12 the form shows its errors, refuses non-digits, and keeps the input after a refused save', async ({
  page,
  login,
  api,
}) => {
  const name = `N${unique()}`
  const admin = await api()
  const made = await admin.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', {
    modelName: name,
    modelCode: name,
    typeName: `类型${name}`,
    typeCode: `t-${name}`,
  })
  const otaVersion = { modelId: made.modelId, verCode: 7, verName: '已有', releaseDate: '2030-01-01 08:00:00' }
  await admin.call('POST', '/api/v1/device/ota/ver', { otaVersion, components: [] })

  await login()
  await page.goto('/AddOta')
  await save(page)
  for (const text of [
    '请选择设备型号',
    '请输入版本号',
    '请输入版本名称',
    '请选择发布日期',
    '请输入组件名称',
    '请上传组件',
  ])
    await expect(page.getByText(text, { exact: true })).toBeVisible()
  await page.getByRole('button', { name: '移除组件 1' }).click()
  await page.getByRole('button', { name: '移除', exact: true }).click()
  await expect(page.getByText('还没有「固件」类型的组件，设备收到该版本后没有可安装的固件')).toBeVisible()

  await pick(page.getByRole('combobox', { name: '设备型号' }), name)
  await field(page, '版本号').pressSequentially('v7-x')
  await field(page, '版本号').press('Tab')
  await expect(page.getByText('版本号必须为数字值', { exact: true })).toBeVisible()
  await field(page, '版本号').fill('7')
  await field(page, '最低适用版本').pressSequentially('1a2')
  await expect(field(page, '最低适用版本')).toHaveValue('12')
  await field(page, '最高适用版本').fill('3')
  await field(page, '版本名称').fill('重复')
  await field(page, '发布日期').fill('2030-01-01 08:00:00')
  await field(page, '发布日期').press('Tab')
  await save(page)
  await expect(page.getByText('最低适用版本不能大于最高适用版本')).toBeVisible()
  await field(page, '最高适用版本').fill('')
  await save(page)
  await expect(page.getByText('版本号已存在').first()).toBeVisible()
  await expect(page).toHaveURL(/\/AddOta$/)
  await expect(field(page, '版本名称')).toHaveValue('重复')
  await expect(field(page, '最低适用版本')).toHaveValue('12')
})

test('cancelling the form of a version returns to the list with its filter', async ({ page, login, staff }) => {
  await login(await staff(EDITOR, '固件工程师'))
  await page.goto('/upgrade/ota?verName=%E7%A7%8B%E5%AD%A3')
  await expect(field(page, '版本名称')).toHaveValue('秋季')
  await page.getByRole('link', { name: '新增固件' }).first().click()
  await expect(page).toHaveURL(/\/AddOta$/)
  await page.getByRole('button', { name: /^取\s*消$/ }).click()
  await expect(page).toHaveURL(/\/upgrade\/ota\?.*verName=/)
  await expect(field(page, '版本名称')).toHaveValue('秋季')
})

test('OTA-09 a component file one byte over 300 MB is refused with the specified message', async ({
  page,
  login,
  api,
}, info) => {
  await login()
  await page.goto('/AddOta')
  const size = 300 * MIB + 1
  await chooseFile(page, await fileOf(info, 'too-large.bin', size, false))
  await expect(page.getByText('组件不可超过300mb,请重新选择上传')).toBeVisible()
  const upload = { purpose: 'component', name: 'too-large.bin', size, fingerprint: unique() }
  await expect((await api()).call('POST', '/api/v1/file/parts/begin', upload)).rejects.toThrow(
    '组件不可超过300mb,请重新选择上传',
  )
})

test('OTA-09 an upload interrupted by a reload continues at the same part', async ({ page, login }, info) => {
  await login()
  await page.goto('/AddOta')
  const path = await fileOf(info, 'large.bin', 20 * MIB)
  // The first part is uploaded; the second fails with a network error.
  await page.route(/\/file\/parts\/[0-9a-f]+\/1(\?|$)/, () => {})
  const first = page.waitForResponse(/\/file\/parts\/[0-9a-f]+\/0(\?|$)/)
  await chooseFile(page, path)
  await first
  await expect(page.getByText(/^上传中/)).toBeVisible()
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await expect(page.getByText(/「large.bin」上次传到 4\d%，重新选择该文件即可继续/)).toBeVisible()

  await page.unroute(/\/file\/parts\/[0-9a-f]+\/1(\?|$)/)
  const sent: string[] = []
  page.on('request', (request) => {
    const part = /\/file\/parts\/[0-9a-f]+\/(\d+)/.exec(request.url())?.[1]
    if (part) sent.push(part)
  })
  await chooseFile(page, path)
  await expect(page.getByText('组件上传成功')).toBeVisible()
  expect(sent).toEqual(['1', '2'])
})

test('OTA-10 the upload button is hidden without the permission upgrade:ota:uploadComp', async ({
  page,
  login,
  staff,
}) => {
  await login(await staff(EDITOR.filter((permission) => !permission.endsWith('uploadComp'))))
  await page.goto('/AddOta')
  await expect(page.getByText('您没有上传组件的权限')).toBeVisible()
  await expect(page.getByRole('button', { name: '上传组件' })).toBeHidden()
})
