import { roundToTwoDigits } from '@oms/contract/core/percent.ts'

const SECONDS = /^\d{10}$/
const MILLISECONDS = /^\d{11,14}$/
const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?)?$/

/** Display text of an absent value in tables and descriptions. */
export const DASH = '-'

export type DateLike = string | number | Date | null | undefined

const DEFAULT_ZONE = 'Asia/Shanghai'
let zone = DEFAULT_ZONE
/** Created at first use, because the creation takes 60 ms on a slow machine. */
let clock: Intl.DateTimeFormat | undefined

function clockOf(timeZone: string) {
  const two = '2-digit'
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const
  // The Swedish format is `2026-11-20 09:05:00`.
  return new Intl.DateTimeFormat('sv-SE', { ...parts, hourCycle: 'h23', timeZone })
}

/** Sets the time zone of all displayed times. The server sends its configured zone with the permissions. */
export function setTimeZone(next: string) {
  if (next === '' || next === zone) return
  zone = next
  clock = undefined
}

/** Formats a time in the configured zone: `2026-11-20 09:05:00`. */
export function formatWallClock(at: Date = new Date()) {
  clock ??= clockOf(zone)
  return clock.format(at)
}

/** Returns today in the configured zone, or an earlier day: `2026-11-20`. */
export function formatDayBeforeToday(days = 0, now: Date = new Date()) {
  const day = new Date(`${formatWallClock(now).slice(0, 10)}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() - days)
  return day.toISOString().slice(0, 10)
}

/** Parses a time: ten digits are seconds, more digits are milliseconds; text without a zone is wall-clock time. */
function localTimeText(value: DateLike): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const text = value instanceof Date ? '' : String(value).trim()
  const [, day, time = '00:00', seconds = ':00'] = LOCAL_TIME.exec(text) ?? []
  if (day) return Number.isNaN(Date.parse(`${day}T${time}Z`)) ? undefined : `${day} ${time}${seconds}`
  const date = value instanceof Date ? value : dateOf(text)
  return Number.isNaN(date.getTime()) ? undefined : formatWallClock(date)
}

function dateOf(text: string) {
  if (SECONDS.test(text)) return new Date(Number(text) * 1000)
  return new Date(MILLISECONDS.test(text) ? Number(text) : text)
}

/**
 * Formats a date: `2026-11-20`; `-` for an absent value.
 * @public
 */
export const formatDate = (value: DateLike) => localTimeText(value)?.slice(0, 10) ?? DASH

/** Formats a time: `2026-11-20 09:05:00`; `-` for an absent value. */
export const formatDateTime = (value: DateLike) => localTimeText(value) ?? DASH

/** Formats a fraction as percentage with two decimals: `0.12345` → `12.35%`. */
export function formatPercent(share: number | null | undefined) {
  return share === null || share === undefined || !Number.isFinite(share) ? DASH : `${roundToTwoDigits(share * 100)}%`
}

const RATE = new Intl.NumberFormat('zh-CN', {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  useGrouping: false,
  signDisplay: 'negative',
})

/** Formats a fraction as a percentage that always has two decimals, for rates that are compared: `0.5` → `50.00%`. */
export function formatRate(share: number | null | undefined) {
  if (share === null || share === undefined || !Number.isFinite(share)) return DASH
  return RATE.format(roundToTwoDigits(share * 100) / 100)
}

/** Formats a percentage like a rate, which always has two decimals: `50` → `50.00%`. */
export const formatPercentage = (percent: number | null | undefined) =>
  formatRate(percent == null ? null : percent / 100)

/** Returns the first and last of the seven days that end today. */
export const buildLastWeekRange = (now: Date = new Date()): readonly [begin: string, end: string] => [
  formatDayBeforeToday(6, now),
  formatDayBeforeToday(0, now),
]

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats bytes: `300 MB`, `1.5 KB`. */
export function formatBytes(bytes: number | null | undefined) {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return DASH
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${roundToTwoDigits(bytes / 1024 ** power)} ${UNITS[power]}`
}

export const formatCount = (count: number | null | undefined) =>
  count === null || count === undefined ? DASH : count.toLocaleString('zh-CN')

/** Formats a duration: `2 天 3 小时`. */
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
