import { HOME } from '#core/routing/addresses.ts'
import { Link } from '#core/routing/router.tsx'
import type { RouteMatch } from '#app/screen-match.ts'
import { type MenuEntry, findTrail } from '#app/menu-tree.ts'

interface Crumb {
  readonly title: string
  readonly to?: string
}

/** Renders the breadcrumb from the menus; a hidden page uses its parent entry. */
export function Breadcrumb({
  entries,
  match,
  title,
}: {
  entries: readonly MenuEntry[]
  match: RouteMatch | undefined
  title: string
}) {
  const crumbs = crumbsOf(entries, match, title)
  return (
    <nav className="breadcrumb" aria-label="面包屑">
      <ol>
        {crumbs.map((crumb, at) => (
          <li key={crumb.title} title={crumb.title} aria-current={at === crumbs.length - 1 ? 'page' : undefined}>
            {crumb.to && at < crumbs.length - 1 ? <Link to={crumb.to}>{crumb.title}</Link> : crumb.title}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function crumbsOf(entries: readonly MenuEntry[], match: RouteMatch | undefined, title: string): readonly Crumb[] {
  const home: Crumb = { title: '首页', to: HOME }
  if (!match || match.key === HOME) return [match ? home : { title }]
  const place = match.screen.under ?? match.key
  const trail = findTrail(entries, place)
  const above = (trail?.above ?? []).map((entry): Crumb => ({ title: entry.name, to: entry.url }))
  const parent = match.screen.under && trail ? [{ title: trail.entry.name, to: trail.entry.url }] : []
  const crumbs = [home, ...above, ...parent, { title }]
  // A menu and its page may have the same name. Only the page is shown, because its crumb links to the list.
  return crumbs.filter((crumb, at) => crumb.title !== crumbs[at + 1]?.title)
}
