import { DownOutlined } from '@ant-design/icons'
import { memo, type RefObject, useEffect, useRef, useState } from 'react'
import { type MenuEntry, findTrail } from '#app/menu-tree.ts'
import { Brand } from './brand.tsx'
import { computeSidebarIndent, PageLink, SideLabel } from './page-link.tsx'
import { SidebarFlyout } from './sidebar-flyout.tsx'

interface Props {
  readonly entries: readonly MenuEntry[]
  /** URL of the entry to highlight. */
  readonly current: string
  readonly collapsed: boolean
  readonly onNavigate?: () => void
}

/** The server's menus with home first. Memoised, because every tab change would render the sidebar again. */
export const Sidebar = memo(function Sidebar({ entries, current, collapsed, onNavigate }: Props) {
  const above = findTrail(entries, current)?.above.map(({ url }) => url) ?? []
  const [opened, setOpened] = useState<readonly string[]>(above)
  const [seen, setSeen] = useState(current)
  // A page opened from elsewhere expands its group once; afterwards the user decides.
  if (seen !== current) {
    setSeen(current)
    setOpened([...new Set([...opened, ...above])])
  }
  const toggle = (url: string) =>
    setOpened(opened.includes(url) ? opened.filter((each) => each !== url) : [...opened, url])
  const at = { current, above, opened, toggle, onNavigate }
  const nav = useRef<HTMLElement>(null)
  useCurrentInView(nav, current, collapsed)
  return (
    <>
      <Brand compact={collapsed} />
      <nav ref={nav} className="side-menu" aria-label="主菜单">
        {collapsed ? (
          <ul>
            {entries.map((entry) => (
              <SidebarFlyout key={entry.url} entry={entry} current={current} within={above.includes(entry.url)} />
            ))}
          </ul>
        ) : (
          <Entries entries={entries} depth={0} {...at} />
        )}
      </nav>
    </>
  )
})

/** Distance in pixels between the current entry and the edge of the sidebar. */
const EDGE = 8

/** Scrolls the sidebar to the entry of the shown page. A press on a directory does not scroll. */
function useCurrentInView(nav: RefObject<HTMLElement | null>, current: string, collapsed: boolean) {
  useEffect(() => {
    const box = nav.current?.getBoundingClientRect()
    const entry = nav.current?.querySelector(
      collapsed ? '.side-folded > :is(.side-within, [aria-current])' : '.side-item[aria-current]',
    )
    if (!nav.current || !box || !entry) return
    const { top, bottom } = entry.getBoundingClientRect()
    // scrollIntoView would also scroll the page while the drawer of a narrow window slides in.
    if (bottom > box.bottom - EDGE) nav.current.scrollBy(0, bottom - box.bottom + EDGE)
    else if (top < box.top + EDGE) nav.current.scrollBy(0, top - box.top - EDGE)
  }, [nav, current, collapsed])
}

interface EntriesProps {
  readonly entries: readonly MenuEntry[]
  readonly depth: number
  readonly current: string
  /** Parent directories of the shown page. */
  readonly above: readonly string[]
  readonly opened: readonly string[]
  readonly toggle: (url: string) => void
  readonly onNavigate?: (() => void) | undefined
}

const Entries = ({ entries, depth, ...at }: EntriesProps) => (
  <ul>
    {entries.map((entry) => (
      <li key={entry.url}>
        {entry.children.length > 0 ? (
          <Group entry={entry} depth={depth} {...at} />
        ) : (
          <PageLink entry={entry} current={at.current} depth={depth} onNavigate={at.onNavigate} />
        )}
      </li>
    ))}
  </ul>
)

function Group({ entry, depth, ...at }: Omit<EntriesProps, 'entries'> & { entry: MenuEntry }) {
  const { name, url, children } = entry
  const open = at.opened.includes(url)
  return (
    <>
      <button
        type="button"
        className={at.above.includes(url) ? 'side-item side-within' : 'side-item'}
        style={computeSidebarIndent(depth)}
        title={name}
        aria-expanded={open}
        onClick={() => at.toggle(url)}
      >
        <SideLabel entry={entry} depth={depth} />
        <DownOutlined className="side-arrow" aria-hidden />
      </button>
      {open && <Entries entries={children} depth={depth + 1} {...at} />}
    </>
  )
}
