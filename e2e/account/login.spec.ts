import { expect, test } from '../support/fixtures.ts'
import { ADMIN } from '../support/people.ts'

test('ROUTE-01 GUARD-01 a visitor is redirected to the login page and returns after the login', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('textbox', { name: '账号' })).toBeVisible()
  await page.goto('/system/manager?pageNum=1')
  await expect(page).toHaveURL(/\/login/)
  await page.getByRole('textbox', { name: '账号' }).fill(ADMIN.account)
  await page.getByLabel('密码', { exact: true }).fill('wrong-password')
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page.getByText('账号或密码错误')).toBeVisible()
  await page.getByLabel('密码', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page).toHaveURL(/\/system\/manager\?pageNum=1/)
})

test('GUARD-02 with a session, /login redirects to the home page', async ({ page, login }) => {
  await login()
  await page.goto('/login')
  await expect(page).toHaveURL(/\/(indexScreen)?$/)
})
