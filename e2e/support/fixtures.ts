import AxeBuilder from '@axe-core/playwright'
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { ADMIN, type Api, apiOf, hire, md5, type Person } from './people.ts'

interface Fixtures {
  /** Logs this browser in as the given user (default: admin) without the login page. */
  login(person?: Person): Promise<void>
  /** Creates a staff account with exactly these permissions. */
  staff(permissions: readonly string[], realname?: string): Promise<Person>
  /** Calls the API as a user, to create the data of a journey. */
  api(person?: Person): Promise<Api>
  /**
   * Registers a cleanup that restores shared data after the journey, also when it fails. Other journeys and retries
   * depend on the data.
   */
  putBack(undo: (admin: Api) => Promise<unknown>): void
  /** Asserts that axe reports no serious or critical violation on the current page. */
  accessible(page?: Page): Promise<void>
}

/** Playwright's test with login. Fails for unexpected errors in the browser console. */
export const test = base.extend<Fixtures>({
  context: async ({ context }, use) => {
    await shortenAnimations(context)
    await use(context)
  },
  page: async ({ page }, use, info) => {
    const errors = watch(page)
    await use(page)
    if (info.status === 'passed') expect(errors, 'errors on the browser console').toEqual([])
  },
  login: async ({ context, baseURL }, use) => use((person = ADMIN) => logIn(context, baseURL ?? '', person)),
  staff: async ({ playwright, baseURL }, use) => {
    const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
    await use((permissions, realname) => hire(request, permissions, realname))
    await request.dispose()
  },
  api: async ({ playwright, baseURL }, use) => {
    const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
    await use((person = ADMIN) => apiOf(request, person))
    await request.dispose()
  },
  putBack: async ({ api }, use) => {
    const undos: ((admin: Api) => Promise<unknown>)[] = []
    await use((undo) => void undos.push(undo))
    for (const undo of undos.reverse()) await undo(await api())
  },
  accessible: async ({ page }, use) => use((shown = page) => assertAccessible(shown)),
})
export { expect }

/** Browser messages that are not product errors; some journeys expect failed requests. */
const IGNORED = [/Failed to load resource/, /net::ERR_/, /\[vite\]/]

function watch(page: Page) {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !IGNORED.some((pattern) => pattern.test(message.text())))
      errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return errors
}

/**
 * Shortens antd's animations on all pages of a browser context; their end events still occur. Otherwise every click in a
 * dialog, a drawer or a list waits until the animation ends.
 */
export const shortenAnimations = (context: BrowserContext) =>
  context.addInitScript(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`:is([class*='-appear'], [class*='-enter'], [class*='-leave']) {
      transition-duration: 1ms !important; transition-delay: 0s !important;
      animation-duration: 1ms !important; animation-delay: 0s !important;
    }`)
    document.adoptedStyleSheets = [sheet]
  })

/** Stores a new session of this user in the cookies of a browser context. */
export async function logIn(context: BrowserContext, baseURL: string, { account, password }: Person) {
  const reply = await context.request.post('/api/v1/account/login', {
    form: { account, pswdMd5: md5(password) },
    headers: { 'x-client': 'console' },
  })
  const { code, msg, data } = await reply.json()
  if (code !== 200) throw new Error(`login of ${account}: ${code} ${msg}`)
  const entries = {
    token: data.token,
    uid: data.uid,
    account: data.account,
    ownerId: data.ownerId ?? '',
    ownerName: data.ownerName,
    mustChange: data.mustChangePassword ? 1 : '',
  }
  await context.addCookies(
    Object.entries(entries).map(([key, value]) => ({
      name: `oms_${key}`,
      value: encodeURIComponent(String(value)),
      url: baseURL,
    })),
  )
}

async function assertAccessible(page: Page) {
  // A fading toast would be measured with reduced contrast: waits for closing toasts, and keeps visible ones open. A toast
  // that begins to close in between is shown fully.
  await expect(page.locator('.ant-message [class*="-leave"]')).toHaveCount(0)
  // An open list of antd's select has no name of its own, and it closes with an animation.
  await expect(page.locator('.ant-select-dropdown').filter({ visible: true })).toHaveCount(0)
  // A button shows its label with reduced contrast while its request runs.
  await expect(page.locator('.ant-btn-loading').filter({ visible: true })).toHaveCount(0)
  // A button that has just been enabled changes its colors for a moment.
  const held = await page.addStyleTag({
    content: `.ant-message * { animation-play-state: paused !important }
      .ant-message [class*="-leave"] { animation: none !important; opacity: 1 !important }
      .ant-btn, .ant-btn * { transition: none !important }`,
  })
  // The legacy mode works inside the page. Otherwise each check opens a second page, which only foreign frames need.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze()
  await held.evaluate((style) => (style as HTMLElement).remove())
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`)).toEqual([])
}
