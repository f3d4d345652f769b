import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLoop } from './loop.ts'
import type { Manifest, ManifestProgram } from './manifest.ts'
import { buildAd, buildItem, buildManifest, buildProgram, parseShanghaiTime } from './manifest-fixture.ts'
import { type PlannedSlot, findPlayingAt, listSlotsBetween } from './playing.ts'

const HOUR = 3_600_000
/** Copies a manifest, because a new object has no cached plans. */
const copyOf = (manifest: Manifest): Manifest => JSON.parse(JSON.stringify(manifest))
const NOON = '2026-11-05 12:00'

/** Plans the slots from a time of 2026-11-05 in Shanghai. */
const slotsFrom = (manifest: Manifest, from: string, ms: number) => [
  ...listSlotsBetween(manifest, parseShanghaiTime(from), parseShanghaiTime(from) + ms),
]
const countBy = (slots: PlannedSlot[]) => {
  const counts: Record<number, number> = {}
  for (const { program, hold } of slots) if (program && !hold) counts[program.id] = (counts[program.id] ?? 0) + 1
  return counts
}
/** `HH:mm:ss item`, with `hold` for a hold and `idle` for the idle picture. */
const lines = (slots: PlannedSlot[]) =>
  slots.map(({ start, item, hold, rule }) => {
    const time = new Date(start + 8 * HOUR).toISOString().slice(11, 19)
    return `${time} ${rule === 'idle' ? 'idle' : hold ? 'hold' : item!.id}`
  })
const program = (id: number, fields: Partial<ManifestProgram> = {}) => buildProgram(id, fields)

describe('AD-01 division of time between programs', () => {
  test('six programs with the weights of Xibo issue 3736 play 200, 40, 20, 20, 60 and 20 times an hour', () => {
    const percents = [null, 11, 6, 6, 17, 6]
    const exact = [200, 40, 20, 20, 60, 20]
    const streams = exact.map((weight, at) => {
      const item = buildItem(at + 1)
      return {
        program: program(at + 1),
        items: [{ item, ad: buildAd(at + 1), limits: { start: 0, end: HOUR } }],
        weight,
      }
    })
    const loop = createLoop({ start: 0, end: HOUR, day: 0, choice: { rule: 'loop', streams } })
    const ids = Array.from({ length: loop.indexAt(HOUR) + 1 }, (_, index) => loop.slotAt(index).item!.item.id)
    expect(exact.map((_, at) => ids.filter((id) => id === at + 1).length)).toEqual(exact)
    const programs = percents.map((share, at) => program(at + 1, { share }))
    const counts = Object.values(countBy(slotsFrom(buildManifest(programs), '2026-11-05 00:00', HOUR)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(360)
    for (const [at, count] of counts.entries())
      expect(Math.abs(count - (360 * (percents[at] ?? 54)) / 100)).toBeLessThan(1)
  })

  test('programs of equal priority get equal time, whatever the length and the number of their items', () => {
    const long = program(1, { items: [buildItem(1, { ms: 60_000 })] })
    const short = program(2, { items: [buildItem(2), buildItem(3, { ms: 5000 })] })
    const shown = { 1: 0, 2: 0 }
    for (const { program: each, ms } of slotsFrom(buildManifest([long, short]), '2026-11-05 00:00', 6 * HOUR))
      shown[each!.id as 1 | 2] += ms
    expect(Math.abs(shown[1] - shown[2])).toBeLessThanOrEqual(60_000)
  })

  test('shares with a sum above 100 are scaled to 100, and programs without a share then get no time', () => {
    const shares = [80, 80, 40].map((share, at) => program(at + 1, { share }))
    const counts = countBy(slotsFrom(buildManifest([...shares, program(4)]), '2026-11-05 00:00', HOUR))
    expect(counts).toEqual({ 1: 144, 2: 144, 3: 72 })
  })

  test('shares are scaled to 100 when every program has a share', () => {
    const counts = countBy(slotsFrom(buildManifest([program(1, { share: 10 }), program(2, { share: 30 })]), NOON, HOUR))
    expect(counts).toEqual({ 1: 90, 2: 270 })
  })

  test('a program with a share does not play when the programs without a share have a higher priority', () => {
    const manifest = buildManifest([program(1, { share: 50 }), program(2, { priority: 1 })])
    expect(countBy(slotsFrom(manifest, NOON, HOUR))).toEqual({ 2: 360 })
  })

  test('the played time of a program differs from its planned time by less than the longest item', () => {
    const stream = fc.record({
      share: fc.option(fc.integer({ min: 1, max: 12 })),
      lengths: fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 4 }),
      playMode: fc.constantFrom(1, 2, 3, 4),
    })
    const property = (streams: { share: number | null; lengths: number[]; playMode: number }[]) => {
      const programs = streams.map(({ share, lengths, playMode }, at) => {
        const items = lengths.map((seconds, index) => buildItem(at * 10 + index, { ms: seconds * 1000 }))
        return program(at + 1, { share, items, playMode: playMode as 1 })
      })
      expect(worstDeviation(programs)).toBeLessThan(1)
    }
    fc.assert(fc.property(fc.array(stream, { minLength: 1, maxLength: 10 }), property), { numRuns: 60 })
  }, 60_000)
})

/** Returns the largest distance of a stream from its due time, as a part of the longest item, over six hours. */
function worstDeviation(programs: ManifestProgram[]): number {
  const base = programs.filter(({ share }) => share === null).length
  const total = programs.reduce((sum, { share }) => sum + (share ?? 0), 0)
  const scale = base > 0 && total < 100 ? 100 : total
  const due = programs.map(({ share }) => (share ?? (100 - total) / base) / scale)
  const blocks = programs.map(({ playMode, items }) =>
    playMode === 2 ? items.reduce((sum, { ms }) => sum + ms, 0) : Math.max(...items.map(({ ms }) => ms)),
  )
  const longest = Math.max(...blocks)
  const played = programs.map(() => 0)
  let [elapsed, worst, rest] = [0, 0, 0]
  for (const { program: each, ms, item } of slotsFrom(buildManifest(programs), '2026-11-05 00:00', 6 * HOUR)) {
    const at = each!.id - 1
    played[at]! += ms
    elapsed += ms
    rest = each!.playMode === 2 && item !== each!.items[each!.items.length - 1] ? 1 : 0
    if (rest === 0)
      for (const [index, time] of played.entries()) worst = Math.max(worst, Math.abs(time - due[index]! * elapsed))
  }
  return worst / longest
}

describe('AD-01 takeovers', () => {
  const at = (start: string, end: string) => ({ dayParts: [{ start, end }] })

  test('only the takeover plays in its window; of two with equal priority, the later published one plays', () => {
    const early = program(2, { insertMode: 1, publishedAt: 1, ...at('12:00', '12:10') })
    const late = program(3, { insertMode: 1, publishedAt: 2, ...at('12:05', '12:10') })
    const slots = slotsFrom(buildManifest([program(1, { priority: 9 }), late, early]), '2026-11-05 11:55', 20 * 60_000)
    expect(countBy(slots)).toEqual({ 1: 60, 2: 30, 3: 30 })
  })

  test('a program that plays once plays its items at the start of each window, then the loop continues', () => {
    const once = program(2, {
      insertMode: 2,
      ...at('12:00', '13:00'),
      items: [buildItem(21), buildItem(22, { ms: 30_000 })],
    })
    const base = program(1, { items: [buildItem(1, { ms: 20_000 })] })
    expect(lines(slotsFrom(buildManifest([base, once]), '2026-11-05 11:59', 130_000))).toEqual([
      '11:59:00 1',
      '11:59:20 1',
      '11:59:40 1',
      '12:00:00 21',
      '12:00:10 22',
      '12:00:40 1',
      '12:01:00 1',
    ])
  })

  test('a program that plays once skips items that would not end within the window', () => {
    const items = [40, 25, 15].map((second, index) => buildItem(index + 1, { ms: second * 1000 }))
    const once = program(2, { insertMode: 2, ...at('12:00', '12:01'), items })
    expect(lines(slotsFrom(buildManifest([once]), NOON, 56_000))).toEqual(['12:00:00 1', '12:00:40 3', '12:00:55 idle'])
  })

  test('a program that plays once waits for takeovers of higher priority and is not interrupted at midnight', () => {
    const takeover = program(2, { insertMode: 1, priority: 5, ...at('23:58', '23:59') })
    const once = program(3, {
      insertMode: 2,
      ...at('23:58', '00:30'),
      items: [31, 32].map((id) => buildItem(id, { ms: 45_000 })),
    })
    expect(lines(slotsFrom(buildManifest([takeover, once]), '2026-11-05 23:58', 151_000))).toEqual([
      ...[0, 10, 20, 30, 40, 50].map((second) => `23:58:${String(second).padStart(2, '0')} 20`),
      '23:59:00 31',
      '23:59:45 32',
      '00:00:30 idle',
    ])
  })
})

describe('AD-01 limits', () => {
  test('an hourly limit spreads the plays over the hour; between the plays, the screen keeps the last content', () => {
    const capped = program(1, { items: [buildItem(1, { maxPlaysPerHour: 4 })] })
    const slots = slotsFrom(buildManifest([capped]), '2026-11-05 00:00', HOUR)
    expect(lines(slots)).toEqual(
      [0, 15, 30, 45].flatMap((minute) => {
        const text = String(minute).padStart(2, '0')
        return [`00:${text}:00 1`, `00:${text}:10 hold`]
      }),
    )
    expect(slots[1]).toMatchObject({ hold: true, item: { id: 1 }, ms: 890_000 })
    const mixed = program(1, { items: [buildItem(1, { maxPlaysPerHour: 4 }), buildItem(2)] })
    const plays = slotsFrom(buildManifest([mixed]), '2026-11-05 00:00', HOUR)
    expect(plays.filter(({ item }) => item!.id === 1)).toHaveLength(4)
    expect(plays).toHaveLength(360)
  })

  test('only items that end within the segment are played; the last item stays until the end of the segment', () => {
    const parts = { dayParts: [{ start: '12:00', end: '12:01' }] }
    const items = [buildItem(1, { ms: 40_000 }), buildItem(2, { ms: 25_000 }), buildItem(3, { ms: 15_000 })]
    const slots = slotsFrom(buildManifest([program(1, { ...parts, items })]), NOON, 61_000)
    expect(lines(slots)).toEqual(['12:00:00 1', '12:00:40 3', '12:00:55 hold', '12:01:00 idle'])
    expect(slots[2]).toMatchObject({ hold: true, item: { id: 3 } })
  })

  test('a hold at the start of a segment shows the content of the previous segment', () => {
    const long = program(1, {
      priority: 1,
      dayParts: [{ start: '12:00', end: '12:30' }],
      items: [buildItem(1, { ms: HOUR })],
    })
    const slots = slotsFrom(buildManifest([long, program(2)]), NOON, 60_000)
    expect(slots).toMatchObject([{ hold: true, ms: 30 * 60_000, program: { id: 2 }, item: { id: 20 }, rule: 'loop' }])
  })

  test('a daypart of the last date plays beyond midnight, but no ad plays after its own last date', () => {
    const night = { dateTo: '2026-11-05', dayParts: [{ start: '22:00', end: '02:00' }] }
    const manifest = buildManifest([program(1, night)])
    expect(findPlayingAt(manifest, parseShanghaiTime('2026-11-06 01:59')).rule).toBe('loop')
    expect(findPlayingAt(manifest, parseShanghaiTime('2026-11-06 02:00')).rule).toBe('idle')
    expect(findPlayingAt(manifest, parseShanghaiTime('2026-11-01 01:00')).rule).toBe('idle')
    const expiring = { ...manifest, ads: [buildAd(10, { validTo: '2026-11-05' })] }
    expect(findPlayingAt(expiring, parseShanghaiTime('2026-11-05 23:59')).rule).toBe('loop')
    expect(findPlayingAt(expiring, parseShanghaiTime('2026-11-06 00:00')).rule).toBe('idle')
  })

  test('29 February has the right weekday', () => {
    const tuesday = program(1, { dateFrom: '2028-02-01', dateTo: '2028-03-31', weekdays: 2 })
    const manifest = buildManifest([tuesday])
    expect(findPlayingAt(manifest, parseShanghaiTime('2028-02-29 12:00')).rule).toBe('loop')
    expect(findPlayingAt(manifest, parseShanghaiTime('2028-03-01 12:00')).rule).toBe('idle')
  })

  test('without a scheduled program, the default program of the tenant plays, otherwise that of the platform', () => {
    const part = { dayParts: [{ start: '12:00', end: '13:00' }] }
    const tenant = program(2, { fallback: 1, dateFrom: '2026-11-03' })
    const manifest = buildManifest([program(1, part), tenant, program(3, { fallback: 2, priority: 9 })])
    const rule = (text: string) => findPlayingAt(manifest, parseShanghaiTime(text)).rule
    expect(rule('2026-11-05 12:30')).toBe('loop')
    expect(rule('2026-11-05 13:30')).toBe('tenantDefault')
    expect(rule('2026-11-02 13:30')).toBe('platformDefault')
    expect(rule('2026-12-02 13:30')).toBe('idle')
  })
})

describe('AD-01 play modes and queries', () => {
  test('a random order plays each item once a cycle, no ad twice in a row, and is equal for equal inputs', () => {
    const items = [1, 2, 3, 4, 5].map((id) => buildItem(id))
    const manifest = buildManifest([program(1, { playMode: 3, items })])
    const ids = slotsFrom(manifest, '2026-11-05 00:00', HOUR).map(({ item }) => item!.id)
    for (let at = 0; at < ids.length; at += 5) expect(new Set(ids.slice(at, at + 5)).size).toBe(5)
    for (let at = 1; at < ids.length; at += 1) expect(ids[at]).not.toBe(ids[at - 1])
    expect(new Set(Array.from({ length: 72 }, (_, at) => String(ids.slice(at * 5, at * 5 + 5)))).size).toBeGreaterThan(
      20,
    )
    const again = slotsFrom(copyOf(manifest), '2026-11-05 00:00', HOUR).map(({ item }) => item!.id)
    expect(again).toEqual(ids)
  })

  test('a program that is longer than an hour plays every item', () => {
    const items = Array.from({ length: 100 }, (_, at) => buildItem(at + 1, { ms: 60_000 }))
    const slots = slotsFrom(buildManifest([program(1, { items })]), '2026-11-05 00:00', 2 * HOUR)
    expect(slots.map(({ item }) => item!.id).slice(0, 101)).toEqual([...items.map(({ id }) => id), 1])
    expect(slots[60]).toMatchObject({ cycle: 1, slot: 0 })
  })

  test('a screen that starts at any time shows the same slot as all other screens', () => {
    const items = [buildItem(1, { ms: 7000 }), buildItem(2, { ms: 15_500 }), buildItem(3, { maxPlaysPerHour: 20 })]
    const manifest = buildManifest([
      program(1, { items, playMode: 3 }),
      program(2, { share: 30 }),
      program(3, { insertMode: 2, dayParts: [{ start: '12:20', end: '13:00' }] }),
    ])
    const slots = slotsFrom(manifest, NOON, HOUR)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: HOUR - 1 }), (ms) => {
        const instant = parseShanghaiTime(NOON) + ms
        const { offsetMs, because, ...slot } = findPlayingAt(copyOf(manifest), instant)
        const expected = slots.find(({ start, ms: length }) => start <= instant && instant < start + length)
        expect(slot).toEqual(expected)
        expect([offsetMs, because.length]).toEqual([instant - slot.start, 3])
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  test('a screen skips items whose files it does not have', () => {
    const manifest = buildManifest([program(1, { items: [buildItem(1), buildItem(2)] })])
    const state = { filesNotReady: [1] }
    const shown = [...listSlotsBetween(manifest, parseShanghaiTime(NOON), parseShanghaiTime(NOON) + 60_000, state)]
    expect(new Set(shown.map(({ item }) => item!.id))).toEqual(new Set([2]))
  })
})
