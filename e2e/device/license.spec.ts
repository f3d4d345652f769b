import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { pick } from '../support/pick.ts'

const CERT = ['list', 'query', 'import', 'allot', 'bind', 'plain', 'export', 'threshold'].map(
  (action) => `LicenseManage:Certificate:${action}`,
)
const GRANT = ['list', 'query', 'add', 'audit'].map((action) => `LicenseManage:ConsentManage:${action}`)
const STAT = ['list', 'query'].map((action) => `LicenseManage:StatisticalAnalysis:${action}`)

const letters = (count: number) => [...randomBytes(count)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('')
const rowOf = (page: Page, text: string) => page.getByRole('row', { name: new RegExp(text) })

async function dated(form: Locator, label: string, day: string) {
  const box = form.getByRole('textbox', { name: label })
  await box.fill(day)
  await box.press('Tab')
}

test('MODULE-01 certificates are imported without an invalid row, granted, allotted, bound, revealed and counted', async ({
  page,
  login,
  staff,
  api,
  accessible,
}, info) => {
  const prefix = letters(6)
  const type = `T${letters(5)}`
  const uids = [1, 2, 3, 4].map((n) => `${prefix}-${String(n).padStart(6, '0')}-${letters(5)}`)
  const file = info.outputPath('delivery.csv')
  await writeFile(file, ['*UID,密钥', ...uids.map((uid, at) => `${uid},key-${at + 1}`), 'BROKEN,'].join('\n'))
  const named = info.outputPath('allotment.csv')
  await writeFile(named, `*UID\n${uids[0]}\n`)
  const admin = await api()
  const model = { modelName: `型号${type}`, modelCode: type, typeName: `类型${type}`, typeCode: `t-${type}` }
  const { modelId } = await admin.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', model)
  const sn = `SN-${type}`
  await admin.call('POST', '/api/v1/device/info', { sn, modelId, tenantId: 1 })
  const [clerk, boss] = [await staff([...CERT, ...GRANT, ...STAT], '证书专员'), await staff(GRANT, '审批主管')]

  await login(clerk)
  await page.goto('/LicenseManage/Certificate')
  await page.getByRole('button', { name: '导入证书' }).first().click()
  const dialog = page.getByRole('dialog', { name: '导入证书' })
  await dialog.getByLabel('授权类型').fill(type)
  await dialog.getByLabel('批次号').fill(`B-${type}`)
  await dialog.locator('input[type=file]').setInputFiles(file)
  const preview = dialog.getByRole('table', { name: '文件预览' })
  await expect(preview.getByRole('row', { name: /BROKEN/ })).toContainText('UID格式不正确')
  await expect(preview.getByRole('row', { name: new RegExp(uids[0]!) })).toContainText('格式正确')
  await dialog.getByRole('button', { name: '校验全部' }).click()
  await expect(dialog.getByRole('status')).toContainText('将新增 4 行')
  await expect(dialog.getByRole('status')).toContainText('第 6 行')
  await dialog.getByRole('button', { name: '导入 4 个' }).click()
  await expect(dialog.getByRole('status')).toContainText('已新增 4 行')
  await dialog.getByRole('button', { name: '完成' }).click()
  await page.getByRole('search').getByLabel('UID', { exact: true }).fill(prefix)
  await page.getByRole('button', { name: '查询' }).click()
  const first = rowOf(page, `${prefix}-\\*\\*\\*001`)
  await expect(first).toContainText('未分配')
  await expect(page.getByText(uids[0]!)).toHaveCount(0)
  await accessible()

  await page.goto('/LicenseManage/ConsentManage')
  await page.getByRole('button', { name: '申请授权' }).first().click()
  const form = page.getByRole('dialog', { name: '申请授权' })
  await pick(form.getByLabel('授权类型'), type)
  await form.getByLabel('授权数量').fill('3')
  await dated(form, '生效日期', '2026-01-01')
  await dated(form, '失效日期', '2099-12-31')
  await form.getByRole('button', { name: '提交申请' }).click()
  await expect(form).toBeHidden()
  const grant = rowOf(page, type)
  await expect(grant).toContainText('待审批')
  await expect(grant.getByRole('button', { name: '审批' })).toBeDisabled()

  await login(boss)
  await page.goto('/LicenseManage/ConsentManage')
  await grant.getByRole('button', { name: '审批' }).click()
  const audit = page.getByRole('dialog', { name: /审批授权/ })
  await audit.getByRole('radio', { name: '通过' }).check()
  await audit.getByRole('button', { name: /通\s*过/ }).click()
  await expect(audit).toBeHidden()
  await expect(grant).toContainText('生效中')
  await accessible()

  await login(clerk)
  await page.goto('/LicenseManage/Certificate')
  await page
    .getByRole('button', { name: /^(send )?分配$/ })
    .first()
    .click()
  const wizard = page.getByRole('dialog', { name: '分配证书' })
  await pick(wizard.getByRole('combobox', { name: '分配给客户' }), 'T000001')
  // An allotment by file requires a preview of the file and its count.
  await wizard.getByText('按文件', { exact: true }).click()
  await wizard.locator('input[type=file]').setInputFiles(named)
  await expect(wizard.getByRole('button', { name: '分配', exact: true })).toBeDisabled()
  await wizard.getByRole('button', { name: '核对', exact: true }).click()
  await expect(wizard.getByRole('button', { name: '确认分配 1 个' })).toBeEnabled()
  await wizard.getByText('按数量', { exact: true }).click()
  await wizard.getByLabel('授权类型').fill(type)
  await wizard.getByLabel('数量', { exact: true }).fill('3')
  await wizard.getByRole('button', { name: '下一步' }).click()
  await expect(wizard).toContainText(/将分配 3 个证书/)
  await expect(
    wizard.getByRole('table', { name: '授权核对' }).getByRole('row', { name: new RegExp(type) }),
  ).toContainText('GR')
  await wizard.getByRole('button', { name: '确认分配 3 个' }).click()
  await expect(wizard).toContainText('已分配 3 个证书')
  await wizard.getByRole('button', { name: '完成' }).click()

  await page.getByRole('search').getByLabel('UID', { exact: true }).fill(prefix)
  await page.getByRole('button', { name: '查询' }).click()
  await expect(first).toContainText('已分配')
  await first.getByRole('button', { name: '绑定设备' }).click()
  const bind = page.getByRole('dialog', { name: /绑定设备/ })
  await bind.getByLabel('设备序列号').fill(sn)
  await bind.getByRole('button', { name: '绑定' }).click()
  await expect(bind).toBeHidden()
  await expect(first).toContainText('已绑定')
  await expect(first).toContainText(sn)

  await first.getByRole('button', { name: '查看明文' }).click()
  const reveal = page.getByRole('dialog', { name: /查看明文/ })
  await reveal.getByRole('button', { name: '查看', exact: true }).click()
  await expect(reveal.getByText('请输入原因')).toBeVisible()
  await reveal.getByLabel('原因').fill('售后排查连接问题')
  await reveal.getByRole('button', { name: '查看', exact: true }).click()
  const plain = page.getByRole('dialog', { name: '证书明文' })
  await expect(plain).toContainText(uids[0]!)
  await expect(plain).toContainText('key-1')
  await plain.getByRole('button', { name: '关闭' }).click()
  await expect(page.getByText(uids[0]!)).toHaveCount(0)

  await first.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: new RegExp(`^${prefix}`) })
  await drawer.getByRole('tab', { name: '生命周期' }).click()
  await expect(drawer).toContainText('售后排查连接问题')
  await expect(drawer).toContainText('已分配 → 已绑定')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  await page.goto(`/LicenseManage/StatisticalAnalysis?typeCode=${type}`)
  const batch = rowOf(page, `B-${type}`)
  await expect(batch).toContainText('4')
  await expect(page.getByRole('link', { name: /^已绑定\s*1$/ })).toBeVisible()
  // The tenant's own low-stock threshold is marked in its row.
  const customer = page.getByRole('row').filter({ has: page.getByRole('button', { name: '预警' }) })
  await customer.getByRole('button', { name: '预警' }).click()
  const warn = page.getByRole('dialog', { name: /的库存预警/ })
  await warn.getByLabel('预警数量').fill('9000000')
  await warn.getByRole('button', { name: '保存' }).click()
  await expect(warn).toBeHidden()
  await expect(customer).toContainText('不足')
  await expect(customer).toContainText('低于 9,000,000')
  await expect(page.getByText('个客户未使用的证书低于预警数量')).toBeVisible()
  await accessible()
  await batch.getByRole('link', { name: '1', exact: true }).first().click()
  await expect(page).toHaveURL(/\/LicenseManage\/Certificate\?.*state=0/)
  await expect(rowOf(page, `${prefix}-\\*\\*\\*004`)).toBeVisible()
})
