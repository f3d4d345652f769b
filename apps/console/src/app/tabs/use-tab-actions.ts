import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { useNavigate } from 'react-router'
import { HOME } from '#kernel/addresses.ts'
import { dialogs } from '#kernel/overlays.ts'
import { changeTabs, forgetMemory, tabs } from './tab-state.ts'
import { closed, isDirty, tabOf } from './tab-store.ts'

const UNSAVED = '有未保存的内容，关闭后将丢失。'

/** What can be done to tabs, from the bar, its menu, the keyboard, and from within a page. */
export function useTabActions() {
  const navigate = useNavigate()
  const client = useQueryClient()

  const closeNow = (keys: readonly string[], then?: string) => {
    const before = tabs.get()
    const after = closed(before, keys)
    forgetMemory(keys)
    changeTabs(() => after)
    const to = then ?? tabOf(after, after.active)?.url ?? HOME
    if (then || after.active !== before.active) navigate(to)
  }

  const close = async (keys: readonly string[], then?: string) => {
    const going = tabs.get().list.filter(({ key }) => key !== HOME && keys.includes(key))
    const unsaved = going.filter(isDirty).map(({ title }) => `「${title}」`)
    const content = `${unsaved.join('、')}${UNSAVED}`
    if (unsaved.length && !(await dialogs.confirm({ title: '关闭页签', content, okText: '关闭', cancelText: '取消' })))
      return
    closeNow(keys, then)
  }

  const others = (key: string) =>
    tabs.get().list.flatMap((tab) => (tab.key === key || tab.key === HOME ? [] : [tab.key]))

  return useSame({
    show: (key: string) => navigate(tabOf(tabs.get(), key)?.url ?? HOME),
    close: (key: string) => close([key]),
    closeOthers: async (key: string) => {
      const url = tabOf(tabs.get(), key)?.url
      await close(others(key))
      // The kept tab comes to the front, as people expect of "close others".
      if (url && tabs.get().active !== key) navigate(url)
    },
    closeAll: () => close(others(HOME), HOME),
    /** Through /redirect, as the specification has it; the history gets no entry. */
    refresh: (key: string) => navigate(`/redirect${tabOf(tabs.get(), key)?.url ?? HOME}`, { replace: true }),
    /** A page that is done closes itself, and the list it came from shows the change. */
    finish: (key: string, then?: string) => {
      closeNow([key], then)
      if (then) void client.invalidateQueries({ refetchType: 'active' })
    },
  })
}
export type TabActions = ReturnType<typeof useTabActions>

type Actions = Readonly<Record<string, (key: string, then?: string) => unknown>>

/** The same functions on every render, doing what the last ones would: whoever holds them need not be drawn again. */
function useSame<A extends Actions>(actions: A): A {
  const latest = useRef(actions)
  useLayoutEffect(() => {
    latest.current = actions
  })
  const names = Object.keys(actions).join(' ')
  return useMemo(() => {
    const same = names
      .split(' ')
      .map((name) => [name, (key: string, then?: string) => latest.current[name]?.(key, then)])
    return Object.fromEntries(same) as A
  }, [names])
}
