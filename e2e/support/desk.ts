import type { Browser, Page } from '@playwright/test'
import { expect } from './fixtures.ts'
import type { Person } from './people.ts'

/** Opens a separate browser context and logs this user in by the login page. */
export async function atDesk(
  browser: Browser,
  baseURL: string | undefined,
  person: Pick<Person, 'account' | 'password'>,
): Promise<Page> {
  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1440, height: 900 },
  })
  const page = await context.newPage()
  await page.goto('/login')
  await page.getByRole('textbox', { name: '账号' }).fill(person.account)
  await page.getByLabel('密码', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page.getByRole('button', { name: `账号 ${person.account}` })).toBeVisible()
  return page
}
