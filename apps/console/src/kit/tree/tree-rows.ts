import { useState } from 'react'
import type { Key } from './tree-item.ts'

/** A row with its children, as antd's table expects it. */
export type Nested<Row> = Row & { children?: Nested<Row>[] }

/** Nests flat rows for a tree table; a row without an existing parent becomes a root. */
export function nestRows<Row extends object>(
  rows: readonly Row[],
  read: (row: Row) => { key: Key; parent: Key | null | undefined },
): Nested<Row>[] {
  const nodes = new Map<Key, Nested<Row>>(rows.map((row) => [read(row).key, { ...row }]))
  const roots: Nested<Row>[] = []
  for (const row of rows) {
    const { key, parent } = read(row)
    const node = nodes.get(key) as Nested<Row>
    const above = parent == null || parent === key ? undefined : nodes.get(parent)
    if (above) (above.children ??= []).push(node)
    else roots.push(node)
  }
  return roots
}

/** Expanded rows of a tree table: `expandable` is passed to DataTable, `toggleAll` to a button. */
export function useExpanded(branches: readonly Key[]) {
  const [open, setOpen] = useState<readonly Key[]>([])
  const all = open.length > 0
  return {
    expandable: {
      expandedRowKeys: [...open],
      onExpandedRowsChange: (keys: readonly React.Key[]) => setOpen(keys as Key[]),
    },
    all,
    toggleAll: () => setOpen(all ? [] : branches),
  }
}
