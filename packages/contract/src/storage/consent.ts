import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, day, id, note, optional, reference, search, text, textLine, whole } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { UPLOAD, type UploadRule } from '../core/upload.ts'

export const CONSENT_SOURCE = { 1: 'App授权', 2: '书面授权' } as const
export const CONSENT_STATE = { 1: '有效', 2: '已过期', 3: '已撤回' } as const
export const OWN_CONSENT_MESSAGE = '不能使用本人登记的授权，请由他人查看'
/** Longest range of one view in milliseconds. */
export const MAX_VIEW_MS = 30 * 60_000
/** Maximum number of pictures of one view. */
export const MAX_VIEW_PICTURES = 200
/** Maximum number of intervals of one day that are offered for a view. */
export const MAX_INTERVALS = 200

/** Document that proves a consent: a scan, a photo or a text. */
export const CONSENT_DOCUMENT: UploadRule = {
  ...UPLOAD.file,
  extensions: [...UPLOAD.file.extensions, ...UPLOAD.image.extensions],
  maxCount: 1,
}

const sn = textLine('序列号', 64)

export const ConsentInput = z.object({
  sn,
  rangeBegin: dateTime('录像开始时间'),
  rangeEnd: dateTime('录像结束时间'),
  validUntil: dateTime('授权有效期至'),
  /** Address or id of the uploaded document. */
  document: z
    .string('请上传授权文件')
    .regex(/^(?:\/api\/v1\/file\/)?[0-9a-f]{32}$/, '请上传授权文件')
    .meta({ title: '授权文件' }),
  note: note('说明', 200),
})

export const ConsentRow = z.object({
  id: z.int().meta({ title: '编号' }),
  tenantName: z.string().meta({ title: '客户' }),
  deviceId: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  source: z.int().meta({ title: '授权方式', labels: CONSENT_SOURCE }),
  state: z.int().meta({ title: '状态', labels: CONSENT_STATE }),
  rangeBegin: z.string().meta({ title: '录像开始时间' }),
  rangeEnd: z.string().meta({ title: '录像结束时间' }),
  validUntil: z.string().meta({ title: '授权有效期至' }),
  fileId: z.string().nullable(),
  fileName: z.string().meta({ title: '授权文件' }),
  note: z.string().meta({ title: '说明' }),
  uid: z.int().nullable(),
  operName: z.string().meta({ title: '登记人' }),
  createTime: z.string().meta({ title: '授权时间' }),
})
export type ConsentRow = z.output<typeof ConsentRow>

export const RecordingViewInput = z.object({
  sn,
  channel: whole('通道', 0, 63).default(0).meta({ title: '通道' }),
  begin: dateTime('开始时间'),
  end: dateTime('结束时间'),
  consentId: reference('授权'),
  reason: z
    .string('请输入查看原因')
    .trim()
    .min(5, '查看原因不能少于5个字符')
    .max(200, '查看原因不能超过200个字符')
    .pipe(text('查看原因', 200))
    .meta({ title: '查看原因', max: 200 }),
})

/** Times with recordings that a consent covers. The console offers only these times for a view. */
const ConsentedTimes = z.object({
  /** Channels with recordings in the consented range. */
  channels: z.array(z.int()).max(64),
  /** Days with recordings of the channel in the consented range. */
  days: z.array(z.string().regex(/^\d{4}-\d{2}-\d{2}$/)),
  /** Recorded intervals of the day, within the consented range. A picture counts as one minute. */
  list: z.array(z.object({ begin: z.string(), end: z.string() })).max(MAX_INTERVALS),
})
export type ConsentedTimes = z.output<typeof ConsentedTimes>

export const ViewRow = z.object({
  id: z.int().meta({ title: '编号' }),
  tenantName: z.string().meta({ title: '客户' }),
  deviceId: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  channel: z.int().meta({ title: '通道' }),
  operName: z.string().meta({ title: '查看人' }),
  reason: z.string().meta({ title: '查看原因' }),
  beginTime: z.string().meta({ title: '录像开始时间' }),
  endTime: z.string().meta({ title: '录像结束时间' }),
  segments: z.int().meta({ title: '录像段数' }),
  consentId: z.int().meta({ title: '授权编号' }),
  ip: z.string().meta({ title: 'IP 地址' }),
  createTime: z.string().meta({ title: '查看时间' }),
})
export type ViewRow = z.output<typeof ViewRow>

const CONSENT = 'ossManage:deviceList:consent'

/** Consents of users, and views of their recordings by staff (`/ossManage/deviceList`). */
export const playbackConsents = {
  list: {
    method: 'GET',
    path: '/api/v1/oss/consent/page',
    access: 'ossManage:deviceList:list',
    input: sortedPage(['createTime', 'validUntil']).extend({
      sn: search('序列号', 64),
      deviceId: optional(id),
      tenantId: optional(id).meta({ title: '客户' }),
      source: optional(choice('授权方式', CONSENT_SOURCE)),
      state: optional(choice('状态', CONSENT_STATE)),
      ...timeRange,
    }),
    result: createPageSchema(ConsentRow),
  },
  create: {
    method: 'POST',
    path: '/api/v1/oss/consent',
    access: CONSENT,
    title: '登记录像查看授权',
    input: ConsentInput,
    result: z.object({ id: z.int() }),
    done: '登记成功',
  },
  withdraw: {
    method: 'POST',
    path: '/api/v1/oss/consent/withdraw/:id',
    access: CONSENT,
    title: '撤回录像查看授权',
    kind: 'edit',
    input: z.object({ id }),
    result: z.null(),
    done: '已撤回',
  },
  /** Needs the same valid consent as a view. Without `day`, the last day with recordings is returned. */
  times: {
    method: 'GET',
    path: '/api/v1/oss/consent/times',
    access: 'ossManage:deviceList:view',
    input: RecordingViewInput.pick({ sn: true, channel: true, consentId: true }).extend({ day: optional(day('日期')) }),
    result: ConsentedTimes,
  },
  /**
   * Creates the addresses of the videos and pictures of one view of at most 30 minutes. Every call is recorded. `url`
   * is the address of the playlist, null when the range has only pictures. `nextBegin` is the start of the videos in
   * another format or codec, which need another view.
   */
  view: {
    method: 'POST',
    path: '/api/v1/oss/device/view',
    access: 'ossManage:deviceList:view',
    title: '查看录像',
    kind: 'other',
    input: RecordingViewInput,
    result: z.object({
      url: z.string().nullable(),
      isHevc: z.boolean(),
      nextBegin: z.string().nullable(),
      pictures: z.array(z.object({ time: z.string(), url: z.string() })).max(MAX_VIEW_PICTURES),
      expireTime: z.number(),
      watermark: z.string(),
    }),
  },
  views: {
    method: 'GET',
    path: '/api/v1/oss/view/page',
    access: 'ossManage:deviceList:list',
    input: sortedPage(['createTime']).extend({
      sn: search('序列号', 64),
      tenantId: optional(id).meta({ title: '客户' }),
      operName: search('查看人', 30),
      consentId: optional(id).meta({ title: '授权编号' }),
      ...timeRange,
    }),
    result: createPageSchema(ViewRow),
  },
} as const satisfies Contract
