import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const NOTICES = '/system/noticeManage'
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const drawer = (page: Page) => page.getByRole('dialog')
const bell = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const messages = (page: Page) => page.getByRole('dialog').filter({ hasText: '消息' })

test('MODULE-01 a notice is created, published to one account, read and confirmed there, and withdrawn', async ({
  page,
  browser,
  baseURL,
  login,
  staff,
  accessible,
}) => {
  const name = fresh('停机维护')
  const reader = await staff(['system:AboutUs:list'], '收件人')
  await login()
  await page.goto(NOTICES)
  await page.getByRole('button', { name: '新增公告' }).first().click()
  const title = drawer(page).getByRole('textbox', { name: '标题' })
  // The opening drawer takes the focus; a list opened earlier would close.
  await expect(title).toBeFocused()
  await title.fill(name)
  await expect(drawer(page).getByRole('textbox', { name: '内容' })).toBeVisible()
  await accessible()
  await pick(drawer(page).getByLabel('发送对象'), '指定账号')
  await pick(drawer(page).getByLabel('对象名单'), reader.account)
  await page.keyboard.press('Escape')
  await expect(drawer(page).getByText('将发送给 1 个账号')).toBeVisible()
  const text = drawer(page).getByRole('textbox', { name: '内容' })
  await text.click()
  await page.keyboard.type('今晚')
  await drawer(page).getByRole('button', { name: '加粗' }).click()
  await page.keyboard.type('停机')
  await drawer(page).getByRole('switch', { name: '需要确认' }).click()
  await drawer(page).getByRole('button', { name: '存为草稿' }).click()
  await expect(page.getByText('新增成功')).toBeVisible()

  const other = await browser.newContext({ ...(baseURL && { baseURL }), viewport: { width: 1440, height: 900 } })
  const theirs = await other.newPage()
  await logInAs(theirs, reader)
  await expect(bell(theirs, '消息')).toBeVisible()

  await row(page, name).getByRole('button', { name: '发布' }).click()
  await drawer(page).getByRole('button', { name: '发布' }).click()
  await expect(row(page, name).getByText('已发布', { exact: true })).toBeVisible()

  // The badge updates without a reload.
  await bell(theirs, '消息，1 条未读').click()
  // Delays marking as read; a confirmation in the meantime must be accepted.
  await theirs.route('**/notice/read/**', async (route) => {
    if (!route.request().postData()?.includes('confirm')) await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await messages(theirs)
    .getByRole('button', { name: new RegExp(name) })
    .click()
  await expect(messages(theirs).locator('strong')).toHaveText('停机')
  await messages(theirs).getByRole('button', { name: '确认收到' }).click()
  await expect(messages(theirs).getByRole('button', { name: /已于 .* 确认/ })).toBeVisible()

  await page.getByRole('button', { name: '刷新' }).first().click()
  await row(page, name)
    .getByRole('button', { name: `阅读情况 ${name}` })
    .click()
  await expect(drawer(page).getByRole('row').filter({ hasText: reader.account })).toContainText(/\d{4}-\d\d-\d\d/)
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toHaveCount(0)

  await row(page, name).getByRole('button', { name: '撤回' }).click()
  await drawer(page).getByRole('button', { name: '撤回' }).click()
  await expect(row(page, name).getByText('已撤回', { exact: true })).toBeVisible()
  await theirs.reload()
  await bell(theirs, '消息').click()
  await messages(theirs).getByText('全部', { exact: true }).click()
  await expect(messages(theirs).getByText('暂无消息')).toBeVisible()
  await other.close()
})

async function logInAs(page: Page, { account, password }: { account: string; password: string }) {
  await page.goto('/login')
  await page.getByRole('textbox', { name: '账号' }).fill(account)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: '消息' })).toBeVisible()
}

test('the only action on a published notice is to withdraw it', async ({ page, login, api, putBack }) => {
  const admin = await api()
  const title = fresh('样例公告')
  const draft = { title, type: 1, content: '<p>正文</p>', priority: 2, target: 1 }
  const { noticeId } = await admin.call<{ noticeId: number }>('POST', '/api/v1/sys/notice', draft)
  await admin.call('POST', `/api/v1/sys/notice/publish/${noticeId}`)
  // The notice addresses all accounts.
  putBack((again) => again.call('POST', `/api/v1/sys/notice/revoke/${noticeId}`))
  await login()
  await page.goto(NOTICES)
  const published = row(page, title)
  await expect(published.getByRole('button', { name: '撤回' })).toBeVisible()
  for (const name of ['编辑', '删除', '发布'])
    await expect(published.getByRole('button', { name, exact: true })).toHaveCount(0)
})

test('MODULE-01 the about page shows the version and the licences', async ({ page, login, accessible }) => {
  await login()
  const company = fresh('示例科技')
  await page.goto('/system/AboutUs')
  await expect(page.getByRole('heading', { name: '运营管理系统 OMS' })).toBeVisible()
  await page.getByRole('button', { name: '编辑联系方式' }).click()
  await page.getByRole('dialog').getByLabel('公司名称').fill(company)
  await page.getByRole('dialog').getByRole('button', { name: '保存' }).click()
  await expect(page.getByText(company)).toBeVisible()
  await page.getByLabel('搜索组件').fill('fastify')
  await expect(page.getByRole('row').filter({ hasText: 'MIT' }).first()).toBeVisible()
  await accessible()
})

test('a picture in a notice is stored and shown to its readers', async ({ page, login, accessible }) => {
  await login()
  await page.goto(NOTICES)
  await page.getByRole('button', { name: '新增公告' }).first().click()
  const title = drawer(page).getByRole('textbox', { name: '标题' })
  await expect(title).toBeFocused()
  const name = fresh('带图公告')
  await title.fill(name)
  const text = drawer(page).getByRole('textbox', { name: '内容' })
  await text.click()
  await page.keyboard.type('见下图')
  const toolbar = drawer(page).getByRole('toolbar', { name: '文字格式' })
  await expect(toolbar.getByRole('button', { name: '图片' })).toBeVisible()
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const input = toolbar.locator('input[type=file]')
  await input.setInputFiles({ name: '说明.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await expect(page.getByText(/文件格式不正确/)).toBeVisible()
  await input.setInputFiles({ name: '示意.png', mimeType: 'image/png', buffer: png })
  const picture = text.locator('img[alt="示意.png"]')
  await expect(picture).toHaveAttribute('src', /^\/api\/v1\/file\/[0-9a-f]{32}$/)
  await accessible()
  await drawer(page).getByRole('button', { name: '存为草稿' }).click()
  await expect(page.getByText('新增成功')).toBeVisible()
  await row(page, name).getByRole('button', { name: '查看' }).click()
  const shown = drawer(page).locator('.notice-body img')
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  await drawer(page).getByRole('tab', { name: '操作记录' }).click()
  await expect(
    drawer(page)
      .getByText(new RegExp(`新增.*${name}`))
      .first(),
  ).toBeVisible()
})
