import { lazy, Suspense } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useLocation } from 'react-router'
import { clearCredentials, saveCredentials } from '#core/auth/credentials.ts'
import { loadCredentials, mayCall } from '#core/auth/session.tsx'
import { setPageExitHandler } from '#core/routing/leave-page.ts'
import { KnownPagesProvider } from '#core/routing/known-pages.ts'
import type { Screen } from '#core/routing/screens.ts'
import { openTab, pause } from '../browser-harness.tsx'
import { createContractServer, buildFilledSample } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { matchRoute } from '#app/screen-match.ts'
import { screens } from '#app/screens.ts'

/** Buttons of a page; also entries of an open menu and buttons of an open dialog. */
const PRESSABLE = 'button, [role="menuitem"], [role="switch"], [role="tab"], .ant-segmented-item'
/** Buttons that change only the view: column settings, pages of the list and charts. */
const LOCAL = '.ant-popover button, [aria-label="列设置"], .kit-pager button, .chart button'
/** Presses of buttons with one name: the rows of a list repeat their buttons. */
const MOST_PER_NAME = 2
const MOST_PRESSES = 40

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
  clearCredentials()
  sessionStorage.clear()
  localStorage.clear()
})

const lists = screens.filter(({ access, path }) => access.endsWith(':list') && !path.includes(':'))

/** Adds every address that the page opens to `visited`. */
function Visited({ visited }: { visited: Set<string> }) {
  const { pathname, search } = useLocation()
  visited.add(pathname + search)
  return null
}

/** Opens the page of a list. Returns the called endpoints and the addresses that links and buttons open. */
function open({ page }: Screen, permissions: string[], seesAllTenants = true) {
  const visited = new Set<string>()
  const server = createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
  // Entering a tenant loads the console again, which would end the test page.
  setPageExitHandler({ hasUnsavedTabs: () => false, leaveTo: (address) => visited.add(address) })
  const Page = lazy(page)
  const shown = (
    <Suspense>
      <main>
        <Visited visited={visited} />
        <KnownPagesProvider value={mayVisit}>
          <Page />
        </KnownPagesProvider>
      </main>
    </Suspense>
  )
  tab = openTab(shown, permissions, seesAllTenants)
  return { ...server, visited }
}

/** Returns whether the account may open the screen of an address. The page itself starts at `/`. */
function mayVisit(address: string) {
  const match = matchRoute(address)
  return address.split('?')[0] === '/' || (match !== undefined && mayCall(match.screen))
}

const nameOf = (element: Element) =>
  `${element.getAttribute('aria-label') ?? ''}${element.getAttribute('title') ?? ''}${element.textContent}`

/** Returns the newest pressable element that was pressed less often than allowed: dialogs and menus come first. */
function nextOf(pressed: ReadonlyMap<string, number>) {
  const all = [...document.querySelectorAll<HTMLElement>(PRESSABLE)].filter(
    (element) =>
      element.getClientRects().length > 0 &&
      !element.matches(`:disabled, [aria-disabled="true"], .ant-btn-loading, ${LOCAL}`),
  )
  return all.toReversed().find((element) => (pressed.get(nameOf(element)) ?? 0) < MOST_PER_NAME)
}

/** Presses every visible button and menu entry, also those that appear after a press. Returns their names. */
async function pressAll() {
  const pressed = new Map<string, number>()
  for (let presses = 0; presses < MOST_PRESSES; presses++) {
    const element = nextOf(pressed)
    if (!element) break
    const name = nameOf(element)
    pressed.set(name, (pressed.get(name) ?? 0) + 1)
    element.click()
    await pause(15)
  }
  return [...pressed.keys()]
}

/** Waits until the list of an opened page can be used. */
async function waitForList(server: ReturnType<typeof open>) {
  await waitUntil(() => expect(server.called().length).toBeGreaterThan(0))
  await waitUntil(() => expect(document.querySelector('main .ant-skeleton, main .loading-line')).toBeNull())
  await waitUntil(() => expect(nextOf(new Map())).toBeDefined())
}

/** Returns the called endpoints that the account may not call. */
const refusedCalls = (server: ReturnType<typeof open>) =>
  server
    .called()
    .filter((to) => !mayCall(to))
    .map(({ method, path, access }) => `${method} ${path} needs ${access}`)

/** Returns whether the rows of the list reserve room for actions, and no row has an action. */
function hasEmptyActions() {
  const actions = [...document.querySelectorAll('main .kit-row-actions')]
  return actions.length > 0 && actions.every(({ childElementCount }) => childElementCount === 0)
}

describe('an account with only the list permission', () => {
  test.each(lists)(
    '$path: every visible button leads only to permitted calls, and the actions column is not empty',
    async (screen) => {
      const server = open(screen, [screen.access])
      await waitForList(server)
      expect(hasEmptyActions()).toBe(false)
      for (const link of document.querySelectorAll('main a[href^="/"]'))
        server.visited.add(link.getAttribute('href') ?? '')
      expect(await pressAll()).not.toEqual([])
      await pause(30)
      expect(refusedCalls(server)).toEqual([])
      expect([...server.visited].filter((address) => !mayVisit(address))).toEqual([])
      expect(tab?.errors).toEqual([])
    },
  )
})

/** A session of staff of the platform. */
const PLATFORM = { token: 'x', uid: 2, account: 'x', ownerId: 1, ownerName: '平台', mustChangePassword: false }

describe('staff limited to chosen tenants, with all permissions', () => {
  test.each(lists)('$path: no visible button changes data that all tenants share', async (screen) => {
    saveCredentials(PLATFORM)
    loadCredentials()
    const server = open(screen, ['*:*:*'], false)
    await waitForList(server)
    await pressAll()
    await pause(30)
    expect(refusedCalls(server)).toEqual([])
  })
})
