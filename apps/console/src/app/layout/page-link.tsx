import { Link } from '#kernel/router.tsx'
import type { MenuEntry } from '../menu-tree.ts'
import { MenuIcon } from './menu-icon.tsx'

interface LinkProps {
  readonly entry: MenuEntry
  readonly current: string
  /** Directories above it. */
  readonly depth: number
  /** Its name is said beside it already. */
  readonly named?: boolean
  readonly onNavigate?: (() => void) | undefined
}

/** A page of the console, or an address elsewhere, which opens beside it. At the top there is always a drawing. */
export function PageLink({ entry: { name, url, icon }, current, depth, named = false, onNavigate }: LinkProps) {
  const shared = {
    className: 'side-item',
    style: { paddingInlineStart: 16 + depth * 16 },
    ...(!named && { title: name }),
    onClick: onNavigate,
  }
  const content = (
    <>
      {(depth === 0 || icon) && <MenuIcon name={icon} url={url} />}
      <span className="side-name">{name}</span>
    </>
  )
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
