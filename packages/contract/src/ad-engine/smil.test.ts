import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agendaBetween } from './agenda.ts'
import { dayOf } from './dates.ts'
import type { Manifest } from './manifest.ts'
import { itemOf, manifestOf, programOf, shanghai } from './manifest-fixture.ts'
import { manifests } from './vectors/random-manifest-fixture.ts'
import { type SmilPlan, smilPlan } from './smil.ts'
import { zoneOf } from './zone.ts'

const from = shanghai('2026-11-05 09:00')
const sizes = ({ sequences }: SmilPlan) => sequences.map(({ slots }) => slots.length)
const days = ({ until }: SmilPlan) => (until - shanghai('2026-11-05 00:00')) / 86_400_000

/** Plays the sequences as a SMIL player does. */
function played({ sequences }: SmilPlan) {
  const shown: { start: number; itemId: number; hold: boolean }[] = []
  for (const { start, end, repeats, slots } of sequences) {
    let clock = start
    for (let at = 0; clock < end && slots.length > 0; at += 1) {
      expect(at < slots.length || repeats).toBe(true)
      const { ms, item, hold } = slots[at % slots.length]!
      if (item) shown.push({ start: clock, itemId: item.id, hold })
      clock += ms
    }
    if (slots.length > 0) expect(clock).toBe(end)
  }
  return shown
}

test('AD-01 the sequences of SMIL play the same slots as the agenda', () => {
  const property = ({ manifest, date }: { manifest: Manifest; date: string }) => {
    const start = zoneOf(manifest.zone).startOf(dayOf(date), 0)
    const plan = smilPlan(manifest, start, 1_000_000)
    const agenda = [...agendaBetween(manifest, plan.sequences[0]!.start, plan.until)]
    expect(played(plan)).toEqual(agenda.map(({ start: at, itemId, hold }) => ({ start: at, itemId, hold })))
  }
  fc.assert(fc.property(manifests([0, 0, 0, 1, 2], 3), property), { numRuns: 30 })
}, 120_000)

test('AD-01 a cycle is shortened to its smallest repeating period', () => {
  const breakfast = programOf(1, {
    dayParts: [{ start: '06:30', end: '10:00' }],
    items: [1, 2, 3].map((id) => itemOf(id)),
  })
  const plan = smilPlan(manifestOf([breakfast]), from)
  expect(sizes(plan).slice(0, 4)).toEqual([3, 0, 0, 3])
  expect(days(plan)).toBe(15)
  const xibo = [10, 2, 1, 1, 3, 1].map((weight, at) => itemOf(at, { weight }))
  expect(sizes(smilPlan(manifestOf([programOf(1, { playMode: 4, items: xibo })]), from))[0]).toBe(18)
})

test('AD-01 days are added while their elements fit, and two days after the first always fit', () => {
  const random = manifestOf([
    programOf(1, { playMode: 3, items: [1, 2, 3, 4, 5].map((id) => itemOf(id, { ms: 60_000 })) }),
  ])
  const plan = smilPlan(random, from)
  expect(days(plan)).toBe(3)
  expect(sizes(plan)).toEqual([1440, 1440, 1440])
  const short = smilPlan(random, from, 100)
  expect(days(short)).toBe(3)
  expect(sizes(short)).toEqual([33, 33, 33])
})

test('AD-09 a shortened random order changes during the day, and its elements stay within the limit', () => {
  const items = Array.from({ length: 40 }, (_, id) => itemOf(id + 1, { ms: 10_000 }))
  const plan = smilPlan(manifestOf([programOf(1, { playMode: 3, items })]), from, 3000)
  expect(sizes(plan).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3000)
  const orders = plan.sequences.map(({ slots }) => slots.map(({ item }) => item?.id).join())
  expect(orders.length).toBeGreaterThan(20)
  expect(new Set(orders).size).toBe(orders.length)
  for (const [at, { start, end, slots }] of plan.sequences.entries()) {
    expect(start).toBe(plan.sequences[at - 1]?.end ?? start)
    const ms = slots.reduce((sum, slot) => sum + slot.ms, 0)
    const isLastOfDay = zoneOf('Asia/Shanghai').startOf(zoneOf('Asia/Shanghai').dayAt(end), 0) === end
    if (!isLastOfDay) expect((end - start) % ms).toBe(0)
  }
})

test('AD-01 the agenda leaves the idle picture out and marks holds', () => {
  const program = programOf(1, {
    verNo: 4,
    dayParts: [{ start: '09:00', end: '09:01' }],
    items: [itemOf(7, { ms: 40_000, adId: 77 })],
  })
  expect([...agendaBetween(manifestOf([program]), from, from + 3_600_000)]).toEqual([
    { start: from, ms: 40_000, programId: 1, verNo: 4, itemId: 7, adId: 77, adVer: 1, hold: false },
    { start: from + 40_000, ms: 20_000, programId: 1, verNo: 4, itemId: 7, adId: 77, adVer: 1, hold: true },
  ])
})
