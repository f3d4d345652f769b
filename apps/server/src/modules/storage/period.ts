import { parseLocalTime, lastDayOfMonth, formatLocalTime } from '#core/time/zone.ts'

/** Length of a package: `type` 1 weeks, 2 months, 3 years. */
export interface Period {
  readonly type: number
  readonly count: number
}

const WEEK_SECONDS = 7 * 24 * 3600
const MONTHS_IN: Readonly<Record<number, number>> = { 2: 1, 3: 12 }

/** Returns the same wall-clock time some months later; a day that the month lacks becomes its last day. */
function monthsLater(wall: string, months: number) {
  const [year = 0, month = 0] = wall.slice(0, 7).split('-').map(Number)
  const target = year * 12 + (month - 1) + months
  const toMonth = `${Math.floor(target / 12)}-${String((target % 12) + 1).padStart(2, '0')}`
  const sameDay = `${toMonth}-${wall.slice(8, 10)}`
  const lastDay = lastDayOfMonth(toMonth)
  return `${sameDay < lastDay ? sameDay : lastDay}${wall.slice(10)}`
}

/**
 * Returns the end of a period that starts at this second. Weeks have a fixed length; months and years follow the
 * calendar of the zone, in one step from the start.
 */
export function computePeriodEnd(start: number, { type, count }: Period, zone: string): number {
  const months = MONTHS_IN[type]
  if (months === undefined) return start + count * WEEK_SECONDS
  return Math.floor(parseLocalTime(monthsLater(formatLocalTime(start * 1000, zone), months * count), zone) / 1000)
}
