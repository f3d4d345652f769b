import { expect, test } from 'vitest'
import { SlotSet } from './slots.ts'

test('SlotSet contains the same members as a Set, with few or many members in any order', () => {
  const slots = new SlotSet()
  const known = new Set<number>()
  // Deterministic pseudo-random sequence, equal in every run.
  let state = 7
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0)
  for (let step = 0; step < 20_000; step++) {
    const slot = next() % 9000
    // Fewer deletions than additions, so that the set grows beyond the array representation.
    if (next() % 3 === 0) {
      slots.delete(slot)
      known.delete(slot)
    } else {
      slots.add(slot)
      known.add(slot)
    }
    expect(slots.size).toBe(known.size)
  }
  expect(known.size).toBeGreaterThan(2048)
  for (let slot = 0; slot < 9100; slot++) expect(slots.has(slot)).toBe(known.has(slot))
})

test('SlotSet does not contain deleted members, also when the first or last member was deleted', () => {
  const slots = new SlotSet()
  for (const slot of [5, 0, 9, 5, 2]) slots.add(slot)
  for (const slot of [9, 0]) slots.delete(slot)
  expect([0, 2, 5, 9].filter((slot) => slots.has(slot))).toEqual([2, 5])
  expect(slots.size).toBe(2)
})
