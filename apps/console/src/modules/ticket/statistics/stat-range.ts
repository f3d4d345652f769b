import { formatDayBeforeToday } from '#core/text/format.ts'

/** Date range and filters of the statistics. */
export interface StatRange {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number
  readonly typeId?: number
  readonly modelId?: number
}

/** Returns the range of the URL. The default is the last 30 days. */
export function parseRange(given: Readonly<Partial<Record<keyof StatRange, string>>>, now = new Date()): StatRange {
  const number = (name: 'tenantId' | 'typeId' | 'modelId') => (given[name] ? { [name]: Number(given[name]) } : {})
  return {
    startDate: given.startDate ?? formatDayBeforeToday(29, now),
    endDate: given.endDate ?? formatDayBeforeToday(0, now),
    ...number('tenantId'),
    ...number('typeId'),
    ...number('modelId'),
  }
}

/** Returns the path of the ticket list that shows the tickets of a figure. */
export function ticketListPath(
  { tenantId, typeId, modelId }: StatRange,
  filter: Readonly<Record<string, string | number>>,
) {
  const both = { tenantId, typeId, modelId, ...filter }
  const set = Object.entries(both).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))
  return `/AfterService/Questions?${new URLSearchParams(set as [string, string][])}`
}

type Days = Pick<StatRange, 'startDate' | 'endDate'>

/** Filters for tickets created within the range. Merged duplicates are not counted and not listed. */
export const buildCreatedFilter = ({ startDate, endDate }: Days) => ({
  beginTime: startDate,
  endTime: endDate,
  merged: 0,
})
export const buildClosedTicketsFilter = ({ startDate, endDate }: Days) => ({
  closeBegin: startDate,
  closeEnd: endDate,
  merged: 0,
})

/** Formats minutes: `95` → `1 小时 35 分`. */
export function formatMinutesInWords(minutes: number | null | undefined) {
  if (minutes === null || minutes === undefined) return '-'
  if (minutes < 60) return `${minutes} 分钟`
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} 小时 ${minutes % 60} 分`
  return `${Math.round(minutes / 144) / 10} 天`
}
