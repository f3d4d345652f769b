import type { MenuNode } from '@oms/contract/account/perms.ts'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { Link } from '#core/routing/router.tsx'
import { usePermissions } from '#core/auth/session.tsx'
import { HomeEmpty } from './home-empty.tsx'

const MAX_LINKS = 12

/** Links to the pages that the account may open. */
export function QuickLinks() {
  const { menus } = usePermissions()
  const isKnown = useKnownPages()
  const pages = pagesOf(menus).filter(({ url }) => isKnown(url))
  return (
    <section className="home-card" aria-label="快捷入口">
      <h2>快捷入口</h2>
      {pages.length === 0 && <HomeEmpty text="暂无可用页面" />}
      <div className="home-links">
        {pages.slice(0, MAX_LINKS).map(({ id, name, url }) => (
          <Link key={id} to={url}>
            {name}
          </Link>
        ))}
      </div>
    </section>
  )
}

const pagesOf = (menus: readonly MenuNode[]): MenuNode[] =>
  menus.flatMap((menu) => (menu.visible !== 1 ? [] : menu.type === 'M' ? pagesOf(menu.children) : [menu]))
