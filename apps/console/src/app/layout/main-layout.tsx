import { type ReactNode, Suspense, useCallback, useState } from 'react'
import { readCookie, writeCookie, YEAR_SECONDS } from '#kernel/cookies.ts'
import { usePermissions } from '#kernel/session.tsx'
import { lazyAntd } from '#kit/lazy-antd.tsx'
import type { MenuEntry } from '../menu-tree.ts'
import { SearchHost } from '../search/search-host.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { useNarrow } from './use-narrow.ts'

const VisitBanner = lazyAntd(() => import('#modules/tenant/visit-banner.tsx'), 'VisitBanner')
const SidebarDrawer = lazyAntd(() => import('./sidebar-drawer.tsx'), 'default')

/** Outside the credentials' prefix: a log-out leaves the sidebar as it is. */
const FOLD_COOKIE = 'sidebarStatus'

interface Props {
  readonly entries: readonly MenuEntry[]
  /** Address of the sidebar entry the shown page belongs to. */
  readonly current: string
  readonly breadcrumb: ReactNode
  readonly tabBar: ReactNode
  readonly children: ReactNode
}

/** Sidebar, top bar, tab bar, and the page. */
export function MainLayout({ entries, current, breadcrumb, tabBar, children }: Props) {
  const narrow = useNarrow()
  const { visiting } = usePermissions()
  const [folded, setFolded] = useState(() => readCookie(FOLD_COOKIE) === '0')
  const [drawer, setDrawer] = useState(false)
  const [search, setSearch] = useState(false)
  const openSearch = useCallback(() => setSearch(true), [])
  const closeSearch = useCallback(() => setSearch(false), [])
  const fold = useCallback(() => {
    if (narrow) return setDrawer(true)
    writeCookie(FOLD_COOKIE, folded ? '1' : '0', YEAR_SECONDS)
    setFolded(!folded)
  }, [narrow, folded])
  return (
    <div className={folded && !narrow ? 'layout layout-folded' : 'layout'}>
      {narrow ? (
        <Suspense>
          <SidebarDrawer entries={entries} current={current} open={drawer} onClose={() => setDrawer(false)} />
        </Suspense>
      ) : (
        <aside className="sidebar">
          <Sidebar entries={entries} current={current} collapsed={folded} />
        </aside>
      )}
      <div className="main">
        {visiting && (
          <Suspense>
            <VisitBanner />
          </Suspense>
        )}
        <TopBar collapsed={narrow || folded} onCollapse={fold} onSearch={openSearch}>
          {breadcrumb}
        </TopBar>
        {tabBar}
        <main className="pages">{children}</main>
      </div>
      <SearchHost entries={entries} open={search} onOpen={openSearch} onClose={closeSearch} />
    </div>
  )
}
