import type { Browser, Page } from '@playwright/test'
import { logIn, shortenAnimations } from './fixtures.ts'
import type { Person } from './people.ts'

/** Opens a separate browser context with a session of this user. */
export async function atDesk(browser: Browser, baseURL: string | undefined, person: Person): Promise<Page> {
  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1440, height: 900 },
  })
  await shortenAnimations(context)
  await logIn(context, baseURL ?? '', person)
  return context.newPage()
}
