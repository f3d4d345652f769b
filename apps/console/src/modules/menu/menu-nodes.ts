import type { MenuRow } from '@oms/contract/menu/menu.ts'
import type * as z from 'zod'
import type { TreeItem } from '#kit/tree/tree-item.ts'

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

/**
 * Moves a menu one position up or down and renumbers all siblings in steps of ten, because two siblings may have equal
 * numbers. Returns undefined at the end of the list.
 */
export function moveMenuByStep(siblings: readonly MenuNode[], id: number, by: -1 | 1) {
  const from = siblings.findIndex((each) => each.id === id)
  const to = from + by
  if (from < 0 || to < 0 || to >= siblings.length) return undefined
  const next = [...siblings]
  next.splice(to, 0, ...next.splice(from, 1))
  return next.map((each, place) => ({ id: each.id, parentId: each.parentId, sort: (place + 1) * 10 }))
}

/** Returns the siblings of a menu, including the menu, in the displayed order. */
export function listSiblings(rows: readonly MenuNode[], id: number): readonly MenuNode[] {
  if (rows.some((row) => row.id === id)) return rows
  for (const { children } of rows) {
    const found = children && listSiblings(children, id)
    if (found?.length) return found
  }
  return []
}
