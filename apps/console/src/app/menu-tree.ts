import { trimEndMatching } from '@oms/contract/core/strip.ts'
import type { MenuNode } from '@oms/contract/account/perms.ts'
import { HOME } from '#core/routing/addresses.ts'
import { matchRoute } from './screen-match.ts'

/** An entry of the sidebar. A directory's `url` opens its first page. */
export interface MenuEntry {
  readonly name: string
  readonly url: string
  readonly icon: string
  readonly children: readonly MenuEntry[]
}

const HOME_ENTRY: MenuEntry = { name: '首页', url: HOME, icon: 'home', children: [] }
const EXTERNAL = /^https?:\/\//

/**
 * Builds the sidebar: home, then menus from the server that have a page in this console. Entries are identified by
 * the full case-sensitive URL.
 */
export function buildMenuEntries(menus: readonly MenuNode[]): readonly MenuEntry[] {
  const entriesOf = (nodes: readonly MenuNode[]): MenuEntry[] =>
    [...nodes]
      .filter(({ visible, url }) => visible === 1 && url !== HOME)
      .sort((a, b) => a.sort - b.sort)
      .flatMap(({ type, name, url, icon, children }) => {
        const below = type === 'M' ? entriesOf(children) : []
        const known = type === 'M' ? below.length > 0 : EXTERNAL.test(url) || matchRoute(url) !== undefined
        return known ? [{ name, url, icon, children: below }] : []
      })
  return [HOME_ENTRY, ...entriesOf(menus)]
}

/** Returns the pages of the sidebar with their parent directories. */
export const listMenuPages = (entries: readonly MenuEntry[], above: readonly MenuEntry[] = []): MenuTrail[] =>
  entries.flatMap((entry) =>
    entry.children.length ? listMenuPages(entry.children, [...above, entry]) : [{ entry, above }],
  )

export interface MenuTrail {
  readonly entry: MenuEntry
  readonly above: readonly MenuEntry[]
}

/** Returns the path from the root to a page, for the breadcrumb and the expanded sidebar groups. */
export const findTrail = (entries: readonly MenuEntry[], url: string) =>
  listMenuPages(entries).find(({ entry }) => entry.url === url)

/** Returns the first page of a parent URL: `/device` → `/device/_manage`. */
export function findFirstChild(entries: readonly MenuEntry[], pathname: string) {
  const path = trimEndMatching(pathname, /\//)
  return listMenuPages(entries).find(({ entry }) => entry.url.startsWith(`${path}/`))?.entry.url
}
