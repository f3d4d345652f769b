import type { PermNode } from '@oms/contract/permission-tree.ts'
import { expect, test } from 'vitest'
import { buildGrantItems, filterLeafIds, applyGrantClick, includeAncestorKeys } from './grant-rules.ts'

const node = (id: number, type: PermNode['type'], children: PermNode[] = [], grantable = type !== 'M'): PermNode => ({
  id,
  parentId: 0,
  name: `n${id}`,
  type,
  perms: type === 'M' ? '' : `a:b:p${id}`,
  url: '',
  status: 1,
  grantable,
  children,
})
const tree = [node(1, 'M', [node(2, 'C', [node(3, 'F'), node(4, 'F', [], false)]), node(5, 'C')])]

test('TENANT-03 a page with buttons is a branch whose first entry is the page itself', () => {
  const [system] = buildGrantItems(tree)
  expect(system?.children?.map(({ key }) => key)).toEqual(['branch-2', 5])
  expect(system?.children?.[0]?.children?.map(({ key, title, disabled }) => [key, title, disabled])).toEqual([
    [2, '访问页面', false],
    [3, 'n3', false],
    [4, 'n4', true],
  ])
})

test('a branch of the permission tree is disabled when none of its entries can be granted', () => {
  const [system] = buildGrantItems([node(1, 'M', [node(2, 'C', [node(3, 'F', [], false)], false)])])
  expect([system?.disabled, system?.children?.[0]?.disabled]).toEqual([true, true])
})

test('selecting a permission also checks its parent nodes, and only the ids of permissions are saved', () => {
  const keys = includeAncestorKeys(buildGrantItems(tree), new Set([3]))
  expect(keys).toEqual(['branch-1', 'branch-2', 3])
  expect(filterLeafIds(keys)).toEqual([3])
})

test('TENANT-03 granting a button grants its page; revoking the page revokes its grantable buttons', () => {
  expect(applyGrantClick(tree, new Set(), [3])).toEqual([3, 2])
  expect(applyGrantClick(tree, new Set([2, 3, 4]), [3, 4])).toEqual([4])
  expect(applyGrantClick(tree, new Set([2, 3]), [2])).toEqual([2])
})
