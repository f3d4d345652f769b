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
    validTo: null,
  })
const track = [ad(1), ad(2), ad(3)]
const ids = (items: readonly TrackItem[]) => items.map(({ adId }) => adId)

describe('AD-04 the track', () => {
  test.each([
    [0, 3, [2, 3, 1]],
    [2, 0, [3, 1, 2]],
    [0, 1, [1, 2, 3]],
    [1, 1, [1, 2, 3]],
    [0, 2, [2, 1, 3]],
  ])('moves the item at %i to the place before %i', (from, to, expected) => {
    expect(ids(moveItem(track, from, to))).toEqual(expected)
  })

  test('inserts a copy as a new item behind the original', () => {
    const copied = copyItem(track, 0)
    expect(ids(copied)).toEqual([1, 1, 2, 3])
    expect(copied[1]?.itemId).toBe(0)
    expect(new Set(copied.map(({ key }) => key)).size).toBe(4)
  })

  test('limits the track to 100 items', () => {
    const full = Array.from({ length: 100 }, (_, at) => ad(at))
    expect(insertItem(full, 0, ad(7))).toBe(full)
  })

  test('calculates the total duration and how often the track plays in an hour', () => {
    expect(sumSeconds(track)).toBe(36)
    expect([countRoundsPerHour(205), countRoundsPerHour(0)]).toEqual([17, 0])
  })
})
