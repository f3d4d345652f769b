import { CloseOutlined } from '@ant-design/icons'
import { type KeyboardEvent, memo, type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { HOME } from '#core/routing/addresses.ts'
import { type MenuAnchor, DropdownMenu, type DropdownMenuItem } from '#kit/feedback/dropdown-menu.tsx'
import { formatPanelId, formatTabId } from './tab-panel.tsx'
import { isTabDirty, listKeysLeftOf, listKeysRightOf, type Tab, type Tabs } from './tab-store.ts'
import { TabList } from './tab-list.tsx'
import type { TabActions } from './use-tab-actions.ts'

interface Props {
  readonly tabs: Tabs
  /** The active tab; none on a page that was not found. */
  readonly active: string | undefined
  readonly actions: TabActions
}

/**
 * Tab bar of the opened pages. Arrow keys move the focus, Enter shows, Delete closes, the context menu key opens the
 * menu.
 */
export function TabBar({ tabs, active, actions }: Props) {
  const strip = useRef<HTMLDivElement>(null)
  const [asked, setAsked] = useState<{ key: string; at: MenuAnchor }>()
  useRevealedTab(strip, tabs, active)
  const askFor = (event: MouseEvent<HTMLElement>) => {
    const element = (event.target as HTMLElement).closest('[role=tab]')
    const tab = tabs.list.find(({ key }) => formatTabId(key) === element?.id)
    if (!element || !tab) return
    event.preventDefault()
    setAsked({ key: tab.key, at: anchorOf(event, element) })
  }
  return (
    <section className="tab-strip" aria-label="页签栏">
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the tabs inside take the focus */}
      <div
        ref={strip}
        className="tab-bar"
        role="tablist"
        aria-label="已打开的页面"
        onContextMenu={askFor}
        onWheel={({ deltaY }) => strip.current?.scrollBy({ left: deltaY })}
      >
        {tabs.list.map((tab) => (
          <TabButton key={tab.key} tab={tab} shown={tab.key === active} actions={actions} />
        ))}
      </div>
      <TabList strip={strip} tabs={tabs} active={active} actions={actions} />
      {asked && (
        <DropdownMenu
          key={`${asked.key} ${asked.at.left}`}
          className="tab-menu"
          label="页签菜单"
          items={menuOf(asked.key, tabs, actions)}
          anchor={() => asked.at}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  )
}

/** Returns the pointer position, or the box of the tab for the keyboard's menu key, which has no position. */
const anchorOf = ({ clientX: x, clientY: y }: MouseEvent, element: Element): MenuAnchor =>
  x || y ? new DOMRect(x, y) : element.getBoundingClientRect()

/** Scrolls the active tab into view. */
function useRevealedTab(strip: RefObject<HTMLDivElement | null>, tabs: Tabs, active: string | undefined) {
  // A page may set its title later, which changes the tab's width.
  const title = tabs.list.find(({ key }) => key === active)?.title
  useEffect(() => {
    const reveal = () =>
      strip.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    // Measures after the paint of the new page; an earlier measurement would force a full layout.
    let later: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      later = setTimeout(reveal)
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(later)
    }
  }, [strip, active, title, tabs.list.length])
}

interface ButtonProps {
  readonly tab: Tab
  readonly shown: boolean
  readonly actions: TabActions
}

const TabButton = memo(function TabButton({ tab, shown, actions }: ButtonProps) {
  const closable = tab.key !== HOME
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowLeft: 'previousElementSibling', ArrowRight: 'nextElementSibling' }[event.key]
    if (step) (event.currentTarget[step as 'nextElementSibling'] as HTMLElement | null)?.focus()
    else if (event.key === 'Delete' && closable) void actions.close(tab.key)
    else if (event.key === 'Enter' || event.key === ' ') void actions.show(tab.key)
    else return
    event.preventDefault()
  }
  return (
    <div
      role="tab"
      id={formatTabId(tab.key)}
      aria-controls={shown ? formatPanelId(tab.key) : undefined}
      aria-selected={shown}
      tabIndex={shown ? 0 : -1}
      className={shown ? 'tab tab-shown' : 'tab'}
      onClick={() => actions.show(tab.key)}
      onAuxClick={({ button }) => button === 1 && closable && void actions.close(tab.key)}
      onKeyDown={onKeyDown}
    >
      {isTabDirty(tab) && <span className="tab-dot" role="img" aria-label="有未保存的内容" />}
      <span className="tab-title" title={tab.title}>
        {tab.title}
      </span>
      {closable && (
        <CloseOutlined
          className="tab-close"
          aria-hidden
          title="关闭"
          onClick={(event) => {
            event.stopPropagation()
            void actions.close(tab.key)
          }}
        />
      )}
    </div>
  )
})

/** The specification's four actions and "close left/right"; an action without effect is disabled, not hidden. */
function menuOf(key: string, tabs: Tabs, actions: TabActions): DropdownMenuItem[] {
  const { list } = tabs
  const closable = list.filter((tab) => tab.key !== HOME)
  const others = closable.filter((tab) => tab.key !== key)
  return [
    { key: 'refresh', label: '刷新页面', onClick: () => actions.requestRefresh(key) },
    { key: 'close', label: '关闭当前', disabled: key === HOME, onClick: () => actions.close(key) },
    { key: 'others', label: '关闭其他', disabled: !others.length, onClick: () => actions.closeOthers(key) },
    {
      key: 'left',
      label: '关闭左侧',
      disabled: !listKeysLeftOf(tabs, key).length,
      onClick: () => actions.closeLeft(key),
    },
    {
      key: 'right',
      label: '关闭右侧',
      disabled: !listKeysRightOf(tabs, key).length,
      onClick: () => actions.closeRight(key),
    },
    { key: 'all', label: '全部关闭', disabled: !closable.length, onClick: () => actions.closeAll() },
  ]
}
