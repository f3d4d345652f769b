import type { PermNode } from '@oms/contract/permission.ts'
import type { Key, TreeItem } from './tree-item.ts'

const branchOf = (id: number) => `branch-${id}`
const PAGE = '访问页面'

/**
 * The permission tree to choose from. A page with buttons becomes a branch whose first line is the page itself, so that
 * seeing a page without any of its buttons can be chosen too. What the caller does not hold is disabled.
 */
export const grantItems = (nodes: readonly PermNode[]): TreeItem[] =>
  nodes.map((node) => {
    const { id, type, children, name, status } = node
    const title = status === 1 ? name : `${name}（已停用）`
    const hint = node.perms && { hint: node.perms }
    if (type !== 'M' && children.length === 0) return { key: id, title, disabled: !node.grantable, ...hint }
    const own: TreeItem[] = type === 'M' ? [] : [{ key: id, title: PAGE, disabled: !node.grantable, ...hint }]
    const below = [...own, ...grantItems(children)]
    return { key: branchOf(id), title, disabled: below.every((item) => item.disabled), children: below }
  })

/** The pages and buttons among chosen keys. */
export const leavesOf = (keys: readonly Key[]) => keys.filter((key): key is number => typeof key === 'number')

/** Chosen pages and buttons with the branches that hold any of them. */
export function withBranches(items: readonly TreeItem[], held: ReadonlySet<Key>): Key[] {
  return items.flatMap(({ key, children }) => {
    if (!children) return held.has(key) ? [key] : []
    const below = withBranches(children, held)
    return below.length > 0 ? [key, ...below] : []
  })
}

/**
 * What a click meant: a button is of no use without its page, so giving a button gives the page, and taking the page
 * takes its buttons. Disabled lines stay as they are.
 */
export function settled(nodes: readonly PermNode[], before: ReadonlySet<number>, after: readonly number[]): number[] {
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
