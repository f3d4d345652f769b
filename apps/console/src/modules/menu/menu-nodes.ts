import type { MenuRow } from '@oms/contract/menu.ts'
import type * as z from 'zod'
import type { TreeItem } from '#kit/tree/tree-item.ts'

export type Menu = z.output<typeof MenuRow>
/** A row of the tree table; a leaf has no `children`, so that it shows nothing to open. */
export type MenuNode = Menu & { children?: MenuNode[] }

interface Sent extends Menu {
  children?: Sent[]
}

/** The tree as it came, without empty lists of children. */
export const tidyTree = (rows: readonly Sent[]): MenuNode[] =>
  rows.map(({ children = [], ...row }) => (children.length > 0 ? { ...row, children: tidyTree(children) } : row))

/** Ids of all rows that have something below them. */
export const branchIds = (rows: readonly MenuNode[]): number[] =>
  rows.flatMap(({ id, children }) => (children ? [id, ...branchIds(children)] : []))

export const flatten = (rows: readonly MenuNode[]): MenuNode[] =>
  rows.flatMap((row) => [row, ...flatten(row.children ?? [])])

/** Menus that may stand above one of this kind; itself and what is below it are left out. */
export function parentItems(rows: readonly MenuNode[], type: Menu['type'], self?: number): TreeItem[] {
  return rows.flatMap((row) => {
    if (row.id === self) return []
    const fits = type === 'F' ? row.type === 'C' : row.type === 'M' || (type === 'C' && row.type === 'C')
    const below = row.type === 'F' ? [] : parentItems(row.children ?? [], type, self)
    if (!fits && below.length === 0) return []
    return [{ key: row.id, title: row.name, disabled: !fits, ...(below.length > 0 && { children: below }) }]
  })
}

/**
 * The places after one step up or down among its neighbours: the whole row of siblings is numbered anew, in tens, so
 * that equal numbers cannot make a step do nothing. Undefined at the end of the row.
 */
export function stepped(siblings: readonly MenuNode[], id: number, by: -1 | 1) {
  const from = siblings.findIndex((each) => each.id === id)
  const to = from + by
  if (from < 0 || to < 0 || to >= siblings.length) return undefined
  const next = [...siblings]
  next.splice(to, 0, ...next.splice(from, 1))
  return next.map((each, place) => ({ id: each.id, parentId: each.parentId, sort: (place + 1) * 10 }))
}

/** The row of siblings a menu stands in, in the order shown. */
export function siblingsOf(rows: readonly MenuNode[], id: number): readonly MenuNode[] {
  if (rows.some((row) => row.id === id)) return rows
  for (const { children } of rows) {
    const found = children && siblingsOf(children, id)
    if (found?.length) return found
  }
  return []
}
