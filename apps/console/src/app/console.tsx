import { type ReactNode, useEffect, useLayoutEffect, useMemo } from 'react'
import { type Location, Navigate, useLocation, useNavigate } from 'react-router'
import { HOME, findSafeReturnPath } from '#core/routing/addresses.ts'
import { formatPageTitle } from '#core/theme/page-title.ts'
import { KnownPagesProvider } from '#core/routing/known-pages.ts'
import { can, useCan, usePermissions } from '#core/auth/session.tsx'
import { Breadcrumb } from './layout/breadcrumb.tsx'
import { Favourite } from './layout/favourite.tsx'
import { MainLayout } from './layout/main-layout.tsx'
import { hasUnsavedTabs } from './leave.ts'
import { findFirstChild, type MenuEntry, buildMenuEntries } from './menu-tree.ts'
import { NoMenus } from './pages/no-menus.tsx'
import { ForbiddenPage, NotFound } from './pages/not-found.tsx'
import { rememberPage } from './search/recent-pages.ts'
import { type RouteMatch, matchRoute } from './screen-match.ts'
import { TabBar } from './tabs/tab-bar.tsx'
import { TabPanel } from './tabs/tab-panel.tsx'
import { changeTabs, useTabs } from './tabs/tab-state.ts'
import { refreshTab, showTab, findTab } from './tabs/tab-store.ts'
import { useTabActions } from './tabs/use-tab-actions.ts'

function isKnown(url: string) {
  const match = matchRoute(url)
  return match !== undefined && can(match.screen.access)
}
const urlOf = ({ pathname, search, hash }: Location) => pathname + search + hash

/** Selects the content for a URL of the console: a redirect, a page in its tab, or an error page. */
export function Console() {
  const location = useLocation()
  const { menus, homeUrl } = usePermissions()
  const can = useCan()
  const entries = useMemo(() => buildMenuEntries(menus), [menus])
  const { pathname } = location
  if (pathname.startsWith('/redirect/'))
    return <Reopen to={findSafeReturnPath(urlOf(location).slice('/redirect'.length))} />
  // Keeps unsaved input mounted. The input is shown again when the account regains its permissions.
  if (menus.length === 0 && !hasUnsavedTabs()) return <NoMenus />
  if (pathname === '/') return <Navigate to={matchRoute(homeUrl || HOME) ? homeUrl || HOME : HOME} replace />
  const match = matchRoute(urlOf(location))
  if (match) return <Frame entries={entries} match={can(match.screen.access) ? match : 'no right'} />
  const child = findFirstChild(entries, pathname)
  if (child) return <Navigate to={child} replace />
  return pathname === '/404' ? <NotFound as="main" /> : <Frame entries={entries} match="unknown" />
}

/** `/redirect/…`: remounts the page and replaces the history entry. */
function Reopen({ to }: { to: string }) {
  const navigate = useNavigate()
  useEffect(() => {
    const key = matchRoute(to)?.key
    if (key) changeTabs((now) => refreshTab(now, key))
    void navigate(to, { replace: true })
  }, [to, navigate])
  return null
}

type Shown = RouteMatch | 'no right' | 'unknown'

function Frame({ entries, match }: { entries: readonly MenuEntry[]; match: Shown }) {
  const location = useLocation()
  const tabs = useTabs()
  const actions = useTabActions()
  const page = typeof match === 'object' ? match : undefined
  const tab = page && !page.screen.bare ? { key: page.key, title: page.screen.title } : undefined
  const title =
    (tab && findTab(tabs, tab.key)?.title) ?? page?.screen.title ?? (match === 'no right' ? '没有权限' : '错误页面')
  const url = urlOf(location)
  useOpened(tab, url)
  useEffect(() => {
    if (page) document.title = formatPageTitle(title)
  }, [page, title])
  useRemembered(tab, url, title)
  if (page?.screen.bare) return <Bare match={page} location={location} />
  return (
    <MainLayout
      entries={entries}
      current={page?.screen.under ?? page?.key ?? ''}
      breadcrumb={
        <>
          <Breadcrumb entries={entries} match={page} title={title} />
          <Favourite tab={tab} url={url} title={title} />
        </>
      }
      tabBar={<TabBar tabs={tabs} active={tab?.key} actions={actions} />}
    >
      <KnownPagesProvider value={isKnown}>
        {tabs.list
          .filter(({ key }) => tabs.live.includes(key))
          .map((each) => (
            <TabPanel
              key={`${each.key}#${each.version}`}
              tab={each}
              actions={actions}
              here={each.key === tab?.key ? location : undefined}
            />
          ))}
      </KnownPagesProvider>
      {match === 'no right' && <ForbiddenPage />}
      {match === 'unknown' && <NotFound />}
    </MainLayout>
  )
}

/** Opens the tab of a URL, or updates the open tab, before the first paint. */
function useOpened(tab: { key: string; title: string } | undefined, url: string) {
  const { key, title } = tab ?? {}
  useLayoutEffect(() => {
    if (key && title) changeTabs((now) => showTab(now, { key, title, url }))
  }, [key, title, url])
}

/** Stores the shown page for the search. */
function useRemembered(tab: { key: string } | undefined, url: string, title: string) {
  const key = tab?.key
  useEffect(() => {
    if (key) rememberPage({ key, url, title })
  }, [key, url, title])
}

function Bare({ match, location }: { match: RouteMatch; location: Location }): ReactNode {
  const actions = useTabActions()
  const tab = { key: match.key, url: urlOf(location), title: match.screen.title, version: 0, dirty: [] }
  return <TabPanel tab={tab} actions={actions} here={location} />
}
