/** Dates are day numbers (days since 1970-01-01), times of day are minutes since midnight. */

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** Returns the day number of `yyyy-MM-dd`. The year may have five digits, for the day after 9999-12-31. */
export function parseDay(date: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return Date.UTC(year, month - 1, day) / DAY_MS
}

/** Returns `yyyy-MM-dd` of a day number. Years after 9999 have five digits. */
export function formatDate(day: number): string {
  const text = new Date(day * DAY_MS).toISOString()
  return text.startsWith('+') ? text.slice(2, 13) : text.slice(0, 10)
}

/** Returns the bit of the weekday: Monday = 1, Sunday = 64. Day 0 is a Thursday. */
export const computeWeekdayBit = (day: number): number => 1 << ((((day + 3) % 7) + 7) % 7)

/** Returns the minutes of `HH:mm`; `24:00` is 1440. */
export const parseMinute = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
