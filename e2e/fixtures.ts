import AxeBuilder from '@axe-core/playwright'
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { ADMIN, type Api, apiOf, hire, md5, type Person } from './people.ts'

interface Fixtures {
  /** Logs this browser in as that person (admin when nobody is named) without driving the login page. */
  login(person?: Person): Promise<void>
  /** Makes a member of staff who holds exactly these permissions. */
  staff(permissions: readonly string[], realname?: string): Promise<Person>
  /** Calls the product directly as that person, to prepare what the journey starts from. */
  api(person?: Person): Promise<Api>
  /** Puts back, however the journey ends, what it changes for everybody: others and a second try count on it. */
  putBack(undo: (admin: Api) => Promise<unknown>): void
  /** Asserts that axe finds nothing serious or critical on the page as it is. */
  accessible(page?: Page): Promise<void>
}

/** Playwright's test with a login, and with every stray error of the browser's console as a failure. */
export const test = base.extend<Fixtures>({
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

/** What the browser complains about on its own is no fault of ours; a refused request is what some journeys are about. */
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

async function logIn(context: BrowserContext, baseURL: string, { account, password }: Person) {
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
  // A toast that fades away would be measured half-way: one on its way is let go, one that is shown stays meanwhile.
  await expect(page.locator('.ant-message [class*="-leave"]')).toHaveCount(0)
  const held = await page.addStyleTag({ content: '.ant-message * { animation-play-state: paused !important }' })
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze()
  await held.evaluate((style) => (style as HTMLElement).remove())
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`)).toEqual([])
}
