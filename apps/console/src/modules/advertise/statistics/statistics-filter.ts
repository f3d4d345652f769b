import { AD_STAT_INTERVAL, MAX_HOUR_TREND_DAYS } from '@oms/contract/advertise/statistics.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'

/** Filter of the statistics as the URL holds it. */
export interface AdStatFilter {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: string
  readonly programId?: string
  readonly adId?: string
  readonly sn?: string
  readonly groupId?: string
  readonly tag?: string
  readonly advertiser?: string
  readonly contractNo?: string
}

const FIELDS = ['tenantId', 'programId', 'adId', 'sn', 'groupId', 'tag', 'advertiser', 'contractNo'] as const
export const VIEW_TITLES = { overview: '概览', detail: '明细' } as const
export type View = keyof typeof VIEW_TITLES
const PAGE = '/advertiseManage/statisticalAnalysis'

/** Returns the filter of the URL. The default range is the last 30 days. */
export function parseFilter(params: URLSearchParams, now = new Date()): AdStatFilter {
  const given = FIELDS.flatMap((field): [string, string][] => {
    const value = params.get(field)
    return value ? [[field, value]] : []
  })
  return {
    startDate: params.get('startDate') ?? formatDayBeforeToday(29, now),
    endDate: params.get('endDate') ?? formatDayBeforeToday(0, now),
    ...Object.fromEntries(given),
  }
}

export function parseView(params: URLSearchParams): View {
  const view = params.get('view') ?? ''
  return view in VIEW_TITLES ? (view as View) : 'overview'
}

/** Returns the path of the table with a filter. */
export const detailPath = (filter: AdStatFilter, more: Readonly<Record<string, string | number>> = {}) =>
  statisticsPath({ ...filter, ...more, view: 'detail' })

/** Returns the path of the statistics page with these query parameters. */
export function statisticsPath(params: object) {
  const given = Object.entries(params).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[key, String(value)]],
  )
  return `${PAGE}?${new URLSearchParams(given).toString()}`
}

/** Returns true when the filter names single screens. The sums by hour have no screens. */
export const isByScreen = ({ sn, groupId, tag }: Partial<AdStatFilter>) => [sn, groupId, tag].some(Boolean)

/** Returns true when the filter selects programs or ads. Rejected reports belong to no program and no ad. */
export const isByAd = ({ programId, adId, advertiser, contractNo }: Partial<AdStatFilter>) =>
  [programId, adId, advertiser, contractNo].some(Boolean)

const DAY_MS = 86_400_000
const BY_HOUR = '0'
const BY_DAY = '1'

/** Returns why the trend cannot be shown by hour; undefined when the hours can be shown. */
export function findHourTrendProblem(filter: AdStatFilter): string | undefined {
  if (isByScreen(filter)) return '小时数据不区分屏幕，清除屏幕、分组和标签后可按小时查看'
  const days = (Date.parse(filter.endDate) - Date.parse(filter.startDate)) / DAY_MS + 1
  return days > MAX_HOUR_TREND_DAYS ? `统计日期在 ${MAX_HOUR_TREND_DAYS} 天以内时可按小时查看` : undefined
}

/**
 * Returns the interval of the trend in the URL. Returns days for an unknown interval, and when the filter excludes
 * hours.
 */
export function parseInterval(params: URLSearchParams, filter: AdStatFilter): string {
  const interval = params.get('interval') ?? BY_DAY
  return interval in AD_STAT_INTERVAL && !(interval === BY_HOUR && findHourTrendProblem(filter)) ? interval : BY_DAY
}

export const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`

const DAY_HOURS = 24

/**
 * Returns the axis label of an hour; empty for no label. A range of one day has a label for every hour, up to three
 * days have date and noon, and more days have only the date. All labels of several days fit on the narrowest screen.
 */
export function labelHour(date: string, hour: number, hours: number): string {
  if (hours <= DAY_HOURS) return formatHour(hour)
  if (hour === 0) return date.slice(5)
  return hour === 12 && hours <= 3 * DAY_HOURS ? formatHour(hour) : ''
}

/** Number of hours from which minutes are not shown. */
const LONG_HOURS = 1000

/** Formats the time that an ad was shown: `34 秒`, `6 分 24 秒`, `3 小时 20 分`, `121,602 小时`. */
export function formatShownTime(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) {
    const rest = seconds % 60
    if (seconds < 60) return seconds === 0 ? '0 分' : `${rest} 秒`
    return `${Math.floor(seconds / 60)} 分${rest === 0 ? '' : ` ${rest} 秒`}`
  }
  const minutes = Math.round(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  if (hours >= LONG_HOURS) return `${Math.round(minutes / 60).toLocaleString('en')} 小时`
  return `${hours} 小时${minutes % 60 === 0 ? '' : ` ${minutes % 60} 分`}`
}

const CARD_HOURS = 100_000

/** Formats the time that an ad was shown for a card, which has room for five digits only: `12.2 万小时`. */
export function formatShortShownTime(ms: number): string {
  const hours = ms / 3_600_000
  return hours < CARD_HOURS ? formatShownTime(ms) : `${(hours / 10_000).toFixed(1)} 万小时`
}

/** Describes the plays of unknown time; empty without such plays. */
export const describeUntrustedPlays = (untrusted: number) =>
  untrusted === 0 ? '' : `含 ${untrusted.toLocaleString()} 次未校时播放，未计入时段分析`

/**
 * Returns the query parameters that remain after a change of the filter. An analysis by hour ends when the filter names
 * screens.
 */
export const keepViewParams = (params: URLSearchParams, filter: Partial<AdStatFilter>) =>
  Object.fromEntries([...params].filter(([key]) => KEPT.includes(key) && !(isByScreen(filter) && HOUR.includes(key))))
const HOUR = ['weekday', 'hour']
const KEPT = ['view', 'groupBy', 'interval', ...HOUR]
