import { Link } from '#kernel/router.tsx'
import type { MenuEntry } from '../menu-tree.ts'
import { MenuIcon } from './menu-icon.tsx'

/** A line of the sidebar stands in by its depth, in pixels. */
export const indentedBy = (depth: number) => ({ paddingInlineStart: 16 + depth * 16 })

/** Drawing and name of a line. At the top there is always a drawing, below only one the server names. */
export const SideLabel = ({ entry: { name, url, icon }, depth }: Pick<LinkProps, 'entry' | 'depth'>) => (
  <>
    {(depth === 0 || icon) && <MenuIcon name={icon} url={url} />}
    <span className="side-name">{name}</span>
  </>
)

interface LinkProps {
  readonly entry: MenuEntry
  readonly current: string
  /** Directories above it. */
  readonly depth: number
  /** Its name is said beside it already. */
  readonly named?: boolean
  readonly onNavigate?: (() => void) | undefined
}

/** A page of the console, or an address elsewhere, which opens beside it. */
export function PageLink({ entry, current, depth, named = false, onNavigate }: LinkProps) {
  const { name, url } = entry
  const shared = {
    className: 'side-item',
    style: indentedBy(depth),
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
