/** Dates are day numbers (days since 1970-01-01), times of day are minutes since midnight. */

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** Returns the day number of `yyyy-MM-dd`. */
export const parseDay = (date: string): number =>
  Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / DAY_MS

/** Returns `yyyy-MM-dd` of a day number. */
export const formatDate = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Returns the bit of the weekday: Monday = 1, Sunday = 64. Day 0 is a Thursday. */
export const computeWeekdayBit = (day: number): number => 1 << ((((day + 3) % 7) + 7) % 7)

/** Returns the minutes of `HH:mm`; `24:00` is 1440. */
export const parseMinute = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
