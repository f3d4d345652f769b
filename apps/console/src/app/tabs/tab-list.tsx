import { DownOutlined } from '@ant-design/icons'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { DropdownMenu } from '#kit/feedback/dropdown-menu.tsx'
import { isTabDirty, type Tabs } from './tab-store.ts'
import type { TabActions } from './use-tab-actions.ts'

interface Props {
  readonly strip: RefObject<HTMLElement | null>
  readonly tabs: Tabs
  readonly active: string | undefined
  readonly actions: TabActions
}

/** Menu of all tabs, shown while the tab bar overflows. */
export function TabList({ strip, tabs: { list }, active, actions }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const isOverflowing = useOverflow(strip, list.length)
  if (!isOverflowing) return null
  const items = list.map((tab) => ({
    key: tab.key,
    label: `${isTabDirty(tab) ? '● ' : ''}${tab.title}${tab.key === active ? '（当前）' : ''}`,
    onClick: () => actions.show(tab.key),
  }))
  return (
    <>
      <button
        ref={button}
        type="button"
        className="tab-list-button"
        aria-label={`全部页签（${list.length}）`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <DownOutlined aria-hidden />
      </button>
      {isOpen && (
        <DropdownMenu
          className="tab-list"
          label="全部页签"
          align="end"
          items={items}
          opener={button}
          anchor={() => button.current?.getBoundingClientRect() ?? new DOMRect()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** Returns whether an element overflows horizontally; measured again when its number of children changes. */
function useOverflow(element: RefObject<HTMLElement | null>, children: number) {
  const [isOverflowing, setOverflowing] = useState(false)
  useEffect(() => {
    const observed = element.current
    if (!observed) return undefined
    const measure = () => setOverflowing(observed.scrollWidth > observed.clientWidth + 1)
    // A ResizeObserver fires once on start and on every later size change.
    const observer = new ResizeObserver(measure)
    observer.observe(observed)
    for (const child of observed.children) observer.observe(child)
    return () => observer.disconnect()
  }, [element, children])
  return isOverflowing
}
