import * as z from 'zod'
import { addRangeCheck, dayRange } from '../core/day-range.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional, search, whole } from '../core/fields.ts'
import { declareOptions } from '../core/options.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'

/** Rows of the table: ads of programs, screens, groups or tags of screens, advertisers or contract numbers of ads. */
export const AD_STAT_GROUP = { 0: '无', 1: '屏幕', 2: '分组', 3: '标签', 4: '广告主', 5: '合同编号' } as const
export const AD_STAT_INTERVAL = { 0: '按小时', 1: '按日', 2: '按周', 3: '按月' } as const
export const AD_RANK_DIMENSION = { 1: '广告', 2: '节目单', 3: '屏幕', 4: '客户', 5: '广告主', 6: '合同编号' } as const
export const AD_WEEKDAY = { 1: '周一', 2: '周二', 3: '周三', 4: '周四', 5: '周五', 6: '周六', 7: '周日' } as const
/** Maximum number of days of a trend by hour. */
export const MAX_HOUR_TREND_DAYS = 7
/** Maximum number of rows of the table in one export. */
export const MAX_STAT_ROWS = 500_000
/** Maximum number of single plays in one export. */
export const MAX_PLAY_ROWS = 1_000_000

const filter = {
  tenantId: optional(id).meta({ title: '客户' }),
  programId: optional(id).meta({ title: '节目单' }),
  adId: optional(id).meta({ title: '广告' }),
  sn: search('屏幕'),
  groupId: optional(id).meta({ title: '分组' }),
  tag: search('标签', 20),
  /** Present advertiser and contract number of the ads. The filters compare the whole text. */
  advertiser: search('广告主', 50),
  contractNo: search('合同编号', 50),
}
const range = dayRange.extend(filter)
export const AdStatQuery = addRangeCheck(range)

/** A day of the console's zone: `2026-11-20`. */
const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const title = (text: string) => ({ title: text })
const percent = (text: string) => z.number().nullable().meta(title(text))

/**
 * Sums of plays. `plays` contains `untrusted`; `complete`, `partial` and `ms` do not. `failed` is in no other figure.
 */
const sums = {
  plays: z.int().meta(title('播放次数')),
  complete: z.int().meta(title('完整')),
  partial: z.int().meta(title('不完整')),
  failed: z.int().meta(title('失败')),
  untrusted: z.int().meta(title('未校时')),
  ms: z.int().meta(title('播放时长')),
}

/** A row of the table. Figures of single screens are null in an analysis by hour. */
export const AdStatRow = z.object({
  /** Unique key of the row. */
  key: z.string(),
  /** Program, screen, group, tag, advertiser or contract number; empty in the row of totals. */
  name: z.string().meta(title('名称')),
  /** Ad of the row; empty in the row of totals, and in a table with a grouping. */
  detail: z.string().meta(title('广告')),
  programId: z.int().nullable(),
  adId: z.int().nullable(),
  /** Values of the filters that select only this row. */
  sn: z.string().nullable(),
  groupId: z.int().nullable(),
  tag: z.string().nullable(),
  advertiser: z.string().nullable(),
  contractNo: z.string().nullable(),
  ...sums,
  completeRate: percent('完整率（%）'),
  screens: z.int().nullable().meta(title('到达屏幕数')),
  share: percent('实际份额（%）'),
  exposure: z.number().nullable().meta(title('预计曝光（估算）')),
  firstTime: z.string().nullable().meta(title('首次播放')),
  lastTime: z.string().nullable().meta(title('最近播放')),
})
export type AdStatRow = z.output<typeof AdStatRow>

export const AdPlayRow = z.object({
  startTime: z.string().meta(title('开始时间')),
  day: Day.meta(title('统计日期')),
  tenantName: z.string().meta(title('客户')),
  sn: z.string().meta(title('屏幕')),
  programName: z.string().meta(title('节目单')),
  programVer: z.int().meta(title('节目单版本')),
  adName: z.string().meta(title('广告')),
  advertiser: z.string().meta(title('广告主')),
  contractNo: z.string().meta(title('合同编号')),
  adVer: z.int().meta(title('广告版本')),
  seconds: z.number().meta(title('播放秒数')),
  plannedSeconds: z.number().meta(title('计划秒数')),
  result: z.int().meta({ title: '结果', labels: { 1: '完整', 2: '不完整', 3: '失败' } }),
  clock: z.int().meta({ title: '时钟', labels: { 0: '未校时', 1: '已校时' } }),
  count: z.int().meta(title('次数')),
  recvTime: z.string().meta(title('上报时间')),
  reportId: z.string().meta(title('播放编号')),
})

interface ScreenFilter {
  readonly sn?: unknown
  readonly groupId?: unknown
  readonly tag?: unknown
}

/** Returns true when the filter selects screens. The sums by hour do not contain screens. */
const isByScreen = ({ sn, groupId, tag }: ScreenFilter) =>
  [sn, groupId, tag].some((value) => value !== undefined && value !== '')
/** Values of `AD_STAT_GROUP` that group by screens: screen, group and tag. */
const SCREEN_GROUPS: readonly number[] = [1, 2, 3]

const detailFields = {
  groupBy: choice('分组方式', AD_STAT_GROUP).default(0),
  weekday: optional(choice('星期', AD_WEEKDAY)),
  hour: optional(whole('时段', 0, 23)),
}
const SORTS = ['plays', 'complete', 'partial', 'failed', 'ms', 'screens', 'completeRate', 'share', 'exposure'] as const
const detailRange = sortedPage(SORTS).extend({ ...range.shape, ...detailFields })
/** Refuses an analysis by hour together with figures of single screens. */
const checkedDetail = <S extends typeof detailRange>(schema: S) =>
  addRangeCheck(schema).refine(
    ({ weekday, hour, groupBy, ...rest }) =>
      (weekday === undefined && hour === undefined) || !(SCREEN_GROUPS.includes(groupBy) || isByScreen(rest)),
    { path: ['groupBy'], message: '按时段查看时不能按屏幕、分组或标签统计' },
  )

const DAY_MS = 86_400_000
const trendQuery = addRangeCheck(range.extend({ interval: choice('统计粒度', AD_STAT_INTERVAL).default(1) }))
  .refine(
    ({ interval, startDate, endDate }) =>
      interval > 0 || (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS < MAX_HOUR_TREND_DAYS,
    { path: ['interval'], message: `按小时查看时，统计范围不能超过 ${MAX_HOUR_TREND_DAYS} 天` },
  )
  .refine(({ interval, ...rest }) => interval > 0 || !isByScreen(rest), {
    path: ['interval'],
    message: '按小时查看时不能按屏幕、分组或标签筛选',
  })

const read = { method: 'GET', access: 'advertiseManage:statisticalAnalysis:list' } as const
const path = <const P extends string>(name: P) => `/api/v1/advertise/statistics/${name}` as const

/** Declares an endpoint that returns at most 100 distinct texts for a filter. */
const declareTextOptions = <const P extends `/api/v1/${string}`>(at: P) =>
  ({
    ...read,
    path: at,
    input: z.object({ keyword: search('关键字', 50) }),
    result: z.object({ list: z.array(z.object({ name: z.string() })) }),
  }) as const

/** Statistics of plays (`/advertiseManage/statisticalAnalysis`), read from sums by hour and by day alone. */
export const adStats = {
  summary: {
    ...read,
    path: path('summary'),
    input: AdStatQuery,
    result: z.object({
      ...sums,
      completeRate: percent('完整率'),
      /** Distinct screens with a play. */
      screens: z.int(),
      /**
       * Screens of the program's newest published version at its publishing; without a program, all screens paired in
       * the range.
       */
      allScreens: z.int(),
      /** Percentage of these screens that have a play. */
      deliveryRate: percent('送达率'),
      exposure: z.number(),
      /** Number of reports that were rejected in the range, whatever program and ad the filter names. */
      rejected: z.int(),
    }),
  },
  trend: {
    ...read,
    path: path('trend'),
    input: trendQuery,
    result: z.object({
      /**
       * `from` and `to` are the first and last day of the point within the range. `hour` is null except with the interval
       * 按小时, whose points have no number of screens.
       */
      points: z.array(
        z.object({
          from: Day,
          to: Day,
          hour: z.int().nullable(),
          plays: z.int(),
          failed: z.int(),
          ms: z.int(),
          screens: z.int().nullable(),
        }),
      ),
      /** Plays without a trusted clock, which no hour contains; 0 for other intervals. */
      untrusted: z.int(),
    }),
  },
  /**
   * Returns the ten ads, programs, screens, tenants, advertisers or contract numbers with the most plays. `value` is the
   * filter for the plays of a screen, advertiser or contract number; `id` is the filter for the plays of other rows.
   */
  rank: {
    ...read,
    path: path('rank'),
    input: addRangeCheck(range.extend({ by: choice('排行', AD_RANK_DIMENSION).default(1) })),
    result: z.object({
      list: z.array(
        z.object({ id: z.int(), name: z.string(), value: z.string().nullable(), plays: z.int(), ms: z.int() }),
      ),
    }),
  },
  /** Plays by hour of the day and weekday. */
  heatmap: {
    ...read,
    path: path('heatmap'),
    input: AdStatQuery,
    result: z.object({
      /** Null with a filter of screens, which the sums by hour do not have. 168 values otherwise, from Monday 00:00. */
      plays: z.array(z.int()).nullable(),
      /** Plays without a trusted clock, which are in no hour. */
      untrusted: z.int(),
    }),
  },
  detail: {
    ...read,
    access: 'advertiseManage:statisticalAnalysis:query',
    path: path('detail'),
    input: checkedDetail(detailRange),
    result: createPageSchema(AdStatRow).extend({ sum: AdStatRow }),
  },
  /**
   * Options of the filters: ads, programs, groups, advertisers and contract numbers, including those of deleted rows.
   */
  ads: declareOptions(path('ads'), read.access),
  programs: declareOptions(path('programs'), read.access),
  groups: declareOptions(path('groups'), read.access),
  advertisers: declareTextOptions(path('advertisers')),
  contracts: declareTextOptions(path('contracts')),
  /** Exports the table with its row of totals. A job exports a table with more than 100,000 rows. */
  export: {
    method: 'GET',
    path: path('export'),
    access: 'advertiseManage:statisticalAnalysis:export',
    stream: 'download',
    kind: 'export',
    title: '导出广告播放统计',
    input: checkedDetail(detailRange.extend({ format: exportQuery.shape.format })),
    result: z.null(),
  },
  /** Exports single plays as a background job. */
  exportPlays: {
    method: 'GET',
    path: path('exportPlays'),
    access: 'advertiseManage:statisticalAnalysis:export',
    stream: 'download',
    kind: 'export',
    title: '导出广告播放明细',
    input: addRangeCheck(range.extend(exportQuery.shape)),
    result: z.null(),
  },
} as const satisfies Contract
