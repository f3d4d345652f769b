/** What the statistics are asked for. */
export interface StatRange {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number
  readonly typeId?: number
  readonly modelId?: number
}

const DAY_MS = 86_400_000
const stamp = (at: number) => {
  const local = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`
}

/** The range asked for in the address; thirty days up to today when it says nothing. */
export function rangeOf(given: Readonly<Partial<Record<keyof StatRange, string>>>, now = Date.now()): StatRange {
  const number = (name: 'tenantId' | 'typeId' | 'modelId') => (given[name] ? { [name]: Number(given[name]) } : {})
  return {
    startDate: given.startDate ?? stamp(now - 29 * DAY_MS),
    endDate: given.endDate ?? stamp(now),
    ...number('tenantId'),
    ...number('typeId'),
    ...number('modelId'),
  }
}

/** The list behind a figure: the same customer, type and model, and what the mark stands for. */
export function drill({ tenantId, typeId, modelId }: StatRange, filter: Readonly<Record<string, string | number>>) {
  const both = { tenantId, typeId, modelId, ...filter }
  const set = Object.entries(both).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))
  return `/AfterService/Questions?${new URLSearchParams(set as [string, string][])}`
}

/** Tickets made within the range; duplicates are not counted, so they are not listed either. */
export const madeIn = ({ startDate, endDate }: StatRange) => ({ beginTime: startDate, endTime: endDate, merged: 0 })
export const closedIn = ({ startDate, endDate }: StatRange) => ({ closeBegin: startDate, closeEnd: endDate, merged: 0 })

/** `95` → `1 小时 35 分`. */
export function minutesInWords(minutes: number | null | undefined) {
  if (minutes === null || minutes === undefined) return '-'
  if (minutes < 60) return `${minutes} 分钟`
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} 小时 ${minutes % 60} 分`
  return `${Math.round(minutes / 144) / 10} 天`
}
