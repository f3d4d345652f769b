import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { dateTime, optional, textLine, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { REJECT_REASONS } from './device-calls.ts'

/** Texts of the results of plays. */
export const PLAY_RESULT_NAME = { 1: '完整', 2: '不完整', 3: '失败' } as const

/** Texts of the reasons for which the server rejects reported plays. */
export const REJECT_REASON_TEXT = {
  unknown: '节目单或广告未向该屏幕发布',
  future: '开始时间在未来',
  too_old: '超过保留期限',
  duration: '播放时长不正确',
  overlap: '与已计入的播放重叠',
  invalid: '格式不正确',
} as const satisfies Record<(typeof REJECT_REASONS)[number], string>

/** A play that a screen reported. */
export const ScreenPlay = z.object({
  reportId: z.string(),
  /** Start in epoch milliseconds. For a play without a trusted clock, the time at which the report arrived. */
  at: z.int().meta({ title: '开始时间' }),
  /** Shown milliseconds. */
  ms: z.int().meta({ title: '播放时长' }),
  /** Planned milliseconds. */
  planned: z.int(),
  adId: z.int(),
  adName: z.string().meta({ title: '广告' }),
  programId: z.int(),
  programName: z.string().meta({ title: '节目单' }),
  programVer: z.int(),
  result: z.int().meta({ title: '结果', labels: PLAY_RESULT_NAME }),
  /** 0: the screen had no trusted clock, so the play counts neither in an hour nor in 播放时长. */
  clock: z.int(),
  /** Number of plays; above 1 for plays that the player summed by hour. */
  count: z.int().meta({ title: '次数' }),
  /** True when the play counts in 播放次数. False for a failed play. */
  isCounted: z.boolean().meta({ title: '计入统计' }),
})
export type ScreenPlayRow = z.output<typeof ScreenPlay>

/** Reported plays of one screen. */
export const screenPlays = {
  /**
   * Lists the plays of the day that contains a moment, in the screen's zone. Single plays are kept for
   * `OMS_AD_PLAY_DAYS`.
   */
  list: {
    method: 'GET',
    path: '/api/v1/advertise/statistics/screenPlay',
    access: 'advertiseManage:statisticalAnalysis:query',
    input: z.object({
      sn: textLine('序列号', 64),
      /** The moment as time of the screen's zone. Default: now. */
      time: optional(dateTime('时间')),
      /** Default: the page with the last play that started by the moment. */
      pageNum: optional(whole('页码', 1, 100_000)),
      pageSize: pageQuery.shape.pageSize,
    }),
    result: createPageSchema(ScreenPlay).extend({
      pageNum: z.int(),
      zone: z.string(),
      /** The moment in epoch milliseconds. */
      at: z.int(),
      day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
      /** First day whose single plays are kept. */
      keptFrom: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
      /** Number of rejected reports by reason that arrived on the moment's day of the console's zone. */
      rejects: z.array(z.object({ reason: z.string(), count: z.int() })),
    }),
  },
} as const satisfies Contract
