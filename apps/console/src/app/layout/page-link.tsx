import { Link } from '#core/routing/router.tsx'
import type { MenuEntry } from '#app/menu-tree.ts'
import { MenuIcon } from './menu-icon.tsx'

/** Indentation per level of the sidebar in pixels. */
export const computeSidebarIndent = (depth: number) => ({ paddingInlineStart: 16 + depth * 16 })

/** Icon and name of an entry. Top-level entries always have an icon, others only when the server names one. */
export const SideLabel = ({ entry: { name, url, icon }, depth }: Pick<LinkProps, 'entry' | 'depth'>) => (
  <>
    {(depth === 0 || icon) && <MenuIcon name={icon} url={url} />}
    <span className="side-name">{name}</span>
  </>
)

interface LinkProps {
  readonly entry: MenuEntry
  readonly current: string
  /** Number of parent directories. */
  readonly depth: number
  /** Hides the icon from screen readers, because the name is rendered too. */
  readonly named?: boolean
  readonly onNavigate?: (() => void) | undefined
}

/** Link to a page of the console, or to an external URL, which opens in a new tab. */
export function PageLink({ entry, current, depth, named = false, onNavigate }: LinkProps) {
  const { name, url } = entry
  const shared = {
    className: 'side-item',
    style: computeSidebarIndent(depth),
    ...(!named && { title: name }),
    onClick: onNavigate,
  }
  const content = <SideLabel entry={entry} depth={depth} />
  return url.startsWith('http') ? (
    <a {...shared} href={url} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  ) : (
    <Link {...shared} to={url} aria-current={url === current ? 'page' : undefined}>
      {content}
    </Link>
  )
}
