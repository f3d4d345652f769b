import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

export interface DropdownMenuItem {
  readonly key: string
  readonly label: ReactNode
  /** The reason why the entry is disabled, in a second line. */
  readonly reason?: string | undefined
  readonly disabled?: boolean
  readonly danger?: boolean
  /** Shows a divider above this entry. */
  readonly parted?: boolean
  readonly onClick: () => unknown
}

/** Anchor in window pixels: the box of a button, or the mouse position. */
export type MenuAnchor = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

interface Props {
  readonly items: readonly DropdownMenuItem[]
  readonly label: string
  readonly anchor: () => MenuAnchor
  /** Alignment with the anchor: `end` aligns the right edges. */
  readonly align?: 'start' | 'end'
  readonly className?: string
  /** Element whose click does not count as an outside click, because the element toggles the menu itself. */
  readonly opener?: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

const GAP = 4
const EDGE = 8
const ENTRIES = '[role=menuitem]'

/**
 * Renders a dropdown menu above the page and within the window. Arrow keys move the focus; Escape, an outside click
 * or a selection closes the menu. Takes a tenth of the render time of antd's menu, which matters with one menu per
 * page or row.
 */
export function DropdownMenu(props: Props) {
  const { items, label, className = '', onClose } = props
  const { menu, before } = useOpenMenu(props)
  return (
    <div
      ref={menu}
      popover="manual"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className={`pop-menu ${className}`}
      onKeyDown={(event) => handleMenuKey(event, onClose)}
      onContextMenu={(event) => event.preventDefault()}
    >
      {items.map(({ key, label: text, reason, disabled, danger, parted, onClick }) => (
        <button
          key={key}
          type="button"
          role="menuitem"
          {...(reason && { 'aria-label': String(text), 'aria-description': reason })}
          tabIndex={-1}
          aria-disabled={disabled || undefined}
          className={`pop-item${danger ? ' pop-danger' : ''}${parted ? ' pop-parted' : ''}`}
          onClick={() => {
            if (disabled) return
            // Restores the focus before the action runs, so that a dialog opened by the action can restore it to the
            // anchor.
            before.current?.focus({ preventScroll: true })
            onClose()
            onClick()
          }}
        >
          {text}
          {reason && <small className="pop-reason">{reason}</small>}
        </button>
      ))}
    </div>
  )
}

/** Opens the menu at its anchor and closes the menu on outside events. */
function useOpenMenu({ anchor, align = 'start', opener, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement>(null)
  const openedAt = useRef<MenuAnchor>(null)
  const show = useEffectEvent((element: HTMLElement) => {
    element.showPopover()
    openedAt.current = anchor()
    place(element, openedAt.current, align)
    element.querySelector<HTMLElement>(`${ENTRIES}:not([aria-disabled=true])`)?.focus({ preventScroll: true })
  })
  const leave = useEffectEvent((event: Event) => {
    const at = event.target
    // The target of `resize` and `blur` is the window, which is no node.
    const inside = at instanceof Node && (menu.current?.contains(at) || opener?.current?.contains(at))
    // The scroll event of a page that scrolled just before the press arrives just after the press. The menu is still at
    // its button.
    const stays = event.type === 'scroll' && opener && isSamePlace(anchor(), openedAt.current)
    if (!inside && !stays) onClose()
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
  return { menu, before }
}

const isSamePlace = (one: MenuAnchor, other: MenuAnchor | null) =>
  other !== null && Math.abs(one.left - other.left) < 1 && Math.abs(one.top - other.top) < 1

function handleMenuKey(event: KeyboardEvent<HTMLElement>, close: () => void) {
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
  // Escape closes only the menu, not the surrounding drawer.
  event.stopPropagation()
  if (event.key !== 'Tab') event.preventDefault()
}

/** Places the menu below the anchor, or above it when there is no space below; always inside the window. */
function place(menu: HTMLElement, { left, right, top, bottom }: MenuAnchor, align: 'start' | 'end') {
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

/** Renders a button with a dropdown menu. */
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
        <DropdownMenu
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
