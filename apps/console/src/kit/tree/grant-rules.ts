import type { PermNode } from '@oms/contract/permission-tree.ts'
import type { Key, TreeItem } from './tree-item.ts'

const branchOf = (id: number) => `branch-${id}`
const PAGE = '访问页面'

/**
 * Builds the permission tree. A page with buttons becomes a branch whose first entry is the page itself, so that the
 * page can be granted without its buttons. Permissions that the caller lacks are disabled.
 */
export const buildGrantItems = (nodes: readonly PermNode[]): TreeItem[] =>
  nodes.map((node) => {
    const { id, type, children, name, status } = node
    const title = status === 1 ? name : `${name}（已停用）`
    const hint = node.perms && { hint: node.perms }
    if (type !== 'M' && children.length === 0) return { key: id, title, disabled: !node.grantable, ...hint }
    const own: TreeItem[] = type === 'M' ? [] : [{ key: id, title: PAGE, disabled: !node.grantable, ...hint }]
    const below = [...own, ...buildGrantItems(children)]
    return { key: branchOf(id), title, disabled: below.every((item) => item.disabled), children: below }
  })

/** Returns the page and button ids of the selected keys. */
export const filterLeafIds = (keys: readonly Key[]) => keys.filter((key): key is number => typeof key === 'number')

/** Returns the selected pages and buttons together with their branches. */
export function includeAncestorKeys(items: readonly TreeItem[], held: ReadonlySet<Key>): Key[] {
  return items.flatMap(({ key, children }) => {
    if (!children) return held.has(key) ? [key] : []
    const below = includeAncestorKeys(children, held)
    return below.length > 0 ? [key, ...below] : []
  })
}

/**
 * Returns the selection after a click: granting a button grants its page, and revoking a page revokes its buttons.
 * Disabled entries keep their state.
 */
export function applyGrantClick(
  nodes: readonly PermNode[],
  before: ReadonlySet<number>,
  after: readonly number[],
): number[] {
  const next = new Set(after)
  const visit = ({ id, type, grantable, children }: PermNode) => {
    const buttons = children.filter((child) => child.type === 'F')
    const given = buttons.some((button) => next.has(button.id) && !before.has(button.id))
    const taken = type === 'C' && before.has(id) && !next.has(id)
    if (type === 'C' && given && grantable) next.add(id)
    else if (taken) for (const button of buttons) if (button.grantable) next.delete(button.id)
    children.forEach(visit)
  }
  nodes.forEach(visit)
  return [...next]
}
