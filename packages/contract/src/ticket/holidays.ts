/** Holidays of a year, and weekend days that are working days instead. */
export interface HolidayYear {
  readonly holidays: readonly string[]
  readonly workdays: readonly string[]
}

const DAY_MS = 86_400_000
/** Maximum days of one holiday; a longer range is a typing error. */
const LONGEST = 31

/** Returns every day of an inclusive range; returns nothing for a reversed or too long range. */
export function listDaysBetween(first: string, last: string): string[] {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)]
  if (!(to >= from) || to - from > LONGEST * DAY_MS) return []
  return Array.from({ length: (to - from) / DAY_MS + 1 }, (_, at) =>
    new Date(from + at * DAY_MS).toISOString().slice(0, 10),
  )
}

/** The State Council's holiday arrangement per year, as far as published at the time of this release. */
export const OFFICIAL_HOLIDAYS: Readonly<Record<number, HolidayYear>> = {
  2026: {
    holidays: [
      ...listDaysBetween('2026-01-01', '2026-01-03'),
      ...listDaysBetween('2026-02-15', '2026-02-23'),
      ...listDaysBetween('2026-04-04', '2026-04-06'),
      ...listDaysBetween('2026-05-01', '2026-05-05'),
      ...listDaysBetween('2026-06-19', '2026-06-21'),
      ...listDaysBetween('2026-09-25', '2026-09-27'),
      ...listDaysBetween('2026-10-01', '2026-10-07'),
    ],
    workdays: ['2026-01-04', '2026-02-14', '2026-02-28', '2026-05-09', '2026-09-20', '2026-10-10'],
  },
}

/** The days of all shipped years, in order. */
export const SHIPPED_HOLIDAYS: HolidayYear = {
  holidays: Object.values(OFFICIAL_HOLIDAYS).flatMap(({ holidays }) => holidays),
  workdays: Object.values(OFFICIAL_HOLIDAYS).flatMap(({ workdays }) => workdays),
}

/** The next year's arrangement is published in November; from then on a calendar without it causes a warning. */
const PUBLISHED_IN = 11

/** Returns the year for which holidays are missing in a calendar; `today` as `yyyy-MM-dd`. */
export function findMissingYear({ holidays }: Pick<HolidayYear, 'holidays'>, today: string): number | undefined {
  const [year = 0, month = 0] = today.split('-').map(Number)
  const has = (wanted: number) => holidays.some((day) => day.startsWith(`${wanted}-`))
  if (!has(year)) return year
  return month >= PUBLISHED_IN && !has(year + 1) ? year + 1 : undefined
}
