import type { VectorInput } from './check-vectors.ts'
import type { Manifest, ManifestProgram } from '../manifest.ts'
import { buildAd, buildItem, buildManifest, buildProgram, parseShanghaiTime } from '../manifest-fixture.ts'
import { loadZone } from '../zone.ts'
import { parseDay } from '../dates.ts'

const HOUR = 3_600_000
const parts = (...times: string[]) => times.map((time) => ({ start: time.slice(0, 5), end: time.slice(6) }))
const items = (first: number, ...seconds: number[]) =>
  seconds.map((second, at) => buildItem(first + at, { ms: second * 1000 }))

/** Two days in Shanghai, with three moments. */
const input = (name: string, programs: ManifestProgram[], fields: Partial<VectorInput> = {}): VectorInput => ({
  name,
  manifest: buildManifest(programs),
  from: parseShanghaiTime('2026-11-05 00:00'),
  to: parseShanghaiTime('2026-11-07 00:00'),
  moments: ['2026-11-05 00:10:03', '2026-11-05 12:34:56', '2026-11-06 23:59:59'].map((time) => parseShanghaiTime(time)),
  ...fields,
})

/** Two days around a clock change: an all-day program, a night part, and a part within the change. */
function clockChange(zone: string, date: string): VectorInput {
  const dates = { dateFrom: '2010-01-01', dateTo: '2030-12-31' }
  const programs = [
    buildProgram(1, { ...dates, items: items(10, 13, 29) }),
    buildProgram(2, { ...dates, priority: 1, dayParts: parts('22:00-00:30'), items: items(20, 45) }),
    buildProgram(3, { ...dates, insertMode: 1, dayParts: parts('01:45-02:30'), items: items(30, 40) }),
  ]
  const from = loadZone(zone).startOf(parseDay(date), 0)
  const moments = [0, 90, 150, 210].map((minutes) => from + minutes * 60_000)
  return input(`${zone} ${date}`, [], {
    manifest: buildManifest(programs, { zone }),
    from,
    to: from + 50 * HOUR,
    moments,
  })
}

const shop = (): ManifestProgram[] => [
  buildProgram(1, {
    priority: 5,
    name: '早餐时段',
    dayParts: parts('06:30-10:00'),
    weekdays: 31,
    items: items(10, 15, 15, 10),
  }),
  buildProgram(2, {
    priority: 5,
    name: '上午',
    dayParts: parts('08:00-12:00', '14:00-18:00'),
    items: items(20, 30, 8),
  }),
  buildProgram(3, { priority: 5, name: '份额二十', share: 20, items: items(30, 15, 15) }),
  buildProgram(4, { priority: 6, name: '份额十', share: 10, playMode: 3, items: items(40, 12, 12, 12) }),
  buildProgram(5, { name: '周五夜场', weekdays: 16, dayParts: parts('22:00-02:00'), items: items(50, 20, 25) }),
  buildProgram(6, {
    name: '整点报时',
    insertMode: 2,
    priority: 3,
    dayParts: parts('09:00-09:30', '12:00-12:30'),
    items: items(60, 30),
  }),
  buildProgram(7, {
    name: '紧急通知',
    insertMode: 1,
    priority: 8,
    dayParts: parts('12:00-12:05'),
    items: items(70, 20),
  }),
  buildProgram(8, { name: '默认节目单', fallback: 1, items: items(80, 10, 60) }),
  buildProgram(9, { name: '平台默认', fallback: 2, items: items(90, 10) }),
]

/** Ten programs of ten items with lengths, shares and caps made by a fixed rule. */
const many = (): ManifestProgram[] =>
  Array.from({ length: 10 }, (_, at) =>
    buildProgram(at + 1, {
      share: at % 3 === 0 ? at + 2 : null,
      playMode: ((at % 4) + 1) as 1,
      items: Array.from({ length: 10 }, (_unused, index) =>
        buildItem(at * 10 + index, {
          adId: (at * 7 + index) % 40,
          ms: 5000 + ((at * 31 + index * 17) % 40) * 500,
          weight: 1 + ((at + index) % 5),
          maxPlaysPerHour: (at + index) % 7 === 0 ? 12 : 0,
        }),
      ),
    }),
  )

function shopWithLimits(): Manifest {
  const manifest = buildManifest(shop())
  const limited = {
    10: { validTo: '2026-11-05' },
    21: { approvalUntil: '2026-11-05' },
    30: { validFrom: '2026-11-06' },
  }
  return {
    ...manifest,
    ads: manifest.ads.map((ad) => buildAd(ad.id, limited[ad.id as 10])).filter(({ id }) => id !== 81),
  }
}

export const VECTOR_INPUTS: VectorInput[] = [
  input('equal priorities', [buildProgram(1, { items: items(1, 60) }), buildProgram(2, { items: items(2, 10, 5) })]),
  input(
    'shares',
    [10, 25, 7].map((share, at) => buildProgram(at + 1, { share })).concat(buildProgram(4), buildProgram(5)),
  ),
  input('shares above 100', [80, 80, 40].map((share, at) => buildProgram(at + 1, { share })).concat(buildProgram(4))),
  input('random', [buildProgram(1, { playMode: 3, items: items(1, 10, 11, 12, 13, 14, 15, 16) })]),
  input('weighted', [
    buildProgram(1, { playMode: 4, items: [5, 3, 1].map((weight, at) => buildItem(at, { weight })) }),
  ]),
  input('block with caps', [
    buildProgram(1, {
      playMode: 2,
      items: [buildItem(1), buildItem(2, { maxPlaysPerHour: 7 }), buildItem(3, { ms: 35_000 })],
    }),
    buildProgram(2, { share: 35 }),
  ]),
  input('caps and holds', [
    buildProgram(1, { items: [7, 11].map((cap, at) => buildItem(at + 1, { maxPlaysPerHour: cap })) }),
  ]),
  input('long list', [
    buildProgram(1, { items: Array.from({ length: 70 }, (_, at) => buildItem(at, { ms: 61_500 })) }),
  ]),
  input('nothing fits', [
    buildProgram(1, { priority: 1, dayParts: parts('12:00-13:00'), items: items(1, 3600, 3599) }),
    buildProgram(2, { dayParts: parts('10:00-12:00') }),
  ]),
  input('shop', shop()),
  input('shop with limits and screen state', [], {
    manifest: shopWithLimits(),
    state: { filesNotReady: [40], codecsUnsupported: [50, 51] },
    known: { programs: [{ id: 99, name: '草稿', obstacle: 'unpublished' }], ads: [{ id: 81, obstacle: 'adDisabled' }] },
    moments: ['2026-11-05 09:00:10', '2026-11-06 12:02:00', '2026-11-06 23:00:00'].map((time) =>
      parseShanghaiTime(time),
    ),
  }),
  input('many', many()),
  clockChange('Europe/Berlin', '2026-03-28'),
  clockChange('Europe/Berlin', '2025-10-25'),
  clockChange('America/New_York', '2025-03-08'),
  clockChange('America/New_York', '2025-11-01'),
  clockChange('Australia/Lord_Howe', '2025-04-05'),
  clockChange('America/Havana', '2025-11-01'),
  clockChange('Pacific/Apia', '2011-12-29'),
  clockChange('Asia/Shanghai', '2028-02-28'),
]
