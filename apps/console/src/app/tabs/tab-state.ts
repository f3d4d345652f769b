import { createStore, useStore } from '#core/events/store.ts'
import { getSession } from '#core/auth/session.tsx'
import { matchRoute } from '#app/screen-match.ts'
import {
  markDirty,
  NO_TABS,
  filterPermittedTabs,
  showTab,
  type Tab,
  findTab,
  type Tabs,
  renameTab,
} from './tab-store.ts'

const KEY = 'tabs'
export const tabs = createStore<Tabs>(NO_TABS)
export const useTabs = () => useStore(tabs)
export const changeTabs = (to: (now: Tabs) => Tabs) => tabs.set(to(tabs.get()))

/**
 * Restores the tabs after a reload when the same account may still see them, and adds the current page, so that the
 * first render shows it.
 */
export function restoreTabs(mayOpen: (access: string) => boolean) {
  const titleOf = (url: string) => {
    const screen = matchRoute(url)?.screen
    return screen && mayOpen(screen.access) ? screen.title : undefined
  }
  const before = filterPermittedTabs(savedTabs(), titleOf)
  const url = location.pathname + location.search + location.hash
  const here = matchRoute(url)
  const opens = here && !here.screen.bare && !getSession()?.mustChangePassword && mayOpen(here.screen.access)
  tabs.set(opens ? showTab(before, { key: here.key, title: here.screen.title, url }) : before)
  return tabs.subscribe(save)
}

function save() {
  const list = tabs.get().list.map(({ key, url, title, isNamed }) => ({ key, url, title, ...(isNamed && { isNamed }) }))
  sessionStorage.setItem(KEY, JSON.stringify({ uid: getSession()?.uid, list }))
}

function savedTabs(): readonly Tab[] {
  try {
    const saved: { uid?: number; list?: Tab[] } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}')
    return saved.uid === getSession()?.uid && Array.isArray(saved.list) ? saved.list : []
  } catch {
    return []
  }
}

/** State stored with `useTabState`; kept for unmounted pages until the tab closes. */
const memories = new Map<string, Map<string, unknown>>()
export function createTabMemory(key: string) {
  const memory = memories.get(key) ?? new Map<string, unknown>()
  memories.set(key, memory)
  return memory
}
export const clearTabMemory = (keys: readonly string[]) => {
  for (const key of keys) memories.delete(key)
}

export const setTabTitle = (key: string, title: string) => changeTabs((now) => renameTab(now, key, title))
export const markTab = (key: string, source: string, dirty: boolean) =>
  changeTabs((now) => markDirty(now, key, source, dirty))
export const findTabTitle = (key: string) => findTab(tabs.get(), key)?.title ?? ''
export const isTabShown = (key: string) => tabs.get().active === key
