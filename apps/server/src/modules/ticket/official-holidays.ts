import days from 'chinese-days/dist/chinese-days.json' with { type: 'json' }

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
