import { formatDate, parseDay } from '@oms/contract/advertise/engine/dates.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string) {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, made)
  return made
}

/** Formats a time in a zone as `yyyy-MM-dd HH:mm:ss`. */
export function formatLocalTime(at: Date | number, zone: string): string {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = value
  return `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}:${parts['second']}`
}

/** Formats the date of a time in a zone as `yyyy-MM-dd`. */
export const formatLocalDay = (at: Date | number, zone: string) => formatLocalTime(at, zone).slice(0, 10)

/**
 * Reads a local time as UTC. `Date.parse` would refuse the year 10000, which 9999-12-31 becomes in zones east of
 * UTC.
 */
function utcOf(localTime: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = localTime.split(/[- :]/).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * Returns the time of a local time in milliseconds. A local time skipped by daylight saving becomes the time after
 * the gap.
 */
export function parseLocalTime(localTime: string, zone: string): number {
  const asUtc = utcOf(localTime)
  const offset = (at: number) => utcOf(formatLocalTime(at, zone)) - at
  const guess = asUtc - offset(asUtc)
  return asUtc - offset(guess)
}

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000

/**
 * Returns a function that lists the instants of a local time in ascending order: two for an hour that the end of summer
 * time repeats. The local time is given as the milliseconds of the same text in UTC. Offsets are computed once for each
 * day and, near a change, for each quarter of an hour.
 */
export function createLocalTimeReader(zone: string): (asUtc: number) => number[] {
  const known = new Map<number, number>()
  const offset = (at: number) => {
    const found = known.get(at) ?? utcOf(formatLocalTime(at, zone)) - at
    known.set(at, found)
    return found
  }
  return (asUtc) => {
    const day = asUtc - (asUtc % DAY_MS)
    const [before, after] = [offset(day - DAY_MS), offset(day + 2 * DAY_MS)]
    if (before === after) return [asUtc - before]
    const quarter = asUtc - (asUtc % QUARTER_MS)
    const valid = [before, after].filter((each) => offset(quarter - each) === each)
    return (valid.length > 0 ? valid : [before]).map((each) => asUtc - each)
  }
}

/** Returns the offset of a zone from UTC in minutes, 480 for `Asia/Shanghai`. */
export const zoneOffsetMinutes = (at: number, zone: string) =>
  Math.round((utcOf(formatLocalTime(at, zone)) - (at - (at % 1000))) / 60_000)

/** Formats a time in a zone as ISO 8601 with milliseconds and offset: `2026-11-22T12:33:10.000+08:00`. */
export function formatZonedIso(at: number, zone: string): string {
  const local = formatLocalTime(at, zone)
  const ms = at % 1000
  const minutes = zoneOffsetMinutes(at, zone)
  const two = (n: number) => String(n).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  return `${local.replace(' ', 'T')}.${String(ms).padStart(3, '0')}${offset}`
}

/** Returns the last date of a month as text. `month` is `yyyy-MM`. */
export function lastDayOfMonth(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return `${month}-${new Date(Date.UTC(year, number, 0)).getUTCDate()}`
}

/**
 * Returns the date this many days later as text. Dates have no hours, so daylight saving does not matter. The day after
 * 9999-12-31 is 10000-01-01, which is smaller as text: loops over days must count instead of comparing dates.
 */
export const addDays = (day: string, days = 1) => formatDate(parseDay(day) + days)

/** Returns the day of the week: 1 is Monday, 7 is Sunday. */
export const isoWeekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7
