import { listDaysBetween } from './holidays.ts'

/** Consecutive dates of a sentence, such as `1月26日、2月8日`, and the days that the dates mean. */
export interface DateGroup {
  readonly begin: number
  readonly end: number
  readonly days: readonly string[]
  /** Why the dates are no days. */
  readonly problem: string | undefined
}
interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
}
interface Match {
  readonly parts: Parts
  readonly end: number
}

const MONTH_AND_DAY = /(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]?/y
const ISO_DATE = /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})日?/y
/** A day whose month is that of the date before: the `3日` of `1月1日至3日`, the `1` of `1月1、2日`. */
const DAY_ONLY = /(\d{1,2})(?:[日号]|(?=[、,和及与至到~〜—–―−-]))/y
const RANGE = /[至到]|[~〜—–―−-]{1,2}/y
/** A dash or `至` before a date whose first part was not read. */
const RANGE_END = /[至到~〜—–―−-]/
const LIST = /[、,]?(?:以及|[和及与])|[、,]/y

const two = (part: number) => String(part).padStart(2, '0')
const textOf = ({ year, month, day }: Parts) => `${year}-${two(month)}-${two(day)}`

/** Returns whether the date exists; 31 April does not. */
export function isExistingDay(text: string) {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Reads one date. A date without year or month has those of `before`, the previous date of the same list. */
function readDate(text: string, at: number, year: number, before?: Parts): Match | undefined {
  const iso = matchAt(ISO_DATE, text, at)
  if (iso) return matchOf(iso, at, [iso[1], iso[2], iso[3]])
  const full = matchAt(MONTH_AND_DAY, text, at)
  if (full) return matchOf(full, at, [full[1] ?? yearAfter(before, Number(full[2])) ?? year, full[2], full[3]])
  const day = before && matchAt(DAY_ONLY, text, at)
  return day ? matchOf(day, at, [before.year, before.month, day[1]]) : undefined
}

/** Returns the year of a month that follows a date: the next year for January after December. */
const yearAfter = (before: Parts | undefined, month: number) =>
  before && (before.month === 12 && month === 1 ? before.year + 1 : before.year)

function matchOf(found: RegExpExecArray, at: number, [year, month, day]: readonly unknown[]): Match {
  return { parts: { year: Number(year), month: Number(month), day: Number(day) }, end: at + found[0].length }
}

/** Returns all groups of dates of a sentence without brackets and blanks. Dates without a year belong to `year`. */
export function readDateGroups(text: string, year: number): DateGroup[] {
  const groups: DateGroup[] = []
  for (let at = 0; at < text.length; at += 1) {
    const isInNumber = /\d/.test(text[at - 1] ?? '')
    const first = isInNumber ? undefined : readDate(text, at, year)
    if (!first) continue
    const group = readGroup(text, at, first, year)
    groups.push(RANGE_END.test(text[at - 1] ?? '') ? { ...group, problem: '起止日期不完整' } : group)
    at = group.end - 1
  }
  return groups
}

function readGroup(text: string, begin: number, first: Match, year: number): DateGroup {
  const days: string[] = []
  let [problem, date]: [string | undefined, Match] = [undefined, first]
  for (;;) {
    const range = matchAt(RANGE, text, date.end)
    const last = range ? readDate(text, date.end + range[0].length, year, date.parts) : date
    const read = last ? daysOf(date.parts, last.parts) : '起止日期不完整'
    if (typeof read === 'string') problem ??= read
    else days.push(...read)
    const end = last?.end ?? date.end
    const separator = matchAt(LIST, text, end)
    const next = separator && readDate(text, end + separator[0].length, year, last?.parts ?? date.parts)
    if (!next) return { begin, end, days, problem }
    date = next
  }
}

function daysOf(from: Parts, last: Parts): readonly string[] | string {
  const [first, end] = [textOf(from), textOf(last)]
  for (const day of [first, end]) if (!isExistingDay(day)) return `日期 ${day} 不存在`
  const days = listDaysBetween(first, end)
  if (days.length > 0) return days
  return first > end ? `${first} 晚于 ${end}，起止日期颠倒` : `${first} 至 ${end} 超过 31 天`
}
