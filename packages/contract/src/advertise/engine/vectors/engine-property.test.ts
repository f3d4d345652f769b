import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDate, parseDay } from '../dates.ts'
import type { Manifest } from '../manifest.ts'
import { listSlotsBetween } from '../playing.ts'
import { createManifestArbitrary } from './random-manifest-fixture.ts'
import type { Row } from './slow-loop-fixture.ts'
import { buildReferenceRows } from './slow-reference-fixture.ts'
import { buildTimeline } from '../timeline.ts'
import { loadZone } from '../zone.ts'

const RUNS = 40
const DAYS = 2

function engineRows(manifest: Manifest, date: string): Row[] {
  const zone = loadZone(manifest.zone)
  const [from, to] = [zone.startOf(parseDay(date), 0), zone.startOf(parseDay(date) + DAYS, 0)]
  return [...listSlotsBetween(manifest, from, to)].map(({ start, ms, program, item, cycle, slot, hold, rule }) => {
    const isShown = rule !== 'idle' && !hold
    return [start, ms, isShown ? program!.id : 0, isShown ? item!.id : 0, cycle, slot]
  })
}

function expectSame({ manifest, date }: { manifest: Manifest; date: string }) {
  const expected = buildReferenceRows(manifest, date, formatDate(parseDay(date) + DAYS - 1))
  const actual = engineRows(manifest, date)
  const first = expected.findIndex((row, at) => String(row) !== String(actual[at]))
  if (first >= 0 || expected.length !== actual.length)
    expect(actual.slice(Math.max(0, first - 1), first + 3)).toEqual(expected.slice(Math.max(0, first - 1), first + 3))
}

test('AD-01 the engine plans the same slots as the slow reference for random programs, zones and clock changes', () => {
  fc.assert(fc.property(createManifestArbitrary([0, 0, 0, 0, 1], 5), expectSame), { numRuns: RUNS })
}, 120_000)

test('AD-01 the engine plans the same slots as the slow reference for takeovers that play once', () => {
  fc.assert(fc.property(createManifestArbitrary([0, 0, 1, 2, 2], 4), expectSame), { numRuns: RUNS / 4 })
}, 120_000)

test('AD-01 the plan of a day does not depend on which days were planned earlier', () => {
  const property = ({ manifest, date }: { manifest: Manifest; date: string }) => {
    const timeline = buildTimeline(manifest)
    for (let day = parseDay(date) - 8; day < parseDay(date) + 8; day += 1) {
      const fresh = buildTimeline({ ...manifest })
      const [actual, expected] = [timeline, fresh].map((each) =>
        each.segmentsOn(day).map(({ start, end, day: seed, choice }) => {
          const streams = choice.streams.map(({ program, items, weight }) => [
            program.id,
            items.map(({ item }) => item.id),
            weight,
          ])
          return { start, end, seed, rule: choice.rule, streams, plays: choice.run?.plays.map((play) => play.start) }
        }),
      )
      expect(actual).toEqual(expected)
    }
  }
  fc.assert(fc.property(createManifestArbitrary([0, 0, 0, 1, 2], 6), property), { numRuns: RUNS })
}, 120_000)
