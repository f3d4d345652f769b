import { Activity, createElement, memo, type ReactNode, Suspense, useLayoutEffect, useMemo, useRef } from 'react'
import {
  type Location,
  NavigationType,
  parsePath,
  Route,
  Routes,
  UNSAFE_LocationContext as LocationContext,
} from 'react-router'
import type { Screen } from '#core/routing/screens.ts'
import { SCROLLER_ATTRIBUTE } from '#core/routing/scroll.ts'
import { type TabApi, TabProvider, useTab } from '#core/routing/tab.tsx'
import { clearLoadedPage, usePage } from '#app/pages/lazy-page.tsx'
import { PageErrorBoundary } from '#app/pages/page-error.tsx'
import { PageLoading } from '#app/pages/page-loading.tsx'
import { matchRoute } from '#app/screen-match.ts'
import { isTabShown, markTab, createTabMemory, setTabTitle, findTabTitle } from './tab-state.ts'
import type { Tab } from './tab-store.ts'
import type { TabActions } from './use-tab-actions.ts'

interface Props {
  readonly tab: Tab
  readonly actions: TabActions
  /** The window's URL while this tab is active; a hidden page keeps its own URL. */
  readonly here: Location | undefined
}

/** Renders a page and keeps it mounted while another tab is active. */
export const TabPanel = memo(function TabPanel({ tab, actions, here }: Props) {
  const { key } = tab
  const url = here ? here.pathname + here.search + here.hash : tab.url
  const screen = useMemo(() => matchRoute(tab.url)?.screen, [tab.url])
  const api = useTabApi(key, actions)
  return (
    <Activity mode={here ? 'visible' : 'hidden'}>
      <Scroller tabKey={key}>
        <TabProvider value={api}>
          <PlaceProvider url={url}>{screen && <PageOf screen={screen} />}</PlaceProvider>
        </TabProvider>
      </Scroller>
    </Activity>
  )
})

/**
 * Provides the URL of a page. A page re-renders only when its own URL changes; with the window's URL, all hidden
 * pages would re-render on each tab change.
 */
function PlaceProvider({ url, children }: { url: string; children: ReactNode }) {
  const place = useMemo(() => {
    const { pathname = '/', search = '', hash = '' } = parsePath(url)
    return { location: { pathname, search, hash, state: null, key: 'default' }, navigationType: NavigationType.Pop }
  }, [url])
  return <LocationContext.Provider value={place}>{children}</LocationContext.Provider>
}

const PageOf = memo(function PageOf({ screen }: { screen: Screen }) {
  return (
    <Routes>
      <Route path={screen.path} element={<Guarded screen={screen} />} />
    </Routes>
  )
})

function Guarded({ screen }: { screen: Screen }) {
  const { refresh } = useTab()
  const again = () => {
    clearLoadedPage(screen)
    refresh()
  }
  return (
    <PageErrorBoundary onRetry={again}>
      <Suspense fallback={<PageLoading />}>
        <Arriving screen={screen} />
      </Suspense>
    </PageErrorBoundary>
  )
}

function Arriving({ screen }: { screen: Screen }) {
  const page = usePage(screen)
  return page ? createElement(page) : <PageLoading />
}

/** Keeps the scroll position of each page. */
function Scroller({ tabKey, children }: { tabKey: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const top = useRef(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    // Not every browser keeps the scroll position of a hidden element. Setting the position forces a full layout, so
    // it is set only when it differs.
    if (top.current > 0) element.scrollTop = top.current
    const onScroll = () => {
      top.current = element.scrollTop
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => element.removeEventListener('scroll', onScroll)
  }, [])
  return (
    <div
      ref={box}
      className="page"
      role="tabpanel"
      id={formatPanelId(tabKey)}
      aria-labelledby={formatTabId(tabKey)}
      {...{ [SCROLLER_ATTRIBUTE]: '' }}
    >
      {children}
    </div>
  )
}

export const formatTabId = (key: string) => `tab-${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
export const formatPanelId = (key: string) => `panel-${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`

function useTabApi(key: string, { refresh, finish, replace }: TabActions): TabApi {
  const latest = useRef({ refresh, finish, replace })
  useLayoutEffect(() => {
    latest.current = { refresh, finish, replace }
  })
  return useMemo(
    () => ({
      key,
      memory: createTabMemory(key),
      setTitle: (title) => setTabTitle(key, title),
      setDirty: (source, dirty) => markTab(key, source, dirty),
      isShown: () => isTabShown(key),
      title: () => findTabTitle(key),
      refresh: () => latest.current.refresh(key),
      close: (then) => latest.current.finish(key, then),
      replace: (to) => latest.current.replace(key, to),
    }),
    [key],
  )
}
