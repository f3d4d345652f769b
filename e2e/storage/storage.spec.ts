import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

test('a user creates a cloud-storage package, takes it off sale and deletes it', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  await page.goto('/ossManage/packageList')
  await page.getByRole('button', { name: '新增套餐' }).first().click()
  const form = page.getByRole('dialog', { name: '新增云存套餐' })
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText('请输入套餐名称', { exact: true })).toBeVisible()
  const packageName = fresh('连续录像')
  await form.getByLabel('套餐名称').fill(packageName)
  await form.getByLabel('套餐编码').fill(fresh('YC'))
  await form.getByLabel('价格').fill('29.9')
  await accessible()
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await page.getByRole('textbox', { name: '套餐名称' }).fill(packageName)
  await page.getByRole('button', { name: '查询' }).click()
  const row = page.getByRole('row', { name: new RegExp(packageName) })
  await expect(row).toContainText('¥29.90')
  await accessible()
  await row.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: packageName })
  await drawer.getByRole('tab', { name: '版本' }).click()
  await expect(drawer).toContainText('版本 1')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '下架' }).click()
  await page.getByRole('dialog', { name: '下架' }).getByRole('button', { name: '下架' }).click()
  await expect(row).toContainText('已下架')
  await row.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await page.getByRole('dialog', { name: '删除' }).getByRole('button', { name: '删除' }).click()
  await expect(row).toBeHidden()
})

test('support previews and opens cloud storage for a camera, then suspends, resumes and cancels it', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const [name, sn] = [fresh('存'), fresh('CAM')]
  const type = { typeName: name, typeCode: fresh('cloud-') }
  const { id: typeId } = await admin.call<{ id: number }>('POST', '/api/v1/device/type', type)
  const model = { typeId, modelName: name, modelCode: fresh('CM-'), cloudChannels: 2 }
  const { id: modelId } = await admin.call<{ id: number }>('POST', '/api/v1/device/model', model)
  await admin.call('POST', '/api/v1/device/info', { sn, modelId, tenantId: 1, devName: '门口' })
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 2900, channels: 4 }
  await admin.call('POST', '/api/v1/oss/package', { packageName: name, packageCode: fresh('PK'), ...terms })

  await login()
  await page.goto('/ossManage/deviceList')
  await page.getByRole('button', { name: /开通$/ }).first().click()
  const drawer = page.getByRole('dialog', { name: '开通云存储' })
  await drawer.getByLabel('序列号').fill(sn)
  await drawer.getByLabel('序列号').press('Enter')
  await page.keyboard.press('Tab')
  await expect(drawer.locator('.ant-select-selection-item', { hasText: sn })).toBeVisible()
  await pick(drawer.getByLabel('云存套餐'), name)
  const plan = drawer.getByRole('region', { name: '开通预览' })
  await expect(plan).toContainText('将为 1 台设备开通 1 份，标价合计 ¥29.00')
  await drawer.getByLabel('原因').fill('售后补偿')
  await accessible()
  await drawer.getByRole('button', { name: '开通', exact: true }).click()
  await expect(drawer).toBeHidden()

  await page.getByRole('textbox', { name: '序列号' }).fill(sn)
  await page.getByRole('button', { name: '查询' }).click()
  const row = page.getByRole('row', { name: new RegExp(sn) })
  await expect(row).toContainText('使用中')
  const step = async (action: string, state: string) => {
    await row.getByRole('button', { name: '更多' }).click()
    await page.getByRole('menuitem', { name: action }).click()
    const dialog = page.getByRole('dialog', { name: new RegExp(`^${action} ${sn}`) })
    await dialog.getByLabel('原因').fill('核对')
    await dialog.getByRole('button', { name: `确认${action}` }).click()
    await expect(dialog).toBeHidden()
    await expect(row).toContainText(state)
  }
  await step('暂停', '已暂停')
  await step('恢复', '使用中')
  await row.getByRole('button', { name: '详情' }).click()
  const details = page.getByRole('dialog', { name: new RegExp(sn) })
  await expect(details).toContainText(name)
  await accessible()
  await details.getByRole('tab', { name: '设备云存' }).click()
  await expect(details.getByText('现在可以上传录像')).toBeVisible()
  await details.getByText('为什么没有录像').click()
  const rules = details.getByRole('list', { name: '通道 0 的录像条件' })
  await expect(rules.getByRole('listitem').filter({ hasText: '套餐未过期' })).toContainText('通过')
  await expect(details.getByRole('region', { name: '通道 0 的录像日历' })).toContainText('没有上传')
  await accessible()
  await page.keyboard.press('Escape')
  await expect(details).toBeHidden()
  await step('取消', '已取消')
})
