import { expect, test } from 'vitest'
import { compareItems, type ReviewedItem, compareTargets } from '../programs/compare-versions.ts'

const item = (itemId: number, fields: object = {}) =>
  ({
    itemId,
    adId: itemId,
    adName: `广告${itemId}`,
    duration: 10,
    weight: 1,
    maxPlaysPerHour: 0,
    startDt: null,
    endDt: null,
    transition: 0,
    ...fields,
  }) as ReviewedItem

test('AD-05 the comparison of two versions by item id lists new, changed and removed items, with former values', () => {
  const now = [item(1, { duration: 75, weight: 3, transition: 1, endDt: '2026-12-01 00:00:00' }), item(4), item(2)]
  const { items, removed, isReordered } = compareItems(now, [item(1), item(2), item(3)])
  expect(items.map(({ isNew, former }) => [isNew, former])).toEqual([
    [false, ['时长 00:10', '权重 1', '至 不限', '切换 无']],
    [true, []],
    [false, []],
  ])
  expect(removed.map(({ itemId }) => itemId)).toEqual([3])
  expect(isReordered).toBe(false)
})

test('AD-05 only kept items count as reordered, and a first version has no changes', () => {
  const list = [item(1), item(2), item(3)]
  expect(compareItems([item(3), item(9), item(2)], list).isReordered).toBe(true)
  expect(compareItems([item(9), item(2), item(3)], list).isReordered).toBe(false)
  const first = compareItems(list, undefined)
  expect(first.items.some(({ isNew, former }) => isNew || former.length > 0)).toBe(false)
  expect(first.removed).toEqual([])
})

test('AD-05 targets are compared by kind and id', () => {
  const targets = (targetType: number, ids: readonly number[], isDefault = 0) => ({
    targetType,
    isDefault,
    targets: ids.map((id) => ({ id, name: `目标${id}` })),
  })
  expect(compareTargets(targets(1, [1, 3]), targets(1, [1, 2]))).toEqual({ added: ['目标3'], removed: ['目标2'] })
  expect(compareTargets(targets(2, [1]), targets(1, [1]))).toEqual({ added: ['目标1'], removed: ['目标1'] })
  expect(compareTargets(targets(1, [1]), null)).toEqual({ added: [], removed: [] })
  expect(compareTargets(targets(1, [], 1), targets(1, [1]))).toEqual({ added: [], removed: [] })
})
