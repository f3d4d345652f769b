import type { CalendarValue } from '@oms/contract/ticket/ticket-desk.ts'
import { addDays, parseLocalTime, formatLocalDay, isoWeekday } from '#core/time/zone.ts'
import days from 'chinese-days/dist/chinese-days.json' with { type: 'json' }

const MINUTE_MS = 60_000
/** Number of days to search. A calendar without a workday in this period counts every minute. */
const MAX_DAYS = 1500

/** True for a workday. The days of the calendar take precedence over the official days, and both over the weekday. */
export function isWorkday({ weekdays, holidays, workdays }: CalendarValue, day: string) {
  if (workdays.includes(day)) return true
  if (holidays.includes(day)) return false
  const official = findOfficialDay(day)
  return official ? official === 'workday' : weekdays.includes(isoWeekday(day))
}

/** Returns the working periods of a day as times in order. */
function periodsOf(calendar: CalendarValue, day: string, zone: string): readonly (readonly [number, number])[] {
  if (!isWorkday(calendar, day)) return []
  const at = (clock: string) =>
    clock === '24:00' ? parseLocalTime(`${addDays(day)} 00:00:00`, zone) : parseLocalTime(`${day} ${clock}:00`, zone)
  return [...calendar.periods]
    .sort((a, b) => (a.start < b.start ? -1 : 1))
    .map(({ start, end }) => [at(start), at(end)] as const)
}

/** Returns the time at which this many working minutes have passed since `start`. */
export function addWorkingMinutes(calendar: CalendarValue, zone: string, start: Date, minutes: number): Date {
  let left = minutes * MINUTE_MS
  let day = formatLocalDay(start, zone)
  for (let step = 0; step < MAX_DAYS; step++, day = addDays(day)) {
    for (const [begin, end] of periodsOf(calendar, day, zone)) {
      const from = Math.max(begin, start.getTime())
      if (from >= end) continue
      if (left <= end - from) return new Date(from + left)
      left -= end - from
    }
  }
  return new Date(start.getTime() + minutes * MINUTE_MS)
}

/** Returns the working minutes between two times, rounded down; 0 when the second is not later. */
export function countWorkingMinutes(calendar: CalendarValue, zone: string, from: Date, to: Date): number {
  let sum = 0
  let day = formatLocalDay(from, zone)
  const last = formatLocalDay(to, zone)
  for (let step = 0; step < MAX_DAYS && day <= last; step++, day = addDays(day))
    for (const [begin, end] of periodsOf(calendar, day, zone))
      sum += Math.max(0, Math.min(end, to.getTime()) - Math.max(begin, from.getTime()))
  return Math.floor(sum / MINUTE_MS)
}

/**
 * The holiday arrangements of the State Council that the package `chinese-days` contains. An arrangement lists
 * holidays, and weekend days that are workdays instead. Keys are days as `yyyy-MM-dd`.
 */
const holidays = new Set(Object.keys(days.holidays))
const workdays = new Set(Object.keys(days.workdays))

/** Returns whether a day is officially a workday or a holiday. Returns undefined for a day without an official rule. */
export function findOfficialDay(day: string): 'workday' | 'holiday' | undefined {
  if (workdays.has(day)) return 'workday'
  return holidays.has(day) ? 'holiday' : undefined
}

/** Month in which the next year's arrangement is published. From this month on, a missing arrangement is reported. */
const PUBLISHED_IN = 11

/**
 * Returns the year whose holidays are missing in both the package and the calendar. `today` has the form `yyyy-MM-dd`.
 */
export function findMissingYear(calendar: { readonly holidays: readonly string[] }, today: string): number | undefined {
  const [year = 0, month = 0] = today.split('-').map(Number)
  const has = (wanted: number) => [...holidays, ...calendar.holidays].some((day) => day.startsWith(`${wanted}-`))
  if (!has(year)) return year
  return month >= PUBLISHED_IN && !has(year + 1) ? year + 1 : undefined
}
