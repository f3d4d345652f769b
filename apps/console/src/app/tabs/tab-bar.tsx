import { CloseOutlined } from '@ant-design/icons'
import { type KeyboardEvent, memo, type MouseEvent, useEffect, useRef, useState } from 'react'
import { HOME } from '#kernel/addresses.ts'
import { type Anchor, PopMenu, type PopMenuItem } from '#kit/pop-menu.tsx'
import { panelId, tabId } from './tab-panel.tsx'
import { isDirty, type Tab, type Tabs } from './tab-store.ts'
import type { TabActions } from './use-tab-actions.ts'

interface Props {
  readonly tabs: Tabs
  /** What is shown: no tab at all on a page that was not found. */
  readonly active: string | undefined
  readonly actions: TabActions
}

/** The opened pages. Arrows walk, Enter shows, Delete closes, the context menu key opens the tab's menu. */
export function TabBar({ tabs, active, actions }: Props) {
  const strip = useRef<HTMLDivElement>(null)
  const [asked, setAsked] = useState<{ key: string; at: Anchor }>()
  // A page may name its tab later, by what it shows: then it is wider.
  const title = tabs.list.find(({ key }) => key === active)?.title
  useEffect(() => {
    const reveal = () =>
      strip.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    // Once the new page is painted: asked before, the browser lays all of it out for this alone.
    let later: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      later = setTimeout(reveal)
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(later)
    }
  }, [active, title, tabs.list.length])
  const askFor = (event: MouseEvent<HTMLElement>) => {
    const element = (event.target as HTMLElement).closest('[role=tab]')
    const tab = tabs.list.find(({ key }) => tabId(key) === element?.id)
    if (!element || !tab) return
    event.preventDefault()
    // The menu key of the keyboard names no point.
    const { clientX: x, clientY: y } = event
    setAsked({ key: tab.key, at: x || y ? new DOMRect(x, y) : element.getBoundingClientRect() })
  }
  return (
    <>
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
      {asked && (
        <PopMenu
          key={`${asked.key} ${asked.at.left}`}
          className="tab-menu"
          label="页签菜单"
          items={menuOf(asked.key, tabs, actions)}
          anchor={() => asked.at}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
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
    else if (event.key === 'Enter' || event.key === ' ') actions.show(tab.key)
    else return
    event.preventDefault()
  }
  return (
    <div
      role="tab"
      id={tabId(tab.key)}
      aria-controls={shown ? panelId(tab.key) : undefined}
      aria-selected={shown}
      tabIndex={shown ? 0 : -1}
      className={shown ? 'tab tab-shown' : 'tab'}
      onClick={() => actions.show(tab.key)}
      onAuxClick={({ button }) => button === 1 && closable && void actions.close(tab.key)}
      onKeyDown={onKeyDown}
    >
      {isDirty(tab) && <span className="tab-dot" role="img" aria-label="有未保存的内容" />}
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

/** The specification's four; what would do nothing is disabled, not hidden. */
function menuOf(key: string, { list }: Tabs, actions: TabActions): PopMenuItem[] {
  const closable = list.filter((tab) => tab.key !== HOME)
  const others = closable.filter((tab) => tab.key !== key)
  return [
    { key: 'refresh', label: '刷新页面', onClick: () => actions.refresh(key) },
    { key: 'close', label: '关闭当前', disabled: key === HOME, onClick: () => actions.close(key) },
    { key: 'others', label: '关闭其他', disabled: !others.length, onClick: () => actions.closeOthers(key) },
    { key: 'all', label: '全部关闭', disabled: !closable.length, onClick: () => actions.closeAll() },
  ]
}
