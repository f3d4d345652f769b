import { describe, expect, test } from 'vitest'
import { buildTree } from './tree-item.ts'
import { computeChecks, indexTree, searchTree, toggleAll, toggleAlone, toggleLinked } from './tree-rules.ts'

const tree = buildTree(
  [
    { id: 1, up: 0, name: '系统' },
    { id: 2, up: 1, name: '用户' },
    { id: 3, up: 2, name: '新增', hint: 'system:manager:add' },
    { id: 4, up: 2, name: '删除' },
    { id: 5, up: 1, name: '日志' },
  ],
  ({ id, up, name, hint }) => ({ key: id, parent: up, title: name, ...(hint && { hint }) }),
)
const index = indexTree(tree)
const after = (held: number[], key: number) => [...toggleLinked(index, new Set(held), key)].sort()

test('a tree is built from flat rows, and rows without an existing parent become roots', () => {
  expect(tree).toHaveLength(1)
  expect(tree[0]?.children?.map(({ title }) => title)).toEqual(['用户', '日志'])
})

describe('a tree with linked levels', () => {
  test('selecting a node also selects its descendants and the ancestors whose children are then checked', () => {
    expect(after([], 2)).toEqual([1, 2, 3, 4])
    expect(after([], 3)).toEqual([1, 2, 3])
  })

  test('deselecting the last child deselects the branch', () => {
    expect(after([1, 2, 3], 3)).toEqual([])
    expect(after([1, 2, 3, 5], 3)).toEqual([1, 5])
  })

  test('a click on a half-checked branch checks the branch, and a second click unchecks it', () => {
    expect(after([1, 2, 3], 2)).toEqual([1, 2, 3, 4])
    expect(after([1, 2, 3, 4], 2)).toEqual([])
  })

  test('a branch is checked when all its nodes are checked, and half-checked when some are', () => {
    expect(computeChecks(tree, new Set([1, 2, 3]))).toEqual({ checked: [3], halfChecked: [2, 1] })
    expect(computeChecks(tree, new Set([1, 2, 3, 4, 5])).halfChecked).toEqual([])
    expect(computeChecks(tree, new Set([1, 2])).halfChecked).toEqual([2, 1])
  })

  test('disabled nodes keep their state', () => {
    const locked = [
      {
        key: 1,
        title: 'a',
        children: [
          { key: 2, title: 'b', disabled: true },
          { key: 3, title: 'c' },
        ],
      },
    ]
    const at = indexTree(locked)
    expect([...toggleLinked(at, new Set(), 1)]).toEqual([1, 3])
    expect([...toggleLinked(at, new Set([1, 2, 3]), 1)]).toEqual([2])
    expect([...toggleAll(locked, new Set([2]), false)]).toEqual([2])
  })
})

test('without linked levels, only the clicked node changes', () => {
  expect([...toggleAlone(new Set([1]), 2)]).toEqual([1, 2])
  expect([...toggleAlone(new Set([1, 2]), 1)]).toEqual([2])
})

test('a search keeps the ancestors of nodes that match by name or permission', () => {
  expect(searchTree(tree, '新增')[0]?.children?.[0]?.children?.map(({ key }) => key)).toEqual([3])
  expect(searchTree(tree, 'MANAGER')[0]?.children?.[0]?.children?.map(({ key }) => key)).toEqual([3])
  expect(searchTree(tree, '用户')[0]?.children?.[0]?.children).toHaveLength(2)
  expect(searchTree(tree, '没有')).toEqual([])
})

test('selecting the root of a tree with 10,000 nodes takes at most 200 ms', () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => ({ id: at + 1, up: Math.floor((at + 1) / 10) }))
  const large = buildTree(rows, ({ id, up }) => ({ key: id, parent: up, title: String(id) }))
  const at = indexTree(large)
  const start = performance.now()
  const held = toggleLinked(at, new Set(), 1)
  computeChecks(large, held)
  expect(performance.now() - start).toBeLessThan(200)
})
