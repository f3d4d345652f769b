import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { useNavigate } from 'react-router'
import { HOME } from '#core/routing/addresses.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { matchRoute } from '#app/screen-match.ts'
import { changeTabs, clearTabMemory, isTabShown, tabs } from './tab-state.ts'
import { closeTabs, isTabDirty, listKeysLeftOf, listKeysRightOf, findTab } from './tab-store.ts'

/** Asks before an action discards the unsaved content of tabs. Returns whether the action may run. */
async function mayDiscard(keys: readonly string[], title: string, verb: string) {
  const unsaved = tabs.get().list.filter((tab) => keys.includes(tab.key) && isTabDirty(tab))
  if (unsaved.length === 0) return true
  const content = `${unsaved.map((tab) => `「${tab.title}」`).join('、')}有未保存的内容，${verb}后将丢失。`
  return dialogs.confirm({ title, content, okText: verb, cancelText: '取消' })
}

/** Opens a page, and closes the tab that it replaces as soon as the page is shown. A tab with unsaved input stays open. */
export function openInPlace(key: string, to: string, navigate: (to: string) => unknown) {
  const next = matchRoute(to)?.key
  const stop = tabs.subscribe(() => {
    if (tabs.get().active !== next) return
    stop()
    const left = findTab(tabs.get(), key)
    if (left && key !== next && !isTabDirty(left)) changeTabs((now) => closeTabs(now, [key]))
  })
  void navigate(to)
}

/** Returns the tab actions for the tab bar, its menu, the keyboard, and pages. */
export function useTabActions() {
  const navigate = useNavigate()
  const client = useQueryClient()

  const closeNow = (keys: readonly string[], then?: string) => {
    const before = tabs.get()
    const after = closeTabs(before, keys)
    clearTabMemory(keys)
    changeTabs(() => after)
    const to = then ?? findTab(after, after.active)?.url ?? HOME
    if (then || after.active !== before.active) void navigate(to)
  }

  const close = async (keys: readonly string[], then?: string) => {
    const going = keys.filter((key) => key !== HOME)
    if (await mayDiscard(going, '关闭页签', '关闭')) closeNow(keys, then)
  }
  /** Refreshes via /redirect, as specified, without a history entry. */
  const refresh = (key: string) => navigate(`/redirect${findTab(tabs.get(), key)?.url ?? HOME}`, { replace: true })

  const others = (key: string) =>
    tabs.get().list.flatMap((tab) => (tab.key === key || tab.key === HOME ? [] : [tab.key]))

  return useStableActions({
    show: (key: string) => navigate(findTab(tabs.get(), key)?.url ?? HOME),
    close: (key: string) => close([key]),
    closeOthers: async (key: string) => {
      const url = findTab(tabs.get(), key)?.url
      await close(others(key))
      // Activates the kept tab after "close others".
      if (url && tabs.get().active !== key) void navigate(url)
    },
    closeLeft: (key: string) => close(listKeysLeftOf(tabs.get(), key)),
    closeRight: (key: string) => close(listKeysRightOf(tabs.get(), key)),
    closeAll: () => close(others(HOME), HOME),
    refresh,
    replace: (key: string, to: string) => openInPlace(key, to, navigate),
    /** Refreshes a tab on request of the user: asks before unsaved content is discarded. */
    requestRefresh: async (key: string) => {
      if (await mayDiscard([key], '刷新页面', '刷新')) await refresh(key)
    },
    /**
     * Closes a finished page and reloads the list that opened it. A hidden page closes without changing the active
     * tab.
     */
    finish: (key: string, then?: string) => {
      // An open tab keeps its URL, so that a list returns with its filters and page.
      const to = then && (findTab(tabs.get(), then)?.url ?? then)
      closeNow([key], isTabShown(key) ? to : undefined)
      if (then) void client.invalidateQueries({ refetchType: 'active' })
    },
  })
}
export type TabActions = ReturnType<typeof useTabActions>

type Actions = Readonly<Record<string, (key: string, then: string) => unknown>>

/** Returns functions with a stable identity that call the latest version, so that consumers do not re-render. */
function useStableActions<A extends Actions>(actions: A): A {
  const latest = useRef(actions)
  useLayoutEffect(() => {
    latest.current = actions
  })
  const names = Object.keys(actions).join(' ')
  return useMemo(() => {
    const same = names
      .split(' ')
      .map((name) => [name, (key: string, then: string) => latest.current[name]?.(key, then)])
    return Object.fromEntries(same) as A
  }, [names])
}
