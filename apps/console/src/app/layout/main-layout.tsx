import { type ReactNode, Suspense, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { readCookie, writeCookie, YEAR_SECONDS } from '#core/auth/cookies.ts'
import { usePermissions } from '#core/auth/session.tsx'
import { applyAccent } from '#core/theme/accent.ts'
import { useColorScheme } from '#core/theme/color-scheme.ts'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { type Looks, useLooks } from '#kit/table/use-looks.ts'
import { Shortcuts } from '#app/keys/shortcuts.tsx'
import type { MenuEntry } from '#app/menu-tree.ts'
import { GlobalSearch } from '#app/search/global-search.tsx'
import { searchShown } from '#app/search/search-shown.ts'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { Watermark } from './watermark.tsx'
import { useIsNarrowWidth } from './use-is-narrow-width.ts'

const SwitchedTenantBanner = lazyAntd(() => import('#modules/tenant/enter-tenant.tsx'), 'SwitchedTenantBanner')
const SidebarDrawer = lazyAntd(() => import('./sidebar-drawer.tsx'), 'default')

const openSearch = () => searchShown.set(true)

/** Cookie name without the credentials' prefix, so that a logout keeps the sidebar state. */
const FOLD_COOKIE = 'sidebarStatus'

interface Props {
  readonly entries: readonly MenuEntry[]
  /** URL of the sidebar entry of the shown page. */
  readonly current: string
  readonly breadcrumb: ReactNode
  readonly tabBar: ReactNode
  readonly children: ReactNode
}

/** Renders sidebar, top bar, tab bar and page. */
export function MainLayout({ entries, current, breadcrumb, tabBar, children }: Props) {
  const main = useRef<HTMLElement>(null)
  const narrow = useIsNarrowWidth()
  const { switchedTenant, brand } = usePermissions()
  const { looks } = useLooks()
  useShownLooks(looks)
  useAccent(brand.accent)
  const { folded, fold, drawer, setDrawer } = useSidebarState(narrow)
  return (
    <div className={folded && !narrow ? 'layout layout-folded' : 'layout'}>
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        跳到主要内容
      </button>
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
        {switchedTenant && (
          <Suspense>
            <SwitchedTenantBanner />
          </Suspense>
        )}
        <TopBar collapsed={narrow || folded} onCollapse={fold} onSearch={openSearch}>
          {breadcrumb}
        </TopBar>
        {!looks.hidesTabs && tabBar}
        <main ref={main} tabIndex={-1} className="pages">
          {children}
        </main>
      </div>
      <GlobalSearch entries={entries} />
      <Shortcuts />
      {brand.watermark && <Watermark />}
    </div>
  )
}

function useAccent(accent: string) {
  const scheme = useColorScheme()
  useLayoutEffect(() => applyAccent(accent, scheme), [accent, scheme])
}

/** Marks the document with the looks that style sheets implement. */
function useShownLooks({ reducesMotion, isColourWeak }: Looks) {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement
    dataset['motion'] = reducesMotion ? 'reduced' : ''
    dataset['colours'] = isColourWeak ? 'weak' : ''
  }, [reducesMotion, isColourWeak])
}

/** Keeps whether the sidebar is collapsed and, on a narrow screen, whether the drawer is open. */
function useSidebarState(narrow: boolean) {
  const [folded, setFolded] = useState(() => readCookie(FOLD_COOKIE) === '0')
  const [drawer, setDrawer] = useState(false)
  const fold = useCallback(() => {
    if (narrow) return setDrawer(true)
    writeCookie(FOLD_COOKIE, folded ? '1' : '0', YEAR_SECONDS)
    setFolded(!folded)
  }, [narrow, folded])
  return { folded, fold, drawer, setDrawer }
}
