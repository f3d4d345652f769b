import { QueryClientProvider } from '@tanstack/react-query'
import { Activity, type ReactNode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { MemoryRouter } from 'react-router'
import { vi } from 'vitest'
import 'virtual:antd/shared.css'
import { OverlayHost } from '#app/overlay-host.tsx'
import { createQueryClient } from '#core/api/query.ts'
import { NO_BRAND, setPermissions } from '#core/auth/session.tsx'
import { type TabApi, TabProvider } from '#core/routing/tab.tsx'
import { AntdRoot } from '#kit/antd/antd-root.tsx'

type Fields = Record<string, unknown>
/** The body of a response, or a promise of the body, for the input of one request. */
type Respond = (input: Fields) => unknown

export const ok = (data: unknown, msg = '') => ({ code: 200, msg, data })
export const refusal = (code: number, msg: string, data: Fields = {}) => ({ code, msg, data })

/** Responds to the console's requests by `METHOD /path` and records every request. */
export function startServer(routes: Record<string, Respond>) {
  const requests: { readonly route: string; readonly input: Fields }[] = []
  const table = { ...routes }
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(url, location.origin)
    const route = `${method} ${pathname}`
    const input: Fields = body ? JSON.parse(String(body)) : Object.fromEntries(searchParams)
    requests.push({ route, input })
    const answer = (await table[route]?.(input)) ?? refusal(404, `no route ${route}`)
    return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } })
  })
  return {
    requests,
    on: (route: string, respond: Respond) => {
      table[route] = respond
    },
    inputsOf: (route: string) => requests.filter((each) => each.route === route).map(({ input }) => input),
  }
}

/** Creates a response that the test resolves later. */
export function held() {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  return { respond: () => promise, answer: resolve }
}

/** Milliseconds after which the cache drops a response without a visible observer; ten minutes in the console. */
export const GC_MS = 60

/**
 * Shortens antd's animations; their end events still occur. A transition duration on any other element would animate
 * every style change, and antd could no longer measure where a popup goes.
 */
const QUICK = `:is([class*='-appear'], [class*='-enter'], [class*='-leave']) {
  transition-duration: 1ms !important; transition-delay: 0s !important;
  animation-duration: 1ms !important; animation-delay: 0s !important;
}`
document.head.appendChild(document.createElement('style')).textContent = QUICK

/** Gives the account these permissions, and no menu of its own. */
export const setButtons = (buttons: string[], seesAllTenants = true) =>
  setPermissions({
    buttons,
    menus: [],
    roles: [],
    version: '',
    homeUrl: '',
    seesAllTenants,
    switchedTenant: null,
    zone: '',
    theme: '',
    brand: NO_BRAND,
  })

/**
 * Renders a page in a tab that the test can hide and show, with toasts and dialogs. The default account holds all
 * permissions and sees all tenants.
 */
export function openTab(page: ReactNode, buttons: string[] = ['*:*:*'], seesAllTenants = true) {
  setButtons(buttons, seesAllTenants)
  const client = createQueryClient()
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, gcTime: GC_MS } })
  const dirty = new Set<string>()
  let isShown = true
  let setMode: (mode: 'visible' | 'hidden') => void = () => {}
  const tab: TabApi = {
    key: '/test',
    setTitle: () => {},
    refresh: () => {},
    close: () => {},
    replace: () => {},
    setDirty: (source, on) => void (on ? dirty.add(source) : dirty.delete(source)),
    isShown: () => isShown,
    title: () => '测试页',
    memory: new Map(),
  }
  function Tab() {
    const [mode, set] = useState<'visible' | 'hidden'>('visible')
    setMode = set
    return (
      <Activity mode={mode}>
        <AntdRoot>
          <TabProvider value={tab}>{page}</TabProvider>
        </AntdRoot>
      </Activity>
    )
  }
  const place = document.body.appendChild(document.createElement('div'))
  place.id = 'root'
  const root = createRoot(place)
  const errors: unknown[] = []
  // An event without an error says that size observers continue in the next frame; no code failed.
  const onError = ({ error }: ErrorEvent) => error && errors.push(error)
  addEventListener('error', onError)
  root.render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <OverlayHost />
        <Tab />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return {
    /** Collects uncaught errors. */
    errors,
    hasUnsavedTabs: () => dirty.size > 0,
    hide: () => {
      isShown = false
      setMode('hidden')
    },
    show: () => {
      isShown = true
      setMode('visible')
    },
    close: () => {
      removeEventListener('error', onError)
      root.unmount()
      place.remove()
      vi.unstubAllGlobals()
    },
  }
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
