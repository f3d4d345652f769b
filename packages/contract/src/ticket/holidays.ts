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

const IN_BRACKETS = /[（(][^（）()]*[）)]/g
const CHINESE =
  /(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月\s*(\d{1,2})\s*日(?:\s*[至到—–~～-]+\s*(?:(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月\s*)?(\d{1,2})\s*日)?/g
const ISO = /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\s*(?:至|到|[—–~～])+\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2}))?/g

/**
 * Parses a year's arrangement from text: the State Council's notice as published, or lines such as `2027-01-01 至
 * 2027-01-03 放假` and `2027-01-04 上班`. Dates without a year belong to `year`.
 */
export function parseHolidays(text: string, year: number): HolidayYear {
  const holidays = new Set<string>()
  const workdays = new Set<string>()
  for (const sentence of text.replaceAll(IN_BRACKETS, '').split(/[。；;\n]/)) {
    const days = [...chineseDays(sentence, year), ...isoDays(sentence)]
    const into = /上班|班$|调休上|工作日/.test(sentence.trim()) ? workdays : holidays
    for (const day of days) into.add(day)
  }
  return { holidays: [...holidays].sort(), workdays: [...workdays].sort() }
}

function chineseDays(sentence: string, year: number) {
  return [...sentence.matchAll(CHINESE)].flatMap(([, y, month, day, toYear, toMonth, toDay]) => {
    const from = { year: Number(y ?? year), month: Number(month), day: Number(day) }
    const last = { year: Number(toYear ?? from.year), month: Number(toMonth ?? from.month), day: Number(toDay ?? day) }
    return daysOf(from, last)
  })
}

const isoDays = (sentence: string) =>
  [...sentence.matchAll(ISO)].flatMap(([, y, month, day, toYear, toMonth, toDay]) =>
    daysOf(
      { year: Number(y), month: Number(month), day: Number(day) },
      { year: Number(toYear ?? y), month: Number(toMonth ?? month), day: Number(toDay ?? day) },
    ),
  )

interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
}
const two = (part: number) => String(part).padStart(2, '0')
const textOf = ({ year, month, day }: Parts) => `${year}-${two(month)}-${two(day)}`
/** Returns whether the date exists; 31 April does not. */
const isDay = (text: string) => {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

function daysOf(from: Parts, last: Parts) {
  const [first, end] = [textOf(from), textOf(last)]
  return isDay(first) && isDay(end) ? listDaysBetween(first, end) : []
}
