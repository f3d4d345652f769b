import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'

test('an auditor reads an entry of the operation log, its changed fields, and the history of the record', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const account = fresh('traced')
  const { uid } = await admin.call<{ uid: number }>('POST', '/api/v1/tenant/user', { account, realname: '原来的' })
  await admin.call('PUT', '/api/v1/tenant/user', { uid, rev: 0, realname: '后来的' })
  await login()
  await page.goto(`/system/operLog?bizType=account&bizId=${uid}`)
  const changed = page.getByRole('row', { name: new RegExp(`修改用户「后来的（${account}）」`) })
  await expect(changed).toContainText('成功')
  await changed.getByRole('button', { name: '详情' }).click()

  const drawer = page.getByRole('dialog', { name: `修改用户「后来的（${account}）」` })
  await expect(drawer.getByRole('row', { name: /姓名/ })).toContainText('原来的后来的')
  await accessible()
  await drawer.getByRole('tab', { name: '该记录的历史' }).click()
  await expect(drawer.getByText(`新增用户「原来的（${account}）」`)).toBeVisible()
  await drawer.getByRole('button', { name: '下一条' }).click()
  await expect(page.getByRole('dialog', { name: `新增用户「原来的（${account}）」` })).toBeVisible()
})

test('a user exports the operation log with the current filters', async ({ page, login }) => {
  await login()
  await page.goto('/system/operLog?businessType=1')
  await page.getByRole('button', { name: '导出' }).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'CSV（.csv）' }).click()
  expect((await saving).suggestedFilename()).toBe('操作日志.csv')
  await expect(page.getByText('导出完成')).toBeVisible()
})

test('a user whose session was ended sees the login dialog at the next action', async ({
  page,
  login,
  staff,
  browser,
  baseURL,
  accessible,
}) => {
  const victim = await staff(['system:manager:list'], '被下线')
  const theirs = await browser.newContext({ ...(baseURL && { baseURL }), locale: 'zh-CN' })
  const window = await theirs.newPage()
  await window.goto('/login')
  await window.getByRole('textbox', { name: '账号' }).fill(victim.account)
  await window.getByLabel('密码', { exact: true }).fill(victim.password)
  await window.getByRole('button', { name: '登录' }).click()
  await expect(window).not.toHaveURL(/\/login/)

  await login()
  await page.goto('/system/loginLog')
  await page.getByRole('tab', { name: '在线用户' }).click()
  await page.getByRole('textbox', { name: '账号' }).fill(victim.account)
  await page.getByRole('button', { name: '查询' }).click()
  const rows = page.getByRole('row', { name: new RegExp(`${victim.account}.*控制台`) })
  await expect(rows).toHaveCount(1)
  await accessible()
  await rows.getByRole('button', { name: '强制下线' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '强制下线' }).click()
  await expect(rows).toHaveCount(0)

  const reply = window.waitForResponse((response) => response.status() === 401)
  await window.goto('/system/manager')
  expect((await reply).status()).toBe(401)
  await theirs.close()

  await page.getByRole('tab', { name: '登录记录' }).click()
  await page.goto(`/system/loginLog?account=${victim.account}&loginType=4`)
  await expect(page.getByRole('row', { name: /被admin强制下线/ })).toHaveCount(1)
})
