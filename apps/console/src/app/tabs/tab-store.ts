import { HOME } from '#core/routing/addresses.ts'

/** An opened page. `key` identifies the page; `url` is its current URL with filters and page number. */
export interface Tab {
  readonly key: string
  readonly url: string
  readonly title: string
  /** True when the page has set the title from its data. */
  readonly isNamed?: boolean
  /** Incremented by a refresh, which remounts the page. */
  readonly version: number
  /** Ids of the forms of this tab that have unsaved changes. */
  readonly dirty: readonly string[]
}

export interface Tabs {
  readonly list: readonly Tab[]
  readonly active: string
  /** Keys in activation order, latest last; used to select the next tab after closing. */
  readonly visits: readonly string[]
  /** Keys of mounted pages, least recently shown first. */
  readonly live: readonly string[]
}

/** Maximum mounted pages; the least recently shown page without unsaved changes is unmounted first. */
export const MAX_LIVE = 12
const HOME_TAB: Tab = { key: HOME, url: HOME, title: '首页', version: 0, dirty: [] }
export const NO_TABS: Tabs = { list: [HOME_TAB], active: HOME, visits: [], live: [] }

export const isTabDirty = ({ dirty }: Tab) => dirty.length > 0
export const findTab = ({ list }: Tabs, key: string) => list.find((tab) => tab.key === key)

const last = (keys: readonly string[], key: string) => [...keys.filter((each) => each !== key), key]
const change = (tabs: Tabs, key: string, to: (tab: Tab) => Tab): Tabs =>
  findTab(tabs, key) ? { ...tabs, list: tabs.list.map((tab) => (tab.key === key ? to(tab) : tab)) } : tabs

/** Shows a page: an open tab gets the new URL; otherwise a tab is appended. */
export function showTab(tabs: Tabs, { key, url, title }: Pick<Tab, 'key' | 'url' | 'title'>): Tabs {
  const opened = findTab(tabs, key)
    ? change(tabs, key, (tab) => (tab.url === url ? tab : { ...tab, url }))
    : { ...tabs, list: [...tabs.list, { key, url, title, version: 0, dirty: [] }] }
  return evictTabs({ ...opened, active: key, visits: last(tabs.visits, key), live: last(tabs.live, key) })
}

function evictTabs(tabs: Tabs): Tabs {
  const mayGo = (key: string) => {
    const tab = findTab(tabs, key)
    return key !== tabs.active && !(tab && isTabDirty(tab))
  }
  const live = [...tabs.live]
  while (live.length > MAX_LIVE) {
    const at = live.findIndex(mayGo)
    if (at < 0) break
    live.splice(at, 1)
  }
  return { ...tabs, live }
}

/**
 * Closes tabs except home. Closing the active tab activates the previously active tab, else the right neighbour, the
 * left neighbour, or home.
 */
export function closeTabs(tabs: Tabs, keys: readonly string[]): Tabs {
  const going = new Set(keys.filter((key) => key !== HOME))
  const stays = (key: string) => !going.has(key)
  const active = stays(tabs.active) ? tabs.active : nextAfter(tabs, stays)
  return {
    list: tabs.list.filter((tab) => stays(tab.key)),
    active,
    visits: tabs.visits.filter(stays),
    live: tabs.live.filter(stays),
  }
}

function nextAfter({ list, active, visits }: Tabs, stays: (key: string) => boolean) {
  const seenBefore = visits.findLast((key) => key !== active && stays(key))
  if (seenBefore) return seenBefore
  const at = list.findIndex((tab) => tab.key === active)
  const right = list.slice(at + 1).find((tab) => stays(tab.key))
  const left = list.slice(0, Math.max(at, 0)).findLast((tab) => stays(tab.key))
  return (right ?? left)?.key ?? HOME
}

/** Returns the keys of the tabs left of a tab, without home. */
export const listKeysLeftOf = ({ list }: Tabs, key: string) =>
  list
    .slice(0, Math.max(indexOf(list, key), 0))
    .map((tab) => tab.key)
    .filter((each) => each !== HOME)

/** Returns the keys of the tabs right of a tab. */
export const listKeysRightOf = ({ list }: Tabs, key: string) => list.slice(indexOf(list, key) + 1).map((tab) => tab.key)

const indexOf = (list: readonly Tab[], key: string) => list.findIndex((tab) => tab.key === key)

/** Remounts a page; its state and unsaved marks are discarded. */
export const refreshTab = (tabs: Tabs, key: string) =>
  change(tabs, key, (tab) => ({ ...tab, version: tab.version + 1, dirty: [] }))

export const renameTab = (tabs: Tabs, key: string, title: string) =>
  findTab(tabs, key)?.title === title ? tabs : change(tabs, key, (tab) => ({ ...tab, title, isNamed: true }))

export function markDirty(tabs: Tabs, key: string, source: string, dirty: boolean) {
  if ((findTab(tabs, key)?.dirty.includes(source) ?? false) === dirty) return tabs
  return change(tabs, key, (tab) => ({
    ...tab,
    dirty: dirty ? [...tab.dirty, source] : tab.dirty.filter((each) => each !== source),
  }))
}

/** Restores the permitted tabs of an earlier page load. Titles that a page set from its data are kept. */
export function filterPermittedTabs(saved: readonly Tab[], titleOf: (url: string) => string | undefined): Tabs {
  const list = saved.flatMap((tab) => {
    const title = tab.key === HOME ? undefined : titleOf(tab.url)
    return title ? [{ ...tab, title: tab.isNamed ? tab.title : title, version: 0, dirty: [] }] : []
  })
  return { ...NO_TABS, list: [HOME_TAB, ...list] }
}
