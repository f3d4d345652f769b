import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const PERMISSIONS = ['list', 'query', 'open', 'import', 'audit'].map((action) => `ossManage:deviceList:${action}`)

/** Creates a package and two cameras; returns the name of the package and the serial numbers. */
async function makeCameras(admin: Api) {
  const name = fresh('批')
  const type = { typeName: name, typeCode: fresh('cloud-') }
  const { id: typeId } = await admin.call<{ id: number }>('POST', '/api/v1/device/type', type)
  const model = { typeId, modelName: name, modelCode: fresh('CM-'), cloudChannels: 1 }
  const { id: modelId } = await admin.call<{ id: number }>('POST', '/api/v1/device/model', model)
  const sns = [fresh('CAM'), fresh('CAM')]
  for (const sn of sns) await admin.call('POST', '/api/v1/device/info', { sn, modelId, tenantId: 1, devName: '门口' })
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 2900, channels: 1 }
  await admin.call('POST', '/api/v1/oss/package', { packageName: name, packageCode: fresh('PK'), ...terms })
  return { name, sns }
}

test('STORAGE-12 a user opens cloud storage by a file after a dry run, and another person approves it', async ({
  page,
  login,
  staff,
  api,
  accessible,
  putBack,
}) => {
  const admin = await api()
  const { name, sns } = await makeCameras(admin)
  const setting = await admin.call<object>('GET', '/api/v1/oss/setting')
  putBack(async (undo) => {
    const { rev } = await undo.call<{ rev: number }>('GET', '/api/v1/oss/setting')
    return undo.call('PUT', '/api/v1/oss/setting', { ...setting, rev })
  })
  await admin.call('PUT', '/api/v1/oss/setting', { ...setting, twoPersonAbove: 1 })

  await login(await staff(PERMISSIONS, '申请人'))
  await page.goto('/ossManage/deviceList')
  await page.getByRole('button', { name: '批量开通' }).click()
  const dialog = page.getByRole('dialog', { name: '批量开通云存储' })
  await pick(dialog.getByLabel('云存套餐'), name)
  await dialog.getByLabel('原因').fill('渠道赠送')
  const fileName = `${fresh('grant')}.csv`
  const text = ['*序列号,通道,份数', `${sns[0]},0,2`, `${sns[1]},,`, `${fresh('NONE')},0,1`].join('\n')
  await dialog
    .locator('input[type="file"]')
    .setInputFiles({ name: fileName, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await dialog.getByRole('button', { name: '校验' }).click()
  await expect(dialog.getByRole('status')).toContainText('共 3 行：将新增 2 行，1 行有问题')
  await expect(dialog.getByText('设备不存在')).toBeVisible()
  const plan = dialog.getByRole('region', { name: '开通预览' })
  await expect(plan).toContainText('将为 2 台设备开通 3 份，标价合计 ¥87.00')
  await expect(plan).toContainText('需他人审批后执行')
  await accessible()
  await dialog.getByRole('button', { name: '提交审批' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('tab', { name: '批量任务' }).click()
  const own = page.getByRole('row', { name: new RegExp(fileName) })
  await expect(own).toContainText('待审批')
  await expect(own.getByRole('button', { name: '审批' })).toBeDisabled()
  await accessible()

  await login(await staff(PERMISSIONS, '审批人'))
  await page.goto('/ossManage/deviceList')
  await page.getByRole('tab', { name: '批量任务' }).click()
  const row = page.getByRole('row', { name: new RegExp(fileName) })
  await row.getByRole('button', { name: '审批' }).click()
  const audit = page.getByRole('dialog', { name: `审批「${fileName}」` })
  await expect(audit).toContainText('申请人 提交')
  await audit.getByLabel('审批意见').fill('同意赠送')
  await audit.getByRole('radio', { name: '同意并执行' }).check()
  await audit.getByRole('button', { name: '同意并执行' }).click()
  await expect(audit).toBeHidden()
  await expect
    .poll(
      async () => {
        const { list } = await admin.call<{ list: { state: number }[] }>('GET', '/api/v1/oss/device/import/page', {
          fileName,
        })
        return list[0]?.state
      },
      { timeout: 60_000 },
    )
    .toBe(2)
  const { total } = await admin.call<{ total: number }>('GET', '/api/v1/oss/device/page', { sn: sns[0] ?? '' })
  expect(total).toBe(2)
})
