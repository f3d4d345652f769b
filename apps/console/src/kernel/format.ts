const TWO = (value: number) => String(value).padStart(2, '0')
const SECONDS = /^\d{10}$/
const MILLISECONDS = /^\d{11,14}$/

/** What an absent value looks like in a table or a description. */
export const DASH = '-'

export type DateLike = string | number | Date | null | undefined

/** Ten digits are seconds, more are milliseconds; the server's own `yyyy-MM-dd HH:mm:ss` is read as local time. */
function toDate(value: DateLike): Date | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const text = value instanceof Date ? '' : String(value).trim()
  const date = value instanceof Date ? value : dateOf(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function dateOf(text: string) {
  if (SECONDS.test(text)) return new Date(Number(text) * 1000)
  if (MILLISECONDS.test(text)) return new Date(Number(text))
  // Without a zone the text is wall-clock time; a bare day would otherwise be read as UTC.
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return new Date(`${text}T00:00:00`)
  return new Date(text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'))
}

/**
 * `2026-11-20`; `-` for nothing.
 * @public
 */
export function formatDate(value: DateLike) {
  const date = toDate(value)
  return date ? `${date.getFullYear()}-${TWO(date.getMonth() + 1)}-${TWO(date.getDate())}` : DASH
}

/** `2026-11-20 09:05:00`; `-` for nothing. */
export function formatDateTime(value: DateLike) {
  const date = toDate(value)
  return date ? `${formatDate(date)} ${TWO(date.getHours())}:${TWO(date.getMinutes())}:${TWO(date.getSeconds())}` : DASH
}

/** A share as percent, rounded to two decimals: `0.12345` → `12.35%`. */
export function formatPercent(share: number | null | undefined) {
  return share === null || share === undefined || !Number.isFinite(share) ? DASH : `${roundTwo(share * 100)}%`
}

// Through the decimal text, because 1.005 * 100 is 100.49999999999999.
export const roundTwo = (value: number) => Number(`${Math.round(Number(`${value.toPrecision(15)}e2`))}e-2`)

/** The seven days that end today: their first and last day. */
export function weekRange(today: Date = new Date()): readonly [begin: string, end: string] {
  const begin = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 6)
  return [formatDate(begin), formatDate(today)]
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `300 MB`, `1.5 KB`. */
export function formatBytes(bytes: number | null | undefined) {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return DASH
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${roundTwo(bytes / 1024 ** power)} ${UNITS[power]}`
}

/** Whole fen as yuan: `123456` → `1,234.56`. */
export const formatMoney = (fen: number | null | undefined) =>
  fen === null || fen === undefined
    ? DASH
    : (fen / 100).toLocaleString('zh-CN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

export const formatCount = (count: number | null | undefined) =>
  count === null || count === undefined ? DASH : count.toLocaleString('zh-CN')

/** A duration in a person's words: `2 天 3 小时`. */
export function formatDuration(seconds: number) {
  const parts = [
    [Math.floor(seconds / 86_400), '天'],
    [Math.floor(seconds / 3600) % 24, '小时'],
    [Math.floor(seconds / 60) % 60, '分钟'],
    [Math.floor(seconds) % 60, '秒'],
  ] as const
  const first = parts.findIndex(([amount]) => amount > 0)
  if (first < 0) return '0 秒'
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ')
}
