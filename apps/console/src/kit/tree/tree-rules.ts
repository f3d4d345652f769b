import type { Key, TreeItem } from './tree-item.ts'

/** A tree with an index of each node's parent. */
export interface TreeIndex {
  readonly items: ReadonlyMap<Key, TreeItem>
  readonly parents: ReadonlyMap<Key, Key>
}

export function indexTree(tree: readonly TreeItem[]): TreeIndex {
  const items = new Map<Key, TreeItem>()
  const parents = new Map<Key, Key>()
  const walk = (list: readonly TreeItem[], parent: Key | undefined) => {
    for (const item of list) {
      items.set(item.key, item)
      if (parent !== undefined) parents.set(item.key, parent)
      walk(item.children ?? [], item.key)
    }
  }
  walk(tree, undefined)
  return { items, parents }
}

/** Returns checked and half-checked nodes of a tree with linked levels. */
export function computeChecks(tree: readonly TreeItem[], held: ReadonlySet<Key>) {
  const checked: Key[] = []
  const halfChecked: Key[] = []
  const walk = ({ key, children = [] }: TreeItem): 'all' | 'some' | 'none' => {
    const below = children.map(walk)
    const whole = held.has(key) || (children.length > 0 && !held.has(key) && below.every((state) => state === 'all'))
    const state =
      whole && below.every((each) => each === 'all')
        ? 'all'
        : whole || below.some((each) => each !== 'none')
          ? 'some'
          : 'none'
    if (state === 'all') checked.push(key)
    if (state === 'some') halfChecked.push(key)
    return state
  }
  tree.forEach(walk)
  return { checked, halfChecked }
}

/**
 * Returns the selection after a click in a linked tree: all descendants follow, and a branch is selected while any
 * descendant is. Disabled nodes keep their state.
 */
export function toggleLinked({ items, parents }: TreeIndex, held: ReadonlySet<Key>, key: Key): Set<Key> {
  const item = items.get(key)
  const next = new Set(held)
  if (!item) return next
  const branch = enabledIn(item)
  const on = !branch.every((each) => held.has(each))
  for (const each of branch) put(next, each, on)
  for (let above = parents.get(key); above !== undefined; above = parents.get(above)) {
    const parent = items.get(above)
    if (on) next.add(above)
    else if (!parent?.disabled && !parent?.children?.some((child) => touches(child, next))) next.delete(above)
  }
  return next
}

/** Returns the selection after a click in an unlinked tree: only the node changes. */
export function toggleAlone(held: ReadonlySet<Key>, key: Key): Set<Key> {
  const next = new Set(held)
  if (!next.delete(key)) next.add(key)
  return next
}

/** Selects or deselects all nodes that are not disabled. */
export function toggleAll(tree: readonly TreeItem[], held: ReadonlySet<Key>, on: boolean): Set<Key> {
  const next = new Set(held)
  for (const key of tree.flatMap(enabledIn)) put(next, key, on)
  return next
}

function put(held: Set<Key>, key: Key, on: boolean) {
  if (on) held.add(key)
  else held.delete(key)
}

const touches = (item: TreeItem, held: ReadonlySet<Key>): boolean =>
  held.has(item.key) || (item.children ?? []).some((child) => touches(child, held))

const enabledIn = (item: TreeItem): Key[] => [
  ...(item.disabled ? [] : [item.key]),
  ...(item.children ?? []).flatMap(enabledIn),
]

/** Returns the ancestors of matching nodes; a match keeps all its descendants. */
export function searchTree(tree: readonly TreeItem[], text: string): readonly TreeItem[] {
  const wanted = text.trim().toLowerCase()
  if (!wanted) return tree
  return tree.flatMap((item) => {
    if (item.title.toLowerCase().includes(wanted) || item.hint?.toLowerCase().includes(wanted)) return [item]
    const children = searchTree(item.children ?? [], wanted)
    return children.length > 0 ? [{ ...item, children }] : []
  })
}

/** Returns the keys of all nodes with children. */
export const listBranchKeys = (tree: readonly TreeItem[]): Key[] =>
  tree.flatMap(({ key, children = [] }) => (children.length > 0 ? [key, ...listBranchKeys(children)] : []))
