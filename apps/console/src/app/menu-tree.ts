import type { MenuNode } from '@oms/contract/perms.ts'
import { HOME } from '#kernel/addresses.ts'
import { matchScreen } from './screen-match.ts'

/** A line of the sidebar. A directory's `url` leads to its first page. */
export interface MenuEntry {
  readonly name: string
  readonly url: string
  readonly icon: string
  readonly children: readonly MenuEntry[]
}

const HOME_ENTRY: MenuEntry = { name: '首页', url: HOME, icon: 'home', children: [] }
const EXTERNAL = /^https?:\/\//

/** The sidebar: home first, then what the server shows and this program knows. Identity is the whole url, case included. */
export function menuEntries(menus: readonly MenuNode[]): readonly MenuEntry[] {
  const entriesOf = (nodes: readonly MenuNode[]): MenuEntry[] =>
    [...nodes]
      .filter(({ visible, url }) => visible === 1 && url !== HOME)
      .sort((a, b) => a.sort - b.sort)
      .flatMap(({ type, name, url, icon, children }) => {
        const below = type === 'M' ? entriesOf(children) : []
        const known = type === 'M' ? below.length > 0 : EXTERNAL.test(url) || matchScreen(url) !== undefined
        return known ? [{ name, url, icon, children: below }] : []
      })
  return [HOME_ENTRY, ...entriesOf(menus)]
}

/** Pages of the sidebar, each with the directories above it. */
export const menuPages = (entries: readonly MenuEntry[], above: readonly MenuEntry[] = []): MenuTrail[] =>
  entries.flatMap((entry) =>
    entry.children.length ? menuPages(entry.children, [...above, entry]) : [{ entry, above }],
  )

export interface MenuTrail {
  readonly entry: MenuEntry
  readonly above: readonly MenuEntry[]
}

/** The way from the root to a page, for the breadcrumb and the open sidebar groups. */
export const trailOf = (entries: readonly MenuEntry[], url: string) =>
  menuPages(entries).find(({ entry }) => entry.url === url)

/** A parent's address leads to its first page: `/device` → `/device/_manage`. */
export function firstChild(entries: readonly MenuEntry[], pathname: string) {
  const path = pathname.replace(/\/+$/, '')
  return menuPages(entries).find(({ entry }) => entry.url.startsWith(`${path}/`))?.entry.url
}
