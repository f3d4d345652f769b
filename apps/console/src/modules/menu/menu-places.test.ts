import { expect, test } from 'vitest'
import { flattenMenus, type MenuNode } from './menu-nodes.ts'
import {
  applyPlaces,
  diffPositions,
  moveMenuByDrop,
  canDropMenu,
  type MenuPlaces,
  type DropZone,
} from './menu-places.ts'

const node = (id: number, type: MenuNode['type'], parentId: number, sort: number, children?: MenuNode[], over = {}) =>
  ({
    id,
    parentId,
    type,
    name: `n${id}`,
    perms: `p:${id}:list`,
    visible: 1,
    sort,
    ...(children && { children }),
    ...over,
  }) as MenuNode

const tree = [
  node(1, 'M', 0, 10, [
    node(2, 'C', 1, 10, [node(3, 'F', 2, 10), node(4, 'F', 2, 20)]),
    node(5, 'C', 1, 20),
    node(6, 'C', 1, 21, undefined, { perms: '' }),
  ]),
  node(7, 'M', 0, 20, [node(8, 'M', 7, 10, [node(9, 'M', 8, 10)])]),
]
const of = (id: number) => flattenMenus(tree).find((each) => each.id === id)!
const shape = (rows: readonly MenuNode[]): unknown[] =>
  rows.map(({ id, children }) => (children ? [id, shape(children)] : id))
const drop = (id: number, onto: number, zone: DropZone) => {
  const places = moveMenuByDrop(tree, id, of(onto), zone)
  return { places: diffPositions(tree, places), after: shape(applyPlaces(tree, places)) }
}

test('a menu dropped between two others gets a free sort number, and no other menu changes', () => {
  expect(drop(5, 2, 'before')).toEqual({
    places: [{ id: 5, parentId: 1, sort: 4 }],
    after: [
      [1, [5, [2, [3, 4]], 6]],
      [7, [[8, [9]]]],
    ],
  })
  expect(drop(2, 6, 'after').places).toEqual([{ id: 2, parentId: 1, sort: 31 }])
})

test('a drop renumbers all siblings when no sort number between the neighbours is free', () => {
  const { places, after } = drop(2, 6, 'before')
  expect(places).toEqual([
    { id: 2, parentId: 1, sort: 20 },
    { id: 5, parentId: 1, sort: 10 },
    { id: 6, parentId: 1, sort: 30 },
  ])
  expect(after).toEqual([
    [1, [5, [2, [3, 4]], 6]],
    [7, [[8, [9]]]],
  ])
})

test('a menu dropped into another becomes its last child', () => {
  expect(drop(5, 7, 'into')).toEqual({
    places: [{ id: 5, parentId: 7, sort: 20 }],
    after: [
      [1, [[2, [3, 4]], 6]],
      [7, [[8, [9]], 5]],
    ],
  })
  expect(drop(4, 5, 'into').after).toEqual([
    [1, [[2, [3]], [5, [4]], 6]],
    [7, [[8, [9]]]],
  ])
})

test('the menu table allows a drop only at positions that the server accepts', () => {
  const may = (id: number, onto: number, zone: DropZone) => canDropMenu(tree, of(id), of(onto), zone)
  // Refuses the menu itself, its descendants and a fifth level.
  expect([may(1, 1, 'into'), may(7, 9, 'into'), may(1, 9, 'into'), may(1, 8, 'into')]).toEqual([
    false,
    false,
    false,
    false,
  ])
  // A button may be moved into a page. A visible page may not.
  expect([may(3, 5, 'into'), may(3, 5, 'before'), may(3, 1, 'into')]).toEqual([true, false, false])
  expect([may(5, 2, 'into'), may(5, 1, 'before'), may(5, 7, 'into'), may(5, 3, 'before')]).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(canDropMenu(tree, { ...of(5), visible: 0 }, of(2), 'into')).toBe(true)
  // Buttons below a page without its own permission could not be granted.
  expect([may(3, 5, 'into'), may(3, 6, 'into')]).toEqual([true, false])
})

test('nothing is saved when all menus have their stored positions', () => {
  const same: MenuPlaces = new Map([[5, { parentId: 1, sort: 20 }]])
  expect(diffPositions(tree, same)).toEqual([])
  expect(applyPlaces(tree, new Map())).toBe(tree)
})
