import { Activity, createElement, memo, type ReactNode, Suspense, useLayoutEffect, useMemo, useRef } from 'react'
import {
  type Location,
  NavigationType,
  parsePath,
  Route,
  Routes,
  UNSAFE_LocationContext as LocationContext,
} from 'react-router'
import type { Screen } from '#kernel/screens.ts'
import { SCROLLER } from '#kernel/scroll.ts'
import { type TabApi, TabProvider, useTab } from '#kernel/tab.tsx'
import { forgetPage, usePage } from '../lazy-page.tsx'
import { PageErrorBoundary } from '../page-error.tsx'
import { PageLoading } from '../page-loading.tsx'
import { matchScreen } from '../screen-match.ts'
import { isShown, markTab, memoryOf, setTabTitle } from './tab-state.ts'
import type { Tab } from './tab-store.ts'
import type { TabActions } from './use-tab-actions.ts'

interface Props {
  readonly tab: Tab
  readonly actions: TabActions
  /** The window's address while this tab is shown; a hidden page keeps its own. */
  readonly here: Location | undefined
}

/** A page and its state, kept alive while another tab is shown. */
export const TabPanel = memo(function TabPanel({ tab, actions, here }: Props) {
  const { key } = tab
  const url = here ? here.pathname + here.search + here.hash : tab.url
  const screen = useMemo(() => matchScreen(tab.url)?.screen, [tab.url])
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
 * The address a page stands at. Only a change of its own reaches it: through the window's address every page that is kept
 * would be rendered anew each time another one is shown.
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
    forgetPage(screen)
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

/** Each page scrolls by itself and is found where it was left. */
function Scroller({ tabKey, children }: { tabKey: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const top = useRef(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    // Not every browser keeps the position of an element that was hidden.
    // Setting it, to whatever value, makes the browser lay the whole page out at once.
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
      id={panelId(tabKey)}
      aria-labelledby={tabId(tabKey)}
      {...{ [SCROLLER]: '' }}
    >
      {children}
    </div>
  )
}

export const tabId = (key: string) => `tab-${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
export const panelId = (key: string) => `panel-${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`

function useTabApi(key: string, { refresh, finish }: TabActions): TabApi {
  const latest = useRef({ refresh, finish })
  useLayoutEffect(() => {
    latest.current = { refresh, finish }
  })
  return useMemo(
    () => ({
      key,
      memory: memoryOf(key),
      setTitle: (title) => setTabTitle(key, title),
      setDirty: (source, dirty) => markTab(key, source, dirty),
      isShown: () => isShown(key),
      refresh: () => latest.current.refresh(key),
      close: (then) => latest.current.finish(key, then),
    }),
    [key],
  )
}
