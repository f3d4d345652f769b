import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

test('support moves the packages of two replaced cameras in one dialog and sees why one package cannot move', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const name = fresh('换')
  const { id: typeId } = await admin.call<{ id: number }>('POST', '/api/v1/device/type', {
    typeName: name,
    typeCode: fresh('move-'),
  })
  const model = { typeId, modelName: name, modelCode: fresh('MM-'), cloudChannels: 1 }
  const { id: modelId } = await admin.call<{ id: number }>('POST', '/api/v1/device/model', model)
  const sns = ['A', 'B', 'C'].map((letter) => `${fresh('MV')}${letter}`)
  for (const sn of sns) await admin.call('POST', '/api/v1/device/info', { sn, modelId, tenantId: 1 })
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 2900, channels: 1 }
  const packageInput = { packageName: name, packageCode: fresh('PM'), ...terms }
  const { id: packageId } = await admin.call<{ id: number }>('POST', '/api/v1/oss/package', packageInput)
  await admin.call('POST', '/api/v1/oss/device/open', { sns: sns.slice(0, 2), packageId, reason: '售后' })

  await login()
  await page.goto(`/ossManage/deviceList?packageId=${packageId}`)
  await page.getByRole('checkbox', { name: '选择本页全部' }).check()
  await page.getByRole('button', { name: '转移', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: '转移 2 份云存储' })
  await dialog.getByLabel('原因').fill('更换摄像机')
  await dialog.getByRole('button', { name: '转移', exact: true }).click()
  await expect(dialog.getByText('请输入目标设备序列号')).toBeVisible()
  await pick(dialog.getByLabel(`${sns[0]} 的目标设备`), sns[2]!)
  await pick(dialog.getByLabel(`${sns[1]} 的目标设备`), sns[1]!)
  await accessible()
  await dialog.getByRole('button', { name: '转移', exact: true }).click()
  const report = page.getByRole('dialog', { name: '成功 1 台，失败 1 台' })
  await expect(report).toContainText(`${sns[1]} 不能转移到同一设备`)
  await report.getByRole('button', { name: '知道了' }).click()
  // The closing dialog names the cameras too.
  await expect(report).toBeHidden()
  await expect(page.getByRole('row', { name: new RegExp(sns[2]!) })).toContainText('使用中')
  await expect(page.getByRole('row', { name: new RegExp(sns[0]!) })).toContainText('已转移')
})
