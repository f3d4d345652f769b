import fc from 'fast-check'
import { expect, test } from 'vitest'
import { iterateAgenda } from './agenda.ts'
import { parseDay } from './dates.ts'
import type { Manifest } from './manifest.ts'
import { buildItem, buildManifest, buildProgram, parseShanghaiTime } from './manifest-fixture.ts'
import { createManifestArbitrary } from './vectors/random-manifest-fixture.ts'
import { type SmilPlan, createSmilPlan } from './smil.ts'
import { loadZone } from './zone.ts'

const from = parseShanghaiTime('2026-11-05 09:00')
const sizes = ({ sequences }: SmilPlan) => sequences.map(({ slots }) => slots.length)
const days = ({ until }: SmilPlan) => (until - parseShanghaiTime('2026-11-05 00:00')) / 86_400_000

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

test('AD-01 the SMIL document plays the same slots as the agenda', () => {
  const property = ({ manifest, date }: { manifest: Manifest; date: string }) => {
    const start = loadZone(manifest.zone).startOf(parseDay(date), 0)
    const plan = createSmilPlan(manifest, start, 1_000_000)
    const agenda = [...iterateAgenda(manifest, plan.sequences[0]!.start, plan.until)]
    expect(played(plan)).toEqual(agenda.map(({ start: at, itemId, hold }) => ({ start: at, itemId, hold })))
  }
  fc.assert(fc.property(createManifestArbitrary([0, 0, 0, 1, 2], 3), property), { numRuns: 30 })
}, 120_000)

test('AD-01 the SMIL document contains only the shortest repeating period of a cycle', () => {
  const breakfast = buildProgram(1, {
    dayParts: [{ start: '06:30', end: '10:00' }],
    items: [1, 2, 3].map((id) => buildItem(id)),
  })
  const plan = createSmilPlan(buildManifest([breakfast]), from)
  expect(sizes(plan).slice(0, 4)).toEqual([3, 0, 0, 3])
  expect(days(plan)).toBe(15)
  const xibo = [10, 2, 1, 1, 3, 1].map((weight, at) => buildItem(at, { weight }))
  expect(sizes(createSmilPlan(buildManifest([buildProgram(1, { playMode: 4, items: xibo })]), from))[0]).toBe(18)
})

test('AD-01 the SMIL document has at least three days, and more days while their elements fit', () => {
  const random = buildManifest([
    buildProgram(1, { playMode: 3, items: [1, 2, 3, 4, 5].map((id) => buildItem(id, { ms: 60_000 })) }),
  ])
  const plan = createSmilPlan(random, from)
  expect(days(plan)).toBe(3)
  expect(sizes(plan)).toEqual([1440, 1440, 1440])
  const short = createSmilPlan(random, from, 100)
  expect(days(short)).toBe(3)
  expect(sizes(short)).toEqual([33, 33, 33])
})

test('AD-09 a random order that is shortened for SMIL changes during the day and keeps the limit of elements', () => {
  const items = Array.from({ length: 40 }, (_, id) => buildItem(id + 1, { ms: 10_000 }))
  const plan = createSmilPlan(buildManifest([buildProgram(1, { playMode: 3, items })]), from, 3000)
  expect(sizes(plan).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3000)
  const orders = plan.sequences.map(({ slots }) => slots.map(({ item }) => item?.id).join())
  expect(orders.length).toBeGreaterThan(20)
  expect(new Set(orders).size).toBe(orders.length)
  for (const [at, { start, end, slots }] of plan.sequences.entries()) {
    expect(start).toBe(plan.sequences[at - 1]?.end ?? start)
    const ms = slots.reduce((sum, slot) => sum + slot.ms, 0)
    const isLastOfDay = loadZone('Asia/Shanghai').startOf(loadZone('Asia/Shanghai').dayAt(end), 0) === end
    if (!isLastOfDay) expect((end - start) % ms).toBe(0)
  }
})

test('AD-01 the agenda omits the idle picture and marks holds', () => {
  const program = buildProgram(1, {
    verNo: 4,
    dayParts: [{ start: '09:00', end: '09:01' }],
    items: [buildItem(7, { ms: 40_000, adId: 77 })],
  })
  expect([...iterateAgenda(buildManifest([program]), from, from + 3_600_000)]).toEqual([
    { start: from, ms: 40_000, programId: 1, verNo: 4, itemId: 7, adId: 77, adVer: 1, hold: false },
    { start: from + 40_000, ms: 20_000, programId: 1, verNo: 4, itemId: 7, adId: 77, adVer: 1, hold: true },
  ])
})
