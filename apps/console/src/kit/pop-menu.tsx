import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

export interface PopMenuItem {
  readonly key: string
  readonly label: ReactNode
  readonly disabled?: boolean
  readonly danger?: boolean
  /** A line above this entry parts it from those before. */
  readonly parted?: boolean
  readonly onClick: () => unknown
}

/** What the menu stands at, in pixels of the window: a button's box, or the point of the mouse. */
export type Anchor = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

interface Props {
  readonly items: readonly PopMenuItem[]
  readonly label: string
  readonly anchor: () => Anchor
  /** Which edges meet: `end` lets the menu grow to the left. */
  readonly align?: 'start' | 'end'
  readonly className?: string
  /** Pressing this is no press beside the menu: it closes its menu itself. */
  readonly opener?: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

const GAP = 4
const EDGE = 8
const ENTRIES = '[role=menuitem]'

/**
 * A menu shown while it is rendered: above everything, within the window, walked with the arrows, closed by Escape, by a
 * press beside it, and by a choice. A tenth of the work of antd's, which matters where each page or row has one.
 */
export function PopMenu({ items, label, anchor, align = 'start', className = '', opener, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement>(null)
  const show = useEffectEvent((element: HTMLElement) => {
    element.showPopover()
    place(element, anchor(), align)
    element.querySelector<HTMLElement>(`${ENTRIES}:not([aria-disabled=true])`)?.focus({ preventScroll: true })
  })
  const leave = useEffectEvent((event: Event) => {
    const at = event.target as Node
    const inside = event.type !== 'blur' && (menu.current?.contains(at) || opener?.current?.contains(at))
    if (!inside) onClose()
  })
  useLayoutEffect(() => {
    const element = menu.current
    if (!element) return
    before.current = document.activeElement as HTMLElement | null
    show(element)
    const ways = ['pointerdown', 'scroll', 'resize', 'blur'] as const
    for (const way of ways) addEventListener(way, leave, { capture: way !== 'blur' })
    return () => {
      for (const way of ways) removeEventListener(way, leave, { capture: way !== 'blur' })
      if (element.contains(document.activeElement)) before.current?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <div
      ref={menu}
      popover="manual"
      role="menu"
      aria-label={label}
      className={`pop-menu ${className}`}
      onKeyDown={(event) => walk(event, onClose)}
      onContextMenu={(event) => event.preventDefault()}
    >
      {items.map(({ key, label: text, disabled, danger, parted, onClick }) => (
        <button
          key={key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={disabled || undefined}
          className={`pop-item${danger ? ' pop-danger' : ''}${parted ? ' pop-parted' : ''}`}
          onClick={() => {
            if (disabled) return
            // The menu goes away: what opens now gives the focus back to where the menu came from.
            before.current?.focus({ preventScroll: true })
            onClose()
            onClick()
          }}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

function walk(event: KeyboardEvent<HTMLElement>, close: () => void) {
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>(ENTRIES)]
  const at = entries.indexOf(document.activeElement as HTMLElement)
  const to = {
    ArrowDown: (at + 1) % entries.length,
    ArrowUp: (Math.max(at, 0) - 1 + entries.length) % entries.length,
    Home: 0,
    End: entries.length - 1,
  }[event.key]
  if (event.key === 'Escape' || event.key === 'Tab') close()
  else if (to === undefined) return
  else entries[to]?.focus()
  // Escape closes the menu alone, not the drawer it stands in.
  event.stopPropagation()
  if (event.key !== 'Tab') event.preventDefault()
}

/** Below the anchor, or above it where there is no room; never outside the window. */
function place(menu: HTMLElement, { left, right, top, bottom }: Anchor, align: 'start' | 'end') {
  const { offsetWidth: width, offsetHeight: height } = menu
  const { clientWidth, clientHeight } = document.documentElement
  const wanted = align === 'end' ? right - width : left
  const below = bottom + GAP
  const y = below + height + EDGE > clientHeight ? top - GAP - height : below
  menu.style.left = `${Math.max(EDGE, Math.min(wanted, clientWidth - width - EDGE))}px`
  menu.style.top = `${Math.max(EDGE, y)}px`
}

interface ButtonProps extends Pick<Props, 'items' | 'align'> {
  readonly label: string
  readonly buttonClass: string
  readonly children: ReactNode
}

/** A button and its menu. */
export function MenuButton({ label, buttonClass, children, ...menu }: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        className={buttonClass}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <PopMenu
          {...menu}
          label={label}
          opener={button}
          anchor={() => button.current?.getBoundingClientRect() ?? new DOMRect()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
