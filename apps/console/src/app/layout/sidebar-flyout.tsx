import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { MenuEntry } from '#app/menu-tree.ts'
import { MenuIcon } from './menu-icon.tsx'
import { PageLink } from './page-link.tsx'

/** Milliseconds before the flyout closes after the pointer left. */
const LEAVE_MS = 150
const EDGE = 8

interface Props {
  readonly entry: MenuEntry
  readonly current: string
  /** True when the shown page is this entry or a descendant. */
  readonly within: boolean
}

/** Top-level entry of the collapsed sidebar. Its name and pages open as a flyout on hover, click or Enter. */
export function SidebarFlyout({ entry, current, within }: Props) {
  const line = useRef<HTMLLIElement>(null)
  const { open, setOpen, show, hide, hideLater } = useFlyout(line)
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape') return
    hide()
    line.current?.querySelector<HTMLElement>('.side-item')?.focus()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && line.current?.contains(relatedTarget))) hide()
  }
  return (
    <li
      ref={line}
      className="side-folded"
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && show()}
      onPointerLeave={hideLater}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      {entry.children.length > 0 ? (
        <button
          type="button"
          className={within ? 'side-item side-within' : 'side-item'}
          aria-label={entry.name}
          aria-expanded={open}
          onClick={() => setOpen(true)}
        >
          <MenuIcon name={entry.icon} url={entry.url} />
        </button>
      ) : (
        <PageLink entry={entry} current={current} depth={0} named onNavigate={hide} />
      )}
      {open && <Flown entry={entry} current={current} line={line} onNavigate={hide} />}
    </li>
  )
}

/** Keeps whether the flyout is open. Closes the flyout after a press outside and some time after the pointer left. */
function useFlyout(line: RefObject<HTMLLIElement | null>) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [open, setOpen] = useState(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Touch outside fires no blur or leave event, so the flyout closes on pointerdown.
  useEffect(() => {
    if (!open) return undefined
    const away = ({ target }: PointerEvent) =>
      (target instanceof Node && line.current?.contains(target)) || setOpen(false)
    addEventListener('pointerdown', away, true)
    return () => removeEventListener('pointerdown', away, true)
  }, [open, line])
  const show = () => {
    clearTimeout(timer.current)
    setOpen(true)
  }
  const hide = () => setOpen(false)
  const hideLater = () => {
    timer.current = setTimeout(hide, LEAVE_MS)
  }
  return { open, setOpen, show, hide, hideLater }
}

interface FlownProps {
  readonly entry: MenuEntry
  readonly current: string
  readonly line: RefObject<HTMLElement | null>
  readonly onNavigate: () => void
}

function Flown({ entry, current, line, onNavigate }: FlownProps) {
  const place = (panel: HTMLElement | null) => {
    const box = line.current?.getBoundingClientRect()
    if (!panel || !box) return
    const lowest = document.documentElement.clientHeight - panel.offsetHeight - EDGE
    panel.style.left = `${box.right}px`
    panel.style.top = `${Math.max(EDGE, Math.min(box.top, lowest))}px`
  }
  return (
    <div ref={place} className="side-flown">
      <p className="side-heading" aria-hidden={entry.children.length === 0}>
        {entry.name}
      </p>
      {entry.children.length > 0 && <Flat entries={entry.children} current={current} onNavigate={onNavigate} />}
    </div>
  )
}

/** Subdirectories are headings in the flyout and do not expand. */
const Flat = ({
  entries,
  current,
  onNavigate,
}: Omit<FlownProps, 'entry' | 'line'> & { entries: readonly MenuEntry[] }) => (
  <ul>
    {entries.map((entry) => (
      <li key={entry.url}>
        {entry.children.length > 0 ? (
          <>
            <p className="side-heading">{entry.name}</p>
            <Flat entries={entry.children} current={current} onNavigate={onNavigate} />
          </>
        ) : (
          <PageLink entry={entry} current={current} depth={1} onNavigate={onNavigate} />
        )}
      </li>
    ))}
  </ul>
)
