import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDay } from '../dates.ts'
import { forecastPlays, countPlannedPlays, iterateForecast, MAX_FORECAST_DAYS } from './forecast.ts'
import { buildItem, buildManifest, buildProgram, parseShanghaiTime } from '../manifest-fixture.ts'
import { listSlotsBetween } from '../playing.ts'
import { createManifestArbitrary } from '../vectors/random-manifest-fixture.ts'
import { loadZone } from '../zone.ts'

const from = parseShanghaiTime('2026-11-21 00:00')
const booking = { programId: 1, from, played: 0, availability: 1000 }

test('AD-01 the number of planned plays of a day equals the number of slots that begin on that day', () => {
  const property = ({ manifest, date }: { manifest: Parameters<typeof countPlannedPlays>[0]; date: string }) => {
    const zone = loadZone(manifest.zone)
    // For random orders, only the number of plays of a whole pass is exact.
    const fixed = {
      ...manifest,
      programs: manifest.programs.map((each) => ({
        ...each,
        playMode: each.playMode === 3 ? (1 as const) : each.playMode,
      })),
    }
    const start = zone.startOf(parseDay(date) - 1, 0) + 5_000_000
    for (const { id } of fixed.programs) {
      const expected = [0, 1, 2, 3].map((at) => {
        const [first, last] = [zone.startOf(parseDay(date) - 1 + at, 0), zone.startOf(parseDay(date) + at, 0)]
        const slots = first < last ? [...listSlotsBetween({ ...fixed }, first, last)] : []
        return slots.filter((slot) => !slot.hold && slot.program?.id === id && slot.start >= Math.max(first, start))
          .length
      })
      expect(countPlannedPlays(fixed, id, start, 4)).toEqual(expected)
    }
  }
  fc.assert(fc.property(createManifestArbitrary([0, 0, 0, 1, 2], 4), property), { numRuns: 40 })
}, 120_000)

test('AD-01 the forecast proposes nothing when the expected plays reach the booked number', () => {
  const sets = [{ manifest: buildManifest([buildProgram(1)]), screens: 3 }]
  const plays = 10 * 8640 * 3
  expect(forecastPlays({ ...booking, sets, booked: plays })).toMatchObject({ expected: plays, gap: 0, texts: [] })
  const half = forecastPlays({ ...booking, sets, booked: plays, played: 100, availability: 500 })
  expect(half).toMatchObject({ expected: plays / 2 + 100, gap: plays / 2 - 100 })
})

test('AD-01 the forecast proposes the smallest share, extension and number of screens that reach the booking', () => {
  const own = buildProgram(1, { share: 20 })
  const others = [buildProgram(2), buildProgram(3, { share: 30 })].map((other) => ({ ...other, dateTo: '2027-12-31' }))
  const sets = [{ manifest: buildManifest([own, ...others]), screens: 10 }]
  const day = 8640 * 10
  // Ten days at 20 % are two days of plays.
  const input = { ...booking, sets, booked: 2.5 * day }
  const forecast = forecastPlays(input)
  expect(forecast).toEqual({
    expected: 2 * day,
    gap: day / 2,
    share: 25,
    days: 3,
    screens: 3,
    texts: ['提高份额到 25%', '延长 3 天', '增加 3 块屏幕'],
  })
  expect(forecastPlays({ ...input, booked: 8 * day })).toMatchObject({ share: null, days: 30, screens: 30 })
  expect(forecastPlays({ ...input, booked: 1e9 })).toMatchObject({ share: null, days: null })
}, 60_000)

test('AD-01 a proposed extension includes dayparts beyond midnight and never exceeds the last date of the ad', () => {
  const night = { dayParts: [{ start: '22:00', end: '02:00' }] }
  const sets = [{ manifest: buildManifest([buildProgram(1, night)]), screens: 1 }]
  const plays = (nights: number) => nights * 4 * 360
  const input = { ...booking, from: parseShanghaiTime('2026-11-21 12:00'), sets }
  expect(forecastPlays({ ...input, booked: plays(10) }).gap).toBe(0)
  expect(forecastPlays({ ...input, booked: plays(10) + 1 }).days).toBe(1)
  expect(forecastPlays({ ...input, booked: plays(12) })).toMatchObject({ days: 2, share: null })
  const ending = buildManifest([buildProgram(1)], { ads: [{ ...sets[0]!.manifest.ads[0]!, validTo: '2026-12-02' }] })
  expect(forecastPlays({ ...booking, sets: [{ manifest: ending, screens: 1 }], booked: 13 * 8640 }).days).toBe(null)
})

test('AD-01 each of 90 days with the same segments has the same number of planned plays', () => {
  const programs = [1, 2, 3].map((id) =>
    buildProgram(id, { dateTo: '2027-12-31', items: [buildItem(id), buildItem(id + 10, { ms: 15_000 })] }),
  )
  const plays = countPlannedPlays(buildManifest(programs), 1, from, 90)
  expect(plays).toHaveLength(90)
  expect(new Set(plays).size).toBe(1)
})

test('AD-01 the forecast of a program without a last date covers ten years and yields after each day', () => {
  const sets = [{ manifest: buildManifest([buildProgram(1, { dateTo: '9999-12-31' })]), screens: 1 }]
  const steps = iterateForecast({ ...booking, sets, booked: 1 })
  let days = 0
  let result = steps.next()
  for (; !result.done; result = steps.next()) days += 1
  expect(days).toBe(MAX_FORECAST_DAYS)
  expect(result.value).toMatchObject({ gap: 0 })
})
