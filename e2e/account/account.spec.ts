import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { solveCaptcha } from '../support/database.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh, type Person } from '../support/people.ts'

async function fillLogin(page: Page, { account, password }: Person) {
  await page.getByRole('textbox', { name: '账号' }).fill(account)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录' }).click()
}

test('ROUTE-02 a new user registers, logs in, and sees a message to ask an administrator for permissions', async ({
  page,
  accessible,
}) => {
  await page.goto('/reg/index')
  await page.getByRole('button', { name: '注册', exact: true }).click()
  await expect(page.getByText('请输入姓名')).toBeVisible()
  await accessible()
  const account = fresh('newcomer')
  await page.getByLabel('账号').fill(account)
  await page.getByLabel('姓名').fill('新来的人')
  await page.getByLabel('密码', { exact: true }).fill('Brand-new-77')
  await page.getByLabel('确认密码').fill('Brand-new-77')
  await page.getByLabel('图形验证码', { exact: true }).fill(await solveCaptcha(page))
  await page.getByRole('button', { name: '注册', exact: true }).click()
  await expect(page.getByText('注册成功，请登录')).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
  await fillLogin(page, { account, password: 'Brand-new-77', realname: '' })
  await expect(page.getByText('暂无可用菜单，请联系管理员')).toBeVisible()
})

test('ROUTE-03 a forgotten password is reset with a code from an administrator', async ({ page, staff, api }) => {
  const person = await staff([], '健忘的人')
  const admin = await api()
  const { list } = await admin.call<{ list: { uid: number }[] }>('GET', '/api/v1/tenant/user/list', {
    account: person.account,
  })
  const { code } = await admin.call<{ code: string }>('POST', `/api/v1/tenant/user/resetCode/${list[0]?.uid}`)
  await page.goto('/resetPwd/index')
  await page.getByLabel('账号').fill(person.account)
  await page.getByRole('button', { name: '已有验证码，直接设置新密码' }).click()
  await page.getByLabel('验证码', { exact: true }).fill(code)
  await page.getByLabel('新密码', { exact: true }).fill('Remembered-1')
  await page.getByLabel('确认新密码').fill('Remembered-2')
  await page.getByRole('button', { name: '重置密码' }).click()
  await expect(page.getByText('两次输入的密码不一致')).toBeVisible()
  await page.getByLabel('确认新密码').fill('Remembered-1')
  await page.getByRole('button', { name: '重置密码' }).click()
  await expect(page.getByText('密码已重置，请登录')).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
  await fillLogin(page, { ...person, password: 'Remembered-1' })
  await expect(page.getByText('暂无可用菜单，请联系管理员')).toBeVisible()
})

test('ACCOUNT-02 changing the password ends the session, and the user logs in with the new password', async ({
  page,
  login,
  staff,
}) => {
  const person = await staff(['upgrade:ota:list'], '改密码')
  await login(person)
  await page.goto('/')
  await page.getByRole('button', { name: `账号 ${person.account}` }).click()
  await page.getByRole('menuitem', { name: '修改密码' }).click()
  await page.getByRole('button', { name: '确认修改' }).click()
  await expect(page.getByText('请输入旧密码')).toBeVisible()
  await expect(page.getByText('请输入新密码')).toBeVisible()
  await page.getByLabel('旧密码').fill('not-the-old-1')
  await page.getByLabel('新密码', { exact: true }).fill('Chosen-again-3')
  await page.getByLabel('确认新密码').fill('Chosen-again-3')
  await page.getByRole('button', { name: '确认修改' }).click()
  await expect(page.getByText('旧密码错误').first()).toBeVisible()
  await page.getByLabel('旧密码').fill(person.password)
  await page.getByRole('button', { name: '确认修改' }).click()
  await expect(page.getByText('修改成功，请重新登录！')).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
  await expect(page.locator('#note')).toHaveText('修改成功，请重新登录！')
  await fillLogin(page, { ...person, password: 'Chosen-again-3' })
  await expect(page.getByRole('button', { name: `账号 ${person.account}` })).toBeVisible()
})

test('a one-time password allows only the form that replaces it', async ({ page, api, staff }) => {
  const person = await staff(['upgrade:ota:list'], '初始密码')
  const admin = await api()
  const { list } = await admin.call<{ list: { uid: number }[] }>('GET', '/api/v1/tenant/user/list', {
    account: person.account,
  })
  const { password } = await admin.call<{ password: string }>('POST', `/api/v1/tenant/user/resetPasswd/${list[0]?.uid}`)
  await page.goto('/login')
  await fillLogin(page, { ...person, password })
  await expect(page.getByText('为了账号安全，请先设置新密码')).toBeVisible()
  await page.goto('/upgrade/ota')
  await expect(page.getByText('为了账号安全，请先设置新密码')).toBeVisible()
  await page.getByLabel('旧密码').fill(password)
  await page.getByLabel('新密码', { exact: true }).fill('My-own-now-5')
  await page.getByLabel('确认新密码').fill('My-own-now-5')
  await page.getByRole('button', { name: '确认修改' }).click()
  await expect(page).toHaveURL(/\/login/)
  await fillLogin(page, { ...person, password: 'My-own-now-5' })
  await expect(page.getByRole('button', { name: `账号 ${person.account}` })).toBeVisible()
})

test('a user enrols a second factor, and the next login requires it', async ({ page, login, staff }) => {
  const person = await staff(['upgrade:ota:list'], '两步')
  await login(person)
  await page.goto('/account/mfa')
  await page.getByLabel('当前密码').fill(person.password)
  await page.getByRole('button', { name: '开始绑定' }).click()
  await expect(page.getByAltText('绑定两步验证的二维码')).toBeVisible()
  const secret = (await page.locator('.mfa-bind code').innerText()).trim()
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 })
  await page.getByLabel('动态验证码').fill(totp.generate())
  await page.getByRole('button', { name: '启用两步验证' }).click()
  await expect(page.getByText('两步验证已启用').first()).toBeVisible()
  await page.context().clearCookies()
  await page.goto('/login')
  await fillLogin(page, person)
  await expect(page.getByText('请输入两步验证码或恢复码')).toBeVisible()
  await page.getByLabel('两步验证码').fill(totp.generate({ timestamp: Date.now() + 30_000 }))
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page.getByRole('button', { name: `账号 ${person.account}` })).toBeVisible()
})

test('DOWNLOAD-01 DOWNLOAD-02 an export is saved as a file; a refused export shows the reason and saves no file', async ({
  page,
  login,
}) => {
  await login()
  await page.goto('/system/operLog')
  await page.getByRole('button', { name: '导出' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('CSV（.csv）').click()])
  expect(file.suggestedFilename()).toMatch(/\.csv$/)
  const text = await readFile((await file.path()) ?? '', 'utf8')
  expect(text.startsWith('\uFEFF')).toBe(true)
  expect(text.split('\n').length).toBeGreaterThan(1)
  // A second press while the menu closes would only close it.
  await expect(page.getByText('CSV（.csv）')).toBeHidden()
  await page.route('**/operlog/export*', (route) => route.fulfill({ json: { code: 403, msg: 'x', data: null } }))
  await page.getByRole('button', { name: '导出' }).click()
  await page.getByText('CSV（.csv）').click()
  await expect(page.getByText('当前操作没有权限')).toBeVisible()
})
