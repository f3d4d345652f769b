export type Key = string | number

/** A node of any tree in the kit. */
export interface TreeItem {
  readonly key: Key
  readonly title: string
  /** Secondary text beside the title: a permission string or a code. */
  readonly hint?: string
  readonly disabled?: boolean
  readonly children?: readonly TreeItem[]
}

/** Builds a tree from flat rows with parent ids; a row without an existing parent becomes a root. */
export function buildTree<Row>(
  rows: readonly Row[],
  read: (row: Row) => { key: Key; parent: Key | null | undefined; title: string; hint?: string; disabled?: boolean },
): TreeItem[] {
  const nodes = new Map<Key, TreeItem & { children: TreeItem[] }>()
  const entries = rows.map((row) => {
    const { parent, ...item } = read(row)
    const node = { ...item, children: [] as TreeItem[] }
    nodes.set(item.key, node)
    return { node, parent }
  })
  const roots: TreeItem[] = []
  for (const { node, parent } of entries) {
    const above = parent == null || parent === node.key ? undefined : nodes.get(parent)
    ;(above?.children ?? roots).push(node)
  }
  return roots
}
