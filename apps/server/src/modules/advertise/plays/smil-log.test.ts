import { expect, test } from 'vitest'
import { MAX_LOG_BYTES, readSmilLog, toPlayReports } from './smil-log.ts'

const play = (start: string, end: string, contentId = '31:4:7:77:2') =>
  `<contentPlayed><contentId>${contentId}</contentId><startTime>${start}</startTime><endTime>${end}</endTime></contentPlayed>`
const log = (plays: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<report xmlns="http://schemas.garlic-player.com/gapi-1.0"><date>x</date><player id="x"><contentPlayLog>${plays}</contentPlayLog></player></report>\n`

/** Returns start and duration of the plays, as text and milliseconds. */
const read = (plays: readonly (readonly [string, string])[], zone: string, now: string) =>
  toPlayReports(readSmilLog(log(plays.map(([start, end]) => play(start, end)).join('\n'))).plays, {
    deviceId: 1,
    zone,
    now: Date.parse(now),
    plannedOf: () => 3_600_000,
  }).map(({ start, ms }) => [new Date(start!).toISOString(), ms])

const HOUR = 3_600_000
// Time zone, day and hour of a repeated local hour, and the instant at which the hour first begins.
const REPEATED = [
  ['Europe/Berlin', '2026-10-25', '02', '2026-10-25T00:00:00Z'],
  ['America/New_York', '2026-11-01', '01', '2026-11-01T05:00:00Z'],
] as const

test.each(REPEATED)(
  'AD-09 local times of the repeated hour in %s keep the order of the log',
  (zone, day, hour, first) => {
    const at = Date.parse(first)
    const iso = (after: number) => new Date(at + after).toISOString()
    const minutes = [10, 30, 59]
    const once = minutes.map((minute) => [`${day}T${hour}:${minute}:50`, `${day}T${hour}:${minute}:55`] as const)
    const change = [`${day}T${hour}:59:57`, `${day}T${hour}:00:07`] as const
    const later = String(Number(hour) + 1).padStart(2, '0')
    const after = [`${day}T${later}:00:00`, `${day}T${later}:00:05`] as const
    const starts = minutes.map((minute) => minute * 60_000 + 50_000)
    expect(read([...once, change, ...once, after], zone, iso(5 * HOUR))).toEqual([
      ...starts.map((start) => [iso(start), 5000]),
      [iso(HOUR - 3000), 10_000],
      ...starts.map((start) => [iso(HOUR + start), 5000]),
      [iso(2 * HOUR), 5000],
    ])
    // A log that arrives during the first of the two hours has no plays of the second hour.
    expect(read(once, zone, iso(HOUR))).toEqual(starts.map((start) => [iso(start), 5000]))
  },
)

test('AD-09 times may have fractions of seconds, a space instead of T, and offsets with or without a colon', () => {
  const expected = [['2026-11-22T12:33:47.250Z', 15_250]]
  for (const [start, end] of [
    ['2026-11-22T20:33:47.25', '2026-11-22T20:34:02.5'],
    ['2026-11-22 20:33:47,250', '2026-11-22 20:34:02.500123'],
    ['2026-11-22 12:33:47.250Z', '2026-11-22T12:34:02.500Z'],
    ['2026-11-22 20:33:47.250+0800', '2026-11-22T20:34:02.500+08:00'],
  ] as const)
    expect(read([[start, end]], 'Asia/Shanghai', '2026-11-23T00:00:00Z')).toEqual(expected)
  const unreadable = ['', '2026-13-45T00:00:00', '20:33:47', '2026-11-22T20:33']
  for (const text of unreadable)
    expect(
      toPlayReports([{ contentId: '1:1:1:1:1', startTime: text, endTime: text }], {
        deviceId: 1,
        zone: 'Asia/Shanghai',
        now: Date.now(),
        plannedOf: () => 1,
      })[0]?.start,
    ).toBeNaN()
})

test('AD-09 a log of garlic-player of the maximum size 1 MiB is read completely', () => {
  const line = play('2026-11-22T20:33:47Z', '2026-11-22T20:34:02Z', '1:1:1:1:1').replaceAll('><', '>\n<')
  const count = Math.ceil((1024 * 1024) / (line.length - 4))
  const text = log(`${line}\n`.repeat(count))
  expect(text.length).toBeLessThan(MAX_LOG_BYTES)
  expect(readSmilLog(text)).toMatchObject({ isWhole: true, plays: { length: count } })
  // Without a readable log file garlic-player sends a report without plays.
  expect(readSmilLog('<?xml version="1.0"?><report><player id="x"/></report>')).toEqual({ plays: [], isWhole: true })
})

const fill = (part: string) => log(part.repeat(Math.ceil(MAX_LOG_BYTES / part.length)).slice(0, MAX_LOG_BYTES))
const days = Array.from({ length: 9000 }, (_, n) => new Date(Date.UTC(2026, 9, 25) + (n - 4500) * 86_400_000))
const HOSTILE = {
  'processing instructions': fill('<?x?>'),
  elements: fill('<a/>'),
  pairs: fill('<a></a>'),
  attributes: fill('<a b="c"/>'),
  prefixes: fill('<a.'),
  'open prefixes': fill('a.'),
  'open plays': fill('<contentPlayed '),
  'open texts': fill('<contentId>'),
  'many plays': log(play('2026-10-25T02:30:00', '2026-10-25T02:30:01').repeat(7500)),
  'many days': log(
    days
      .map((day) => play(`${day.toISOString().slice(0, 10)}T02:30:00`, `${day.toISOString().slice(0, 10)} 02:31:00`))
      .join(''),
  ),
}

test.each(Object.entries(HOSTILE))(
  'a log of the maximum length is parsed in at most 200 ms of CPU time: %s',
  (_, text) => {
    const facts = { deviceId: 1, zone: 'Europe/Berlin', now: Date.UTC(2026, 9, 26), plannedOf: () => 15_000 }
    const cost = () => {
      const before = process.cpuUsage()
      try {
        toPlayReports(readSmilLog(text).plays, facts)
      } catch {
        // The time for refusing a log is measured too.
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    expect(Math.min(cost(), cost(), cost())).toBeLessThan(200)
  },
)
