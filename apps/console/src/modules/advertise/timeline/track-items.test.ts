import { describe, expect, test } from 'vitest'
import {
  copyItem,
  insertItem,
  createTrackItem,
  moveItem,
  countRoundsPerHour,
  type TrackItem,
  sumSeconds,
} from './track-items.ts'

const ad = (id: number) =>
  createTrackItem({
    id,
    adName: `广告${id}`,
    adType: 1,
    orientation: 0,
    duration: 10 + id,
    advertiser: '',
    thumbUrl: '',
    codec: '',
    validTo: null,
  })
const track = [ad(1), ad(2), ad(3)]
const ids = (items: readonly TrackItem[]) => items.map(({ adId }) => adId)

describe('AD-04 the item list of a program', () => {
  test.each([
    [0, 3, [2, 3, 1]],
    [2, 0, [3, 1, 2]],
    [0, 1, [1, 2, 3]],
    [1, 1, [1, 2, 3]],
    [0, 2, [2, 1, 3]],
  ])('an item moves from position %i to the place before position %i', (from, to, expected) => {
    expect(ids(moveItem(track, from, to))).toEqual(expected)
  })

  test('a copy of an item is inserted as a new item after the original', () => {
    const copied = copyItem(track, 0)
    expect(ids(copied)).toEqual([1, 1, 2, 3])
    expect(copied[1]?.itemId).toBe(0)
    expect(new Set(copied.map(({ key }) => key)).size).toBe(4)
  })

  test('a program has at most 100 items', () => {
    const full = Array.from({ length: 100 }, (_, at) => ad(at))
    expect(insertItem(full, 0, ad(7))).toBe(full)
  })

  test('the list shows the total duration and the number of rounds in an hour', () => {
    expect(sumSeconds(track)).toBe(36)
    expect([countRoundsPerHour(205), countRoundsPerHour(0)]).toEqual([17, 0])
  })
})
