import type { BrowserContext, Page } from '@playwright/test'
import { type AdOfTest, text } from './ad-manifest.ts'
import { AdServer } from './ad-server.ts'
import { test as base } from '../support/fixtures.ts'

/** Playwright's test with a server that the journey can stop. */
export const test = base.extend<{ ads: AdServer }>({
  ads: async ({ baseURL }, use) => {
    const server = new AdServer(baseURL ?? '')
    await server.start()
    await use(server)
    await server.stop()
  },
})

/** Lets all players of this browser send their reports every two seconds instead of every minute. */
export const shortenReportInterval = (context: BrowserContext) =>
  context.addInitScript(() => {
    const start = window.setTimeout.bind(window)
    const shorten = (work: TimerHandler, ms?: number) => start(work, ms === 60_000 ? 2000 : ms)
    Object.assign(window, { setTimeout: shorten })
  })

/** Opens a paired player whose service worker controls the page. */
export async function open(page: Page, ads: AdServer) {
  await page.goto(`${ads.origin}/player/#sn=SCR-1&token=player-token`)
  await page.waitForFunction(() => Boolean(navigator.serviceWorker.controller))
}

/** The content on the visible layer. */
export const shown = (page: Page) => page.locator('.layer-shown .content')

/** Three texts in a cycle of 20 seconds. */
export const lines: readonly AdOfTest[] = [
  { ...text('甲'), ms: 5000 },
  { ...text('乙'), ms: 5000 },
  { ...text('丙'), ms: 10_000 },
]
