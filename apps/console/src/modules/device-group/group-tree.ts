import type { GroupCount, GroupRow } from '@oms/contract/device-group.ts'
import { MAX_GROUP_DEPTH } from '@oms/contract/device-group.ts'
import type * as z from 'zod'
import type { TreeItem } from '#kit/tree/tree-item.ts'

export type Group = z.output<typeof GroupRow>
type Count = z.output<typeof GroupCount>
/** A row of the tree table; a leaf has no `children`, so that it shows nothing to open. */
export type GroupNode = Group & Partial<Omit<Count, 'id'>> & { children?: GroupNode[] }

/** Groups below their parents, with their counts; one whose parent a filter left out stands at the top. */
export function treeOf(rows: readonly Group[], counts: readonly Count[] = []): GroupNode[] {
  const countOf = new Map(counts.map((count) => [count.id, count]))
  const known = new Set(rows.map(({ id }) => id))
  const below = Map.groupBy(rows, ({ parentId }) => (known.has(parentId) ? parentId : 0))
  const nodesOf = (parentId: number): GroupNode[] =>
    (below.get(parentId) ?? []).map((row) => {
      const children = nodesOf(row.id)
      return { ...row, ...countOf.get(row.id), ...(children.length > 0 && { children }) }
    })
  return nodesOf(0)
}

/** Ids of all groups that have something below them. */
export const branchIds = (nodes: readonly GroupNode[]): number[] =>
  nodes.flatMap(({ id, children }) => (children ? [id, ...branchIds(children)] : []))

/** As one list, each group followed by what is below it; what is below a closed one is left out. */
export const flatten = (
  nodes: readonly GroupNode[],
  closed: readonly number[],
  depth = 0,
): (GroupNode & { depth: number })[] =>
  nodes.flatMap((node) => [
    { ...node, depth },
    ...(node.children && !closed.includes(node.id) ? flatten(node.children, closed, depth + 1) : []),
  ])

const heightOf = ({ children = [] }: GroupNode): number => 1 + Math.max(0, ...children.map(heightOf))
const find = (nodes: readonly GroupNode[], id: number): GroupNode | undefined => {
  for (const node of nodes) {
    const found = node.id === id ? node : find(node.children ?? [], id)
    if (found) return found
  }
  return undefined
}

/** Groups that may stand above one: not itself, nothing below it, and no deeper than there is room. */
export function parentItems(nodes: readonly GroupNode[], self?: number): TreeItem[] {
  const own = self === undefined ? undefined : find(nodes, self)
  const height = own ? heightOf(own) : 1
  const itemsOf = (level: readonly GroupNode[], depth: number): TreeItem[] =>
    level.flatMap((node) =>
      node.id === self || depth + height > MAX_GROUP_DEPTH
        ? []
        : [{ key: node.id, title: node.groupName, children: itemsOf(node.children ?? [], depth + 1) }],
    )
  return itemsOf(nodes, 1)
}
