import { expect, test } from 'vitest'
import { listBranchIds, type MenuNode, listPossibleParents, removeEmptyChildren } from './menu.tsx'

const node = (id: number, type: MenuNode['type'], sort: number, children?: MenuNode[]) =>
  ({ id, parentId: 0, type, name: `n${id}`, sort, ...(children && { children }) }) as MenuNode
const tree = [node(1, 'M', 10, [node(2, 'C', 10, [node(3, 'F', 10)]), node(4, 'C', 10)]), node(5, 'M', 20)]

test('a menu without children has no child list, so the table shows no expand icon', () => {
  const [row] = removeEmptyChildren([{ ...node(1, 'M', 1), children: [] }])
  expect(row).not.toHaveProperty('children')
  expect(listBranchIds(tree)).toEqual([1, 2])
})

test('a menu can be moved below menus of a permitted type, never below itself or its descendants', () => {
  expect(listPossibleParents(tree, 'M', 1).map(({ key }) => key)).toEqual([5])
  const buttons = listPossibleParents(tree, 'F')
  expect(buttons.map(({ key, disabled }) => [key, disabled])).toEqual([[1, true]])
  expect(buttons[0]?.children?.map(({ key }) => key)).toEqual([2, 4])
})
