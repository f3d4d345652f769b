import { HOME } from '#kernel/addresses.ts'
import { Link } from '#kernel/router.tsx'
import type { Match } from '../screen-match.ts'
import { type MenuEntry, trailOf } from '../menu-tree.ts'

interface Crumb {
  readonly title: string
  readonly to?: string
}

/** Where one is, from the menus; a hidden page stands under the entry it belongs to. */
export function Breadcrumb({
  entries,
  match,
  title,
}: {
  entries: readonly MenuEntry[]
  match: Match | undefined
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

function crumbsOf(entries: readonly MenuEntry[], match: Match | undefined, title: string): readonly Crumb[] {
  const home: Crumb = { title: '首页', to: HOME }
  if (!match || match.key === HOME) return [match ? home : { title }]
  const place = match.screen.under ?? match.key
  const trail = trailOf(entries, place)
  const above = (trail?.above ?? []).map((entry): Crumb => ({ title: entry.name, to: entry.url }))
  const parent = match.screen.under && trail ? [{ title: trail.entry.name, to: trail.entry.url }] : []
  return [home, ...above, ...parent, { title }]
}
