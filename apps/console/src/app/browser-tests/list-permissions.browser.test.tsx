import { lazy, Suspense } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useLocation } from 'react-router'
import { mayCall } from '#core/auth/session.tsx'
import { KnownPagesProvider } from '#core/routing/known-pages.ts'
import type { Screen } from '#core/routing/screens.ts'
import { openTab, pause } from './browser-harness.tsx'
import { createContractServer, buildFilledSample } from '#app/form-cases/contract-server.ts'
import { waitUntil } from '#app/form-cases/page-driver.ts'
import { matchScreen } from '#app/screen-match.ts'
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
function open({ page, access }: Screen) {
  const visited = new Set<string>()
  const server = createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
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
  tab = openTab(shown, [access])
  return { ...server, visited }
}

/** Returns whether the account may open the screen of an address. The page itself starts at `/`. */
function mayVisit(address: string) {
  const match = matchScreen(address)
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

describe('an account with only the list permission', () => {
  test.each(lists)('$path: every visible button leads to permitted calls', async (screen) => {
    const server = open(screen)
    await waitUntil(() => expect(server.called().length).toBeGreaterThan(0))
    await waitUntil(() => expect(document.querySelector('main .ant-skeleton, main .loading-line')).toBeNull())
    await waitUntil(() => expect(nextOf(new Map())).toBeDefined())
    for (const link of document.querySelectorAll('main a[href^="/"]'))
      server.visited.add(link.getAttribute('href') ?? '')
    expect(await pressAll()).not.toEqual([])
    await pause(30)
    const refused = server.called().filter((to) => !mayCall(to))
    expect(refused.map(({ method, path, access }) => `${method} ${path} needs ${access}`)).toEqual([])
    expect([...server.visited].filter((address) => !mayVisit(address))).toEqual([])
    expect(tab?.errors).toEqual([])
  })
})
