import { expect, test } from 'vitest'
import { listBranchIds, flattenTree, type Group, listPossibleParents, buildGroupTree } from './group-tree.ts'

const group = (id: number, parentId: number) => ({ id, parentId, groupName: `组${id}` }) as Group
const rows = [group(1, 0), group(2, 1), group(3, 2), group(4, 0), group(5, 99)]

test('the tree nests device groups with their counts; groups with a missing parent become roots', () => {
  const tree = buildGroupTree(rows, [{ id: 3, deviceCount: 7, onlineCount: 2 }])
  expect(tree.map(({ id }) => id)).toEqual([1, 4, 5])
  expect(tree[0]?.children?.[0]?.children?.[0]).toMatchObject({ id: 3, deviceCount: 7, onlineCount: 2 })
  expect(tree[1]).not.toHaveProperty('children')
  expect(listBranchIds(tree)).toEqual([1, 2])
})

test('the list has a device group before its children and omits the children of a collapsed group', () => {
  const order = (closed: number[]) => flattenTree(buildGroupTree(rows), closed).map(({ id, depth }) => [id, depth])
  expect(order([])).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 0],
    [5, 0],
  ])
  expect(order([2])).toEqual([
    [1, 0],
    [2, 1],
    [4, 0],
    [5, 0],
  ])
})

test('the parent select offers only groups under which the subtree stays within the depth limit', () => {
  const tree = buildGroupTree(rows)
  const keys = (self?: number) => JSON.stringify(listPossibleParents(tree, self)).match(/"key":\d+/g) ?? []
  expect(keys()).toEqual(['"key":1', '"key":2', '"key":4', '"key":5'])
  expect(keys(1)).toEqual([])
  expect(keys(2)).toEqual(['"key":1', '"key":4', '"key":5'])
  expect(keys(4)).toEqual(['"key":1', '"key":2', '"key":5'])
})
