import fc from 'fast-check'
import { formatDate, parseDay } from '../dates.ts'
import type { DayPart, Manifest, ManifestAd, ManifestItem, ManifestProgram } from '../manifest.ts'
import { buildAd, buildItem, buildProgram } from '../manifest-fixture.ts'
import { loadZone } from '../zone.ts'

/** Zones with the date of a clock change or of a leap day. */
const NIGHTS = [
  ['Asia/Shanghai', '2028-02-28'],
  ['Asia/Shanghai', '2026-12-31'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2025-03-09'],
  ['America/New_York', '2025-11-02'],
  ['Australia/Lord_Howe', '2025-04-06'],
  ['Australia/Lord_Howe', '2025-10-05'],
  ['America/Havana', '2025-03-09'],
  ['America/Havana', '2025-11-02'],
  ['America/Santiago', '2025-09-07'],
  ['America/St_Johns', '2010-11-07'],
  ['Pacific/Apia', '2011-12-29'],
] as const

const minuteText = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

/** Dayparts that do not overlap: every second gap between sorted times. The last daypart may cross midnight. */
const dayParts = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 0, max: 95 }), { minLength: 2, maxLength: 6 }), fc.boolean())
  .map(([quarters, crosses]): DayPart[] => {
    const times = quarters.sort((a, b) => a - b).map((quarter) => minuteText(quarter * 15))
    const sorted = crosses ? [...times.slice(1), times[0]!] : times
    return sorted.flatMap((start, at) => (at % 2 === 0 && sorted[at + 1] ? [{ start, end: sorted[at + 1]! }] : []))
  })

const seconds = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 5, max: 90 }) },
  { weight: 1, arbitrary: fc.integer({ min: 600, max: 3600 }) },
)
const items = fc.array(
  fc.record({
    ad: fc.integer({ min: 1, max: 6 }),
    seconds,
    weight: fc.integer({ min: 1, max: 5 }),
    cap: fc.constantFrom(0, 0, 0, 0, 1, 6, 12, 60),
    /** Hours from the start of the date. */
    limits: fc.option(fc.tuple(fc.integer({ min: -30, max: 20 }), fc.integer({ min: 1, max: 40 })), { freq: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
)
const programShape = {
  priority: fc.integer({ min: 0, max: 2 }),
  publishedAt: fc.integer({ min: 0, max: 2 }),
  playMode: fc.constantFrom(1, 1, 2, 3, 4),
  share: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 2 }),
  fallback: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
  days: fc.tuple(fc.integer({ min: -2, max: 0 }), fc.integer({ min: 0, max: 2 })),
  weekdays: fc.constantFrom(127, 127, 127, 31, 96, 64),
  dayParts: fc.option(dayParts),
  items,
}
const dates = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: -1, max: 1 }),
    fc.integer({ min: 0, max: 2 }),
    fc.boolean(),
  ),
  { maxLength: 3 },
)

type ProgramShape = {
  [K in keyof typeof programShape]: (typeof programShape)[K] extends fc.Arbitrary<infer T> ? T : never
} & { insertMode: number }

function build(
  [zone, date]: (typeof NIGHTS)[number],
  shapes: ProgramShape[],
  limits: [number, number, number, boolean][],
): Manifest {
  const day = parseDay(date)
  const midnight = loadZone(zone).startOf(day, 0)
  const programs = shapes.map(({ items: shape, days: [before, after], ...fields }, at): ManifestProgram => {
    const made = shape.map(({ ad, seconds: length, weight, cap, limits: hours }, index): ManifestItem => {
      const [from, to] = hours
        ? [midnight + hours[0] * 3_600_000, midnight + (hours[0] + hours[1]) * 3_600_000]
        : [null, null]
      return buildItem(at * 10 + index + 1, { adId: ad, ms: length * 1000, weight, maxPlaysPerHour: cap, from, to })
    })
    return buildProgram(at + 1, {
      ...fields,
      dayParts: fields.dayParts ?? [],
      dateFrom: formatDate(day + before),
      dateTo: formatDate(day + after),
      items: made,
    } as Partial<ManifestProgram>)
  })
  const ads = new Map<number, ManifestAd>([1, 2, 3, 4, 5, 6].map((id) => [id, buildAd(id)]))
  for (const [id, from, length, isApproval] of limits) {
    const until = formatDate(day + from + length)
    ads.set(
      id,
      buildAd(id, isApproval ? { approvalUntil: until } : { validFrom: formatDate(day + from), validTo: until }),
    )
  }
  return { format: 1, zone, programs, ads: [...ads.values()] }
}

/** Random manifests with programs of the insert modes, and the date of a clock change in their zone. */
export const createManifestArbitrary = (insertModes: readonly number[], maxLength: number) =>
  fc
    .tuple(
      fc.constantFrom(...NIGHTS),
      fc.array(fc.record({ ...programShape, insertMode: fc.constantFrom(...insertModes) }), {
        minLength: 1,
        maxLength,
      }),
      dates,
    )
    .map(([night, shapes, limits]) => ({ date: night[1], manifest: build(night, shapes as ProgramShape[], limits) }))
