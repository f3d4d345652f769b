import { expect, test } from 'vitest'
import { computeActivateUntil, previewPacks, computeValidUntil } from './pack-clock.ts'

const DAY = 86_400_000
const CLOCKS = { activateDays: 180, validDays: 30 }

test('AGENT-12 a copy of a package must be activated within its window and is valid from its first use', () => {
  expect(computeActivateUntil(CLOCKS, 0, 1)).toBe(180 * DAY)
  expect(computeValidUntil(CLOCKS, 5 * DAY)).toBe(35 * DAY)
})

test('AGENT-12 copies of a package are used one after the other, each within its own activation window', () => {
  const packs = previewPacks(CLOCKS, 0, 12, 179)
  expect(packs).toHaveLength(12)
  for (const [at, pack] of packs.entries()) {
    expect(pack.beginTime).toBe(at === 0 ? 179 * DAY : packs[at - 1]!.validUntil)
    expect(pack.beginTime).toBeLessThan(pack.activateUntil)
  }
})

test('AGENT-12 a package that is not used within its activation window expires', () => {
  expect(previewPacks(CLOCKS, 0, 2, 180)).toEqual([])
})
