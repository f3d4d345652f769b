import type { Page } from '@playwright/test'
import { solveCaptcha } from '../support/database.ts'
import { expect, test } from '../support/fixtures.ts'
import type { Person } from '../support/people.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function fillLogin(page: Page, { account, password }: Person) {
  await page.getByRole('textbox', { name: '账号' }).fill(account)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录' }).click()
}

test('ACCOUNT-03 ACCOUNT-04 a user changes their own profile and avatar', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  const person = await staff(['upgrade:ota:list'], '旧名字')
  await login(person)
  await page.goto('/account/profile')
  await expect(page.getByLabel('姓名')).toHaveValue('旧名字')
  await accessible()
  await page.getByLabel('姓名').fill('')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('请输入真实名称')).toBeVisible()
  await page.getByLabel('姓名').fill('新名字')
  await page.getByText('女', { exact: true }).click()
  await page.getByLabel('个人简介').fill('负责固件发布 🚀')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('修改成功')).toBeVisible()
  const picker = page.getByLabel('选择头像图片')
  await picker.setInputFiles({ name: 'me.gif', mimeType: 'image/gif', buffer: PNG })
  await expect(page.getByText('上传头像图片只能是 JPG,JEPG,PNG 格式!')).toBeVisible()
  const large = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)])
  await picker.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: large })
  await expect(page.getByText('上传头像图片大小不能超过 2MB!')).toBeVisible()
  await picker.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: PNG })
  await expect(page.getByRole('img', { name: '头像' }).first()).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('姓名')).toHaveValue('新名字')
  await expect(page.getByLabel('个人简介')).toHaveValue('负责固件发布 🚀')
})

test('after three wrong passwords, the login requires a captcha and succeeds with it', async ({ page, staff }) => {
  const person = await staff(['upgrade:ota:list'], '验证码')
  await page.goto('/login')
  for (let i = 0; i < 3; i++) {
    await fillLogin(page, { ...person, password: `wrong-${i}` })
    await expect(page.getByText('账号或密码错误')).toBeVisible()
  }
  await expect(page.getByRole('textbox', { name: /验证码/ })).toBeVisible()
  await page.getByRole('textbox', { name: /验证码/ }).fill(await solveCaptcha(page))
  await page.getByLabel('密码', { exact: true }).fill(person.password)
  // The third failure also delays the next attempt briefly.
  await page.waitForTimeout(2500)
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page.getByRole('button', { name: `账号 ${person.account}` })).toBeVisible()
})
