import type { MenuRow } from '@oms/contract/system/menu.ts'
import type * as z from 'zod'
import type { TreeItem } from '#kit/tree/tree-item.ts'
import { ICON_WORDS, ICONS } from '#kit/pickers/menu-icons.tsx'

export type Menu = z.output<typeof MenuRow>
/** A row of the tree table. A leaf has no `children`, so the table shows no expand icon. */
export type MenuNode = Menu & { children?: MenuNode[] }

interface Sent extends Menu {
  children?: Sent[]
}

/** Removes empty `children` lists from the tree that the server returned. */
export const removeEmptyChildren = (rows: readonly Sent[]): MenuNode[] =>
  rows.map(({ children = [], ...row }) =>
    children.length > 0 ? { ...row, children: removeEmptyChildren(children) } : row,
  )

/** Returns the ids of all rows that have children. */
export const listBranchIds = (rows: readonly MenuNode[]): number[] =>
  rows.flatMap(({ id, children }) => (children ? [id, ...listBranchIds(children)] : []))

export const flattenMenus = (rows: readonly MenuNode[]): MenuNode[] =>
  rows.flatMap((row) => [row, ...flattenMenus(row.children ?? [])])

/** Returns the menus that may be the parent of this menu type. Leaves out the menu itself and its descendants. */
export function listPossibleParents(rows: readonly MenuNode[], type: Menu['type'], self?: number): TreeItem[] {
  return rows.flatMap((row) => {
    if (row.id === self) return []
    const fits = type === 'F' ? row.type === 'C' : row.type === 'M' || (type === 'C' && row.type === 'C')
    const below = row.type === 'F' ? [] : listPossibleParents(row.children ?? [], type, self)
    if (!fits && below.length === 0) return []
    return [{ key: row.id, title: row.name, disabled: !fits, ...(below.length > 0 && { children: below }) }]
  })
}

/** Icon names that a menu may use. The sidebar can draw each of these icons. */
export const MENU_ICONS = Object.keys(ICONS)

/** Returns the Chinese name of an icon, or the stored name of an icon that the console does not know. */
export const formatIconName = (name: string) => ICON_WORDS[name] ?? name

/** Shows the icon of a menu. Renders nothing for an unknown name. */
export function MenuIcon({ name }: { name: string }) {
  const Icon = ICONS[name]
  return Icon ? <Icon aria-hidden /> : null
}
