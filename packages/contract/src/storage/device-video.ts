import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { textLine, whole } from '../core/fields.ts'

/** Response text when recording is permitted. Every other response text is the reason of a refusal. */
export const MAY_RECORD_TEXT = '可以录像'

const serial = textLine('序列号', 64)
const channel = whole('通道', 0, 63).default(0).meta({ title: '通道' })

/** Rules of a permit in their order. A recording is taken when every rule passes. */
export const PERMIT_RULE = {
  disabled: '设备已启用',
  tenant: '客户正常',
  model: '型号支持云存储',
  channel: '通道在型号范围内',
  none: '开通过套餐',
  waiting: '套餐已开始',
  suspended: '套餐未暂停',
  expired: '套餐未过期',
  clock: '设备时间准确',
  old: '录像在保存期内',
  kind: '录像类型符合套餐',
  event: '事件录像时长符合套餐',
  day: '未超出当日容量',
  space: '存储空间充足',
  switch: '用户已启用云录像',
} as const

const Rule = z.object({
  reason: z.enum(Object.keys(PERMIT_RULE) as [keyof typeof PERMIT_RULE]),
  /** 1 passed, 0 failed, null: not applicable without a package in force. */
  passed: z.int().nullable(),
  value: z.string(),
})

export const PermitExplanation = z.object({
  sn: z.string(),
  channel: z.int(),
  /** Text of the first failed rule; empty when a recording that starts now is taken. */
  refusal: z.string(),
  rules: z.array(Rule),
  /** Time of the last permit request of the camera, and the response as text; null without a request. */
  askTime: z.string().nullable(),
  answer: z.string(),
  uploadTime: z.string().nullable(),
  troubleTime: z.string().nullable(),
  trouble: z.string(),
})
export type PermitExplanation = z.output<typeof PermitExplanation>

const UsageDay = z.object({
  day: z.string(),
  segments: z.int(),
  events: z.int(),
  /** Length of all videos in seconds. */
  seconds: z.int(),
  bytes: z.number(),
  /** 1: videos of the day are still stored. */
  hasVideo: z.int(),
})
export const MonthUsage = z.object({ month: z.string(), days: z.array(UsageDay) })
export type MonthUsage = z.output<typeof MonthUsage>

const month = z
  .string('请选择月份')
  .regex(/^20\d{2}-(0[1-9]|1[0-2])$/, '请选择月份')
  .meta({ title: '月份' })

/** Calls about the stored videos of a device: permit rules and uploads by day. Pictures are not counted. */
export const storageDeviceVideos = {
  /** Evaluates the rules of a permit for a recording that starts now. */
  why: {
    method: 'GET',
    path: '/api/v1/oss/device/why',
    access: 'ossManage:deviceList:query',
    input: z.object({ sn: serial, channel }),
    result: PermitExplanation,
  },
  /** Uploads of one channel for each day of a month. */
  usage: {
    method: 'GET',
    path: '/api/v1/oss/device/usage',
    access: 'ossManage:deviceList:query',
    input: z.object({ sn: serial, channel, month }),
    result: MonthUsage,
  },
} as const satisfies Contract
