import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

test("MODULE-01 a user creates a device type and a model, and groups the model's devices", async ({
  page,
  login,
  api,
  accessible,
}) => {
  await login()
  await page.goto('/device/_manage')
  await page.getByRole('button', { name: '新增类型' }).first().click()
  const typeForm = page.getByRole('dialog', { name: '新增设备类型' })
  await typeForm.getByRole('button', { name: '保存' }).click()
  await expect(typeForm.getByText('请输入类型名称', { exact: true })).toBeVisible()
  const typeName = fresh('门铃')
  await typeForm.getByLabel('类型名称').fill(typeName)
  await typeForm.getByLabel('类型编码').fill(fresh('bell-'))
  await typeForm.getByRole('button', { name: '保存' }).click()
  await expect(typeForm).toBeHidden()
  await page.getByRole('textbox', { name: '类型名称' }).fill(typeName)
  await page.getByRole('button', { name: '查询' }).click()
  await expect(page.getByRole('row', { name: new RegExp(typeName) })).toBeVisible()
  await accessible()

  await page.goto('/device/updateManage')
  await page.getByRole('button', { name: '新增型号' }).first().click()
  const modelForm = page.getByRole('dialog', { name: '新增设备型号' })
  const modelName = fresh('猫眼')
  await pick(modelForm.getByLabel('设备类型'), typeName)
  await modelForm.getByLabel('型号名称').fill(modelName)
  await modelForm.getByLabel('型号编码').fill(fresh('PH-'))
  await modelForm.getByLabel('主控芯片').fill('RV1106')
  await modelForm.getByRole('button', { name: '保存' }).click()
  await expect(modelForm).toBeHidden()

  const admin = await api()
  const [model] = await admin.call<{ modelId: number }[]>('GET', '/api/v1/device/model/simple/list', {
    keyword: modelName,
  })
  const sns = [fresh('SNA'), fresh('SNA'), fresh('SNA')]
  for (const sn of sns)
    await admin.call('POST', '/api/v1/device/info', { sn, modelId: model?.modelId, tenantId: 1, devName: '门口' })

  await page.getByRole('textbox', { name: '型号名称' }).fill(modelName)
  await page.getByRole('button', { name: '查询' }).click()
  const modelRow = page.getByRole('row', { name: new RegExp(modelName) })
  await expect(modelRow.getByRole('link', { name: '3', exact: true })).toBeVisible()
  await modelRow.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: new RegExp(modelName) })
  await drawer.getByRole('tab', { name: '版本分布' }).click()
  await expect(drawer).toContainText('共 3 台设备')
  await accessible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await modelRow.getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await page.getByRole('dialog', { name: '删除' }).getByRole('button', { name: '删除' }).click()
  await expect(page.getByText('还有3台设备使用该型号，不能删除')).toBeVisible()

  await page.goto('/device/deviceGroup')
  await page.getByRole('button', { name: '新增分组' }).first().click()
  const groupForm = page.getByRole('dialog', { name: '新增设备分组' })
  const groupName = fresh('展厅')
  await groupForm.getByLabel('分组名称').fill(groupName)
  await groupForm.getByRole('button', { name: '保存' }).click()
  await expect(groupForm).toBeHidden()
  await page.getByRole('textbox', { name: '分组名称' }).fill(groupName)
  await page.getByRole('button', { name: '查询' }).click()
  const groupRow = page.getByRole('row', { name: new RegExp(groupName) })
  await groupRow.getByRole('button', { name: '设备', exact: true }).click()
  const members = page.getByRole('dialog', { name: `「${groupName}」的设备` })
  await members.getByRole('tab', { name: '按序列号添加' }).click()
  await members.getByLabel('序列号列表').fill([...sns.slice(0, 2), '没有这个'].join('\n'))
  await members.getByRole('button', { name: '添加到分组' }).click()
  await expect(members.getByText('已添加 2 台')).toBeVisible()
  await expect(members.getByText('1 个序列号没有找到设备')).toBeVisible()
  await members.getByRole('tab', { name: '组内设备' }).click()
  await expect(members.getByRole('row', { name: new RegExp(sns[0] ?? '') })).toBeVisible()
  await accessible()
  await page.keyboard.press('Escape')
  await expect(members).toBeHidden()
  await expect(groupRow.getByRole('cell', { name: '2', exact: true })).toBeVisible()

  await page.getByRole('button', { name: '新增分组' }).first().click()
  const ruleName = fresh('动态')
  await groupForm.getByLabel('分组名称').fill(ruleName)
  await groupForm.getByText('动态分组', { exact: true }).click()
  await expect(groupForm.getByText('请至少设置一个条件')).toBeVisible()
  await pick(groupForm.getByLabel('设备型号'), modelName)
  await expect(groupForm.getByText('当前有 3 台设备符合规则')).toBeVisible()
  await groupForm.getByRole('button', { name: '保存' }).click()
  await expect(groupForm).toBeHidden()
  await page.getByRole('textbox', { name: '分组名称' }).fill(ruleName)
  await page.getByRole('button', { name: '查询' }).click()
  await expect(
    page.getByRole('row', { name: new RegExp(ruleName) }).getByRole('cell', { name: '3', exact: true }),
  ).toBeVisible()
})

test('MODULE-01 the access settings show a new gateway token once', async ({ page, login, accessible }) => {
  await login()
  await page.goto('/device/apkManage/access')
  await expect(page.getByRole('heading', { name: /接入设置/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'swupdate.cfg' })).toContainText('targettoken = "<令牌>";')
  await page.getByRole('button', { name: /网关令牌/ }).click()
  // Replacing an existing token requires a confirmation.
  const question = page.getByRole('dialog', { name: '更换网关令牌？' })
  const shown = page.getByRole('dialog', { name: '网关令牌', exact: true })
  await expect(question.or(shown)).toBeVisible()
  if (await question.isVisible()) await question.getByRole('button', { name: '更换' }).click()
  await expect(shown.locator('strong')).toHaveText(/^[A-Za-z0-9]{32}$/)
  await shown.getByRole('button', { name: '我已保存' }).click()
  await expect(shown).toBeHidden()
  await expect(page.getByRole('button', { name: '更换网关令牌' })).toBeVisible()
  await accessible()
})

test('MODULE-01 on a phone groups are collapsible cards below their parent', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const caller = await api()
  const [above, below] = [fresh('片区'), fresh('门店')]
  const { id } = await caller.call<{ id: number }>('POST', '/api/v1/device/group', { groupName: above })
  await caller.call('POST', '/api/v1/device/group', { groupName: below, parentId: id })
  await page.setViewportSize({ width: 390, height: 844 })
  await login()
  await page.goto('/device/deviceGroup')
  const child = page.getByRole('listitem').filter({ hasText: below })
  await expect(child).toBeVisible()
  await accessible()
  await page.getByRole('button', { name: `${above} 的下级分组` }).click()
  await expect(child).toBeHidden()
})
