import type { HolidayYear } from '@oms/contract/ticket/holidays.ts'

const DAY_MS = 86_400_000
const isNext = (day: string, before: string) => Date.parse(day) - Date.parse(before) === DAY_MS

/** Joins consecutive days of a sorted list to ranges. */
function listRanges(days: readonly string[]) {
  const ranges: { first: string; last: string }[] = []
  for (const day of days) {
    const open = ranges.at(-1)
    if (open && isNext(day, open.last)) open.last = day
    else ranges.push({ first: day, last: day })
  }
  return ranges
}

const dateOf = (day: string) => `${Number(day.slice(8))}日`
const monthOf = (day: string) => `${Number(day.slice(5, 7))}月`

/** Formats sorted days as ranges: `1月1日至3日、2月14日`. Days outside `year` have their year in front. */
export function formatDays(days: readonly string[], year: number) {
  const yearOf = (day: string) => (day.startsWith(`${year}-`) ? '' : `${day.slice(0, 4)}年`)
  return listRanges(days)
    .map(({ first, last }) => {
      const begin = `${yearOf(first)}${monthOf(first)}${dateOf(first)}`
      if (first === last) return begin
      if (first.slice(0, 7) === last.slice(0, 7)) return `${begin}至${dateOf(last)}`
      const endYear = first.slice(0, 4) === last.slice(0, 4) ? '' : `${last.slice(0, 4)}年`
      return `${begin}至${endYear}${monthOf(last)}${dateOf(last)}`
    })
    .join('、')
}

/** Formats holidays and working days with their numbers: `放假 1月1日至3日（3 天），上班 1月4日（1 天）`. */
export function formatHolidays({ holidays, workdays }: HolidayYear, year: number) {
  const part = (label: string, days: readonly string[]) =>
    days.length === 0 ? [] : [`${label} ${formatDays(days, year)}（${days.length} 天）`]
  return [...part('放假', holidays), ...part('上班', workdays)].join('，')
}

/** Formats the days of a year by month: `1月：放假 1日至3日，上班 4日`. */
export function groupDaysByMonth({ holidays, workdays }: HolidayYear, year: string) {
  return Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`).flatMap((month) => {
    const part = (label: string, days: readonly string[]) => {
      const ranges = listRanges(days.filter((day) => day.startsWith(`${month}-`)).sort())
      const texts = ranges.map(({ first, last }) =>
        first === last ? dateOf(first) : `${dateOf(first)}至${dateOf(last)}`,
      )
      return texts.length === 0 ? [] : [`${label} ${texts.join('、')}`]
    }
    const parts = [...part('放假', holidays), ...part('上班', workdays)]
    return parts.length === 0 ? [] : [{ month, text: `${monthOf(`${month}-01`)}：${parts.join('，')}` }]
  })
}
