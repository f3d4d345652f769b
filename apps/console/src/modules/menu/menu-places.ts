import { MAX_MENU_DEPTH } from '@oms/contract/menu/menu.ts'
import { flattenMenus, type MenuNode, listSiblings } from './menu-nodes.ts'

/** Position of a menu: its parent and its sort number among the siblings. */
interface Place {
  readonly parentId: number
  readonly sort: number
}
export type MenuPlaces = ReadonlyMap<number, Place>
/** Drop position relative to the row under the pointer. */
export type DropZone = 'before' | 'into' | 'after'

const MAX_SORT = 99_999

/** Returns the tree with these positions applied. */
export function applyPlaces(tree: readonly MenuNode[], places: MenuPlaces): readonly MenuNode[] {
  if (places.size === 0) return tree
  const rows = flattenMenus(tree).map((row) => ({ ...alone(row), ...places.get(row.id) }))
  const below = Map.groupBy(rows, ({ parentId }) => parentId)
  const grown = (parentId: number): MenuNode[] =>
    (below.get(parentId) ?? [])
      .toSorted((a, b) => a.sort - b.sort || a.id - b.id)
      .map((row) => (below.has(row.id) ? { ...row, children: grown(row.id) } : row))
  return grown(0)
}

function alone(row: MenuNode): MenuNode {
  const own = { ...row }
  delete own.children
  return own
}

/** Returns the positions that differ from the stored tree. */
export const diffPositions = (tree: readonly MenuNode[], places: MenuPlaces) =>
  flattenMenus(tree).flatMap(({ id, parentId, sort }) => {
    const next = places.get(id)
    return next && (next.parentId !== parentId || next.sort !== sort) ? [{ id, ...next }] : []
  })

/** Returns true when the menu may be dropped there. The rules are those of the server. */
export function canDropMenu(tree: readonly MenuNode[], moved: MenuNode, target: MenuNode, zone: DropZone): boolean {
  if (moved.id === target.id || flattenMenus(moved.children ?? []).some(({ id }) => id === target.id)) return false
  const way = pathTo(tree, target.id)
  const above = zone === 'into' ? way : way.slice(0, -1)
  return fitsUnder(moved, above.at(-1)) && above.length + heightOf(moved) <= MAX_MENU_DEPTH
}

function fitsUnder({ type, visible }: MenuNode, parent: MenuNode | undefined): boolean {
  // A button cannot be below a page without its own permission, because the button could not be granted.
  if (type === 'F') return parent?.type === 'C' && parent.perms !== ''
  if (!parent || parent.type === 'M') return true
  return parent.type === 'C' && type === 'C' && visible === 0
}

/** Returns the path from the root to the menu. */
function pathTo(rows: readonly MenuNode[], id: number): MenuNode[] {
  for (const row of rows) {
    if (row.id === id) return [row]
    const way = pathTo(row.children ?? [], id)
    if (way.length > 0) return [row, ...way]
  }
  return []
}

const heightOf = ({ children = [] }: MenuNode): number => 1 + Math.max(0, ...children.map(heightOf))

/**
 * Returns the positions after a drop. Renumbers the siblings only when no sort number is free between the neighbours.
 */
export function moveMenuByDrop(tree: readonly MenuNode[], id: number, target: MenuNode, zone: DropZone): MenuPlaces {
  const parentId = zone === 'into' ? target.id : target.parentId
  const row = zone === 'into' ? (target.children ?? []) : listSiblings(tree, target.id)
  const others = row.filter((each) => each.id !== id)
  const at =
    zone === 'into' ? others.length : others.findIndex((each) => each.id === target.id) + Number(zone === 'after')
  const sort = numberBetween(others[at - 1]?.sort, others[at]?.sort)
  if (sort !== undefined) return new Map([[id, { parentId, sort }]])
  const ids = others.map((each) => each.id).toSpliced(at, 0, id)
  return new Map(ids.map((each, place) => [each, { parentId, sort: (place + 1) * 10 }]))
}

function numberBetween(before = -1, after: number | undefined): number | undefined {
  if (after === undefined) return before + 10 <= MAX_SORT ? before + (before < 0 ? 11 : 10) : undefined
  const middle = Math.floor((before + after) / 2)
  return middle > before && middle < after ? middle : undefined
}
