import { expect, test } from '../support/fixtures.ts'
import { ADMIN, fresh, freshMobile, md5 } from '../support/people.ts'
import { expectSwitched, pickExactly } from '../support/pick.ts'

test('TENANT-01 ACCOUNT-05 an administrator creates, changes, disables and deletes a user', async ({
  page,
  login,
  playwright,
  baseURL,
  accessible,
}) => {
  await login()
  await page.goto('/system/manager')
  await page.getByRole('button', { name: '新增用户' }).first().click()
  const form = page.getByRole('dialog', { name: '新增用户' })
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText('请输入账号', { exact: true })).toBeVisible()
  await expect(form.getByText('请输入姓名', { exact: true })).toBeVisible()

  const account = fresh('clerk')
  await form.getByLabel('账号', { exact: true }).fill(ADMIN.account)
  await form.getByLabel('姓名').fill('王小明')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText('账号已存在')).toBeVisible()
  await form.getByLabel('账号', { exact: true }).fill(account)
  await form.getByLabel('手机号').fill(freshMobile())
  // Parallel journeys create roles too, so the list may be long.
  await pickExactly(form.getByLabel('角色'), '审计员')
  await form.getByLabel('昵称').click()
  await form.getByRole('button', { name: '保存' }).click()

  const shown = page.getByRole('dialog', { name: '一次性密码' })
  await expect(shown).toContainText(account)
  const password = (await shown.locator('strong').textContent())?.trim() ?? ''
  expect(password).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/)
  await shown.getByRole('button', { name: '我已保存' }).click()
  await expect(shown).toBeHidden()

  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  const enter = async () =>
    (await request.post('/api/v1/account/login', { form: { account, pswdMd5: md5(password) } })).json()
  const entered = await enter()
  expect(entered).toMatchObject({ code: 200, data: { mustChangePassword: true } })

  const row = page.getByRole('row', { name: new RegExp(account) })
  await expect(row).toContainText('审计员')
  await row.getByRole('button', { name: '编辑' }).click()
  const edit = page.getByRole('dialog', { name: `编辑用户 ${account}` })
  await edit.getByLabel('姓名').fill('王大明')
  await edit.getByRole('button', { name: '保存' }).click()
  await expect(row).toContainText('王大明')

  await row.getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name: `王大明（${account}）` })
  await drawer.getByRole('tab', { name: '操作记录' }).click()
  await expect(drawer.getByRole('row', { name: /姓名/ })).toContainText('王小明王大明')
  await accessible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  // Disabling in the row asks for confirmation and ends the user's sessions at once.
  await row.getByRole('switch').click()
  await page.getByRole('dialog').getByRole('button', { name: '停用' }).click()
  await expectSwitched(row.getByRole('switch'), false)
  const perms = await request.get('/api/v1/sys/account/perms', { headers: { ticket: entered.data.token } })
  expect(perms.status()).toBe(401)
  expect((await enter()).code).toBe(403)

  const more = row.getByRole('button', { name: '更多' })
  await more.click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  // The menu is closed, so the confirmation restores the focus to the menu's button.
  await page.getByRole('dialog', { name: '删除' }).getByRole('button', { name: '取消' }).click()
  await expect(more).toBeFocused()
  await more.click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await page.getByRole('dialog', { name: '删除' }).getByRole('button', { name: '删除' }).click()
  await expect(row).toBeHidden()
  await request.dispose()
})

test('a user import runs after a dry run and shows the one-time passwords once', async ({ page, login }) => {
  await login()
  await page.goto('/system/manager')
  await page.getByRole('button', { name: '导入' }).first().click()
  const account = fresh('import')
  const table = `账号,姓名,性别\n${account},导入甲,女\n${account},重复,男\nx,太短,男\n`
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(table) })
  await page.getByRole('button', { name: '校验' }).click()
  await expect(page.getByText('与第2行的账号重复')).toBeVisible()
  await expect(page.getByText('账号至少4个字符')).toBeVisible()
  await page.getByRole('button', { name: '导入 1 行' }).click()

  const done = page.getByRole('dialog', { name: '导入完成' })
  await expect(done.getByRole('button', { name: '完成' })).toBeDisabled()
  const saving = page.waitForEvent('download')
  await done.getByRole('button', { name: '下载一次性密码' }).click()
  expect((await saving).suggestedFilename()).toBe('一次性密码.csv')
  await done.getByRole('button', { name: '完成' }).click()
  await expect(page.getByRole('row', { name: new RegExp(account) })).toContainText('导入甲')
})

test('a user without write permissions sees masked mobile numbers and no buttons that change accounts', async ({
  page,
  login,
  staff,
  api,
}) => {
  const reader = await staff(['system:manager:list'], '只读员')
  const admin = await api()
  const [account, mobileNo] = [fresh('masked'), freshMobile()]
  await admin.call('POST', '/api/v1/tenant/user', { account, realname: '掩码', mobileNo })
  await login(reader)
  await page.goto(`/system/manager?account=${account}`)
  const row = page.getByRole('row', { name: new RegExp(account) })
  await expect(row).toContainText(`139****${mobileNo.slice(-4)}`)
  await expect(row.getByRole('switch')).toBeDisabled()
  await expect(row.getByRole('button', { name: '编辑' })).toHaveCount(0)
  for (const name of ['新增用户', '导入', '导出']) await expect(page.getByRole('button', { name })).toHaveCount(0)
})

test('ROUTE-07 a user finds an account in the list and opens its overview page', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const account = fresh('whole')
  const { uid } = await admin.call<{ uid: number }>('POST', '/api/v1/tenant/user', { account, realname: '概况者' })
  await login()
  await page.goto('/userManage/index')
  await page.getByRole('searchbox', { name: '账号' }).fill(account)
  await page.getByRole('link', { name: new RegExp(account) }).click()
  await expect(page).toHaveURL(new RegExp(`uid=${uid}$`))
  await expect(page.getByRole('tab', { name: `账号 ${account}` })).toBeVisible()
  await expect(page.getByText('没有任何权限')).toBeVisible()
  await accessible()
  await page.getByRole('button', { name: '生成重置码' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '生成重置码' }).click()
  const shown = page.getByRole('dialog', { name: '密码重置码' })
  await expect(shown.locator('strong')).toHaveText(/^[A-Z2-9]{10}$/)
  await shown.getByRole('button', { name: '我已保存' }).click()

  await page.goto(`/system/userList?account=${account}`)
  await page.getByRole('link', { name: account }).click()
  await expect(page).toHaveURL(new RegExp(`/userManage/index\\?uid=${uid}$`))
})
