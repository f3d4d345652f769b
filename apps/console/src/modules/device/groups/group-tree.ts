import {
  type GroupCount,
  type GroupRow,
  MAX_GROUP_DEPTH,
  type deviceGroups,
} from '@oms/contract/device/device-group.ts'
import type * as z from 'zod'
import type { TreeItem } from '#kit/tree/tree-item.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'

export type Group = z.output<typeof GroupRow>
type Count = z.output<typeof GroupCount>
/** Row of the tree table; a leaf has no `children`, so that no expand icon is shown. */
export type GroupNode = Group & Partial<Omit<Count, 'id'>> & { children?: GroupNode[] }

/** Nests groups with their counts; a group whose parent was filtered out becomes a root. */
export function buildGroupTree(rows: readonly Group[], counts: readonly Count[] = []): GroupNode[] {
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

/** Returns the ids of all groups with children. */
export const listBranchIds = (nodes: readonly GroupNode[]): number[] =>
  nodes.flatMap(({ id, children }) => (children ? [id, ...listBranchIds(children)] : []))

/** Returns the tree as a flat list in display order, without children of collapsed groups. */
export const flattenTree = (
  nodes: readonly GroupNode[],
  closed: readonly number[],
  depth = 0,
): (GroupNode & { depth: number })[] =>
  nodes.flatMap((node) => [
    { ...node, depth },
    ...(node.children && !closed.includes(node.id) ? flattenTree(node.children, closed, depth + 1) : []),
  ])

const heightOf = ({ children = [] }: GroupNode): number => 1 + Math.max(0, ...children.map(heightOf))
const find = (nodes: readonly GroupNode[], id: number): GroupNode | undefined => {
  for (const node of nodes) {
    const found = node.id === id ? node : find(node.children ?? [], id)
    if (found) return found
  }
  return undefined
}

/** Returns possible parents of a group: outside its subtree, and within the maximum depth. */
export function listPossibleParents(nodes: readonly GroupNode[], self?: number): TreeItem[] {
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

/** Returns the input that saves a group. Only dynamic groups have a rule; empty conditions are removed. */
export function toGroupInput(values: Readonly<Record<string, unknown>>) {
  const { kind, rule, parentId, groupName, status, description } = values
  const given = Object.entries((rule ?? {}) as object).filter(
    ([, value]) =>
      value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return {
    kind,
    parentId: parentId ?? 0,
    groupName,
    status,
    description,
    ...(kind === 2 && { rule: Object.fromEntries(given) }),
  } as InputOf<typeof deviceGroups.create>
}
