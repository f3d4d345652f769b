import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, day, id, identifier, month, optional, text, textLine, whole } from '../core/fields.ts'

/** Header with the session token of an App user. App requests send neither cookie nor session ticket. */
export const APP_TOKEN_HEADER = 'oss-token'
/** Validity of a session in seconds. */
export const SESSION_SECONDS = { min: 900, max: 43_200 } as const
/** Longest range of one playlist, in milliseconds. */
export const MAX_PLAY_MS = 24 * 3600_000
export const MAX_PLAY_SEGMENTS = 5000
/** Latest time that JavaScript dates have, in milliseconds. */
const MAX_TIME = 8_640_000_000_000

export const APP_SERVICE_STATE = { 0: '未开通', 1: '使用中', 2: '已暂停', 3: '已过期' } as const

const sn = textLine('序列号', 64)
const channel = whole('通道', 0, 63).default(0).meta({ title: '通道' })
const time = (title: string) => whole(title, 0, MAX_TIME)
const range = { begin: time('开始时间'), end: time('结束时间') }

/** An interval with recordings, in milliseconds since 1970. */
const Interval = z.object({ from: z.number(), to: z.number() })

const post = <Input extends z.ZodObject>(path: string, input: Input, title: string) =>
  ({
    method: 'POST',
    path: `/api/v1/oss/app/${path}`,
    access: 'public',
    body: 'json',
    perMinute: 120,
    input,
    title,
  }) as const

/**
 * Calls of an App for its user. All but `session` need the header `oss-token`. Times are milliseconds since 1970; days and
 * months are in the console's zone.
 */
export const playbackApp = {
  /**
   * Creates a session for an App account. `sign` is the lower-case hex HMAC-SHA256, keyed with the secret, of
   * `keyId`, `account`, `ttl`, `nonce` and `time` joined by line feeds. `time` is seconds since 1970.
   */
  session: {
    method: 'POST',
    path: '/api/v1/oss/app/session',
    access: 'public',
    body: 'json',
    perMinute: 6000,
    log: false,
    input: z.object({
      keyId: identifier('密钥编号', 24),
      account: identifier('账号', 50),
      ttl: whole('有效秒数', SESSION_SECONDS.min, SESSION_SECONDS.max),
      nonce: z.string('请输入随机串').regex(/^[\w-]{8,64}$/, '随机串应为8～64位字母、数字、下划线或短横线'),
      time: whole('时间', 0, 99_999_999_999),
      sign: z.string('请输入签名').regex(/^[0-9a-f]{64}$/, '签名不正确'),
    }),
    result: z.object({ token: z.string(), expireTime: z.number() }),
  },
  devices: {
    method: 'GET',
    path: '/api/v1/oss/app/device/list',
    access: 'public',
    perMinute: 120,
    input: z.object({}),
    result: z.object({
      list: z.array(
        z.object({
          sn: z.string(),
          name: z.string(),
          modelName: z.string(),
          /** Channels that the model can record. */
          channels: z.int(),
          services: z.array(
            z.object({
              channel: z.int(),
              state: z.int().meta({ labels: APP_SERVICE_STATE }),
              packageName: z.string(),
              /** End of the last package; null while suspended or without a package. */
              endTime: z.number().nullable(),
              /** Whether the user allows recording to the cloud. */
              isOn: z.boolean(),
            }),
          ),
        }),
      ),
    }),
  },
  /** Days of a month with recordings. */
  days: {
    method: 'GET',
    path: '/api/v1/oss/app/day',
    access: 'public',
    perMinute: 120,
    input: z.object({ sn, channel, month: month('月份') }),
    result: z.object({
      list: z.array(z.object({ day: z.string(), seconds: z.int(), segments: z.int(), events: z.int() })),
    }),
  },
  /** Merged intervals with recordings of one day. */
  timeline: {
    method: 'GET',
    path: '/api/v1/oss/app/timeline',
    access: 'public',
    perMinute: 120,
    input: z.object({ sn, channel, day: day('日期') }),
    result: z.object({ list: z.array(Interval) }),
  },
  /**
   * Events that begin on a day, oldest first. `picture` is the address of the event's picture, relative to the server;
   * null: none.
   */
  events: {
    method: 'GET',
    path: '/api/v1/oss/app/event/page',
    access: 'public',
    perMinute: 120,
    input: z.object({
      sn,
      channel,
      day: day('日期'),
      type: optional(whole('事件类型', 0, 255)).meta({ title: '事件类型' }),
      pageNum: whole('页码', 1, 1000).default(1),
      pageSize: whole('每页条数', 1, 100).default(50),
    }),
    result: z.object({
      total: z.int(),
      list: z.array(
        z.object({
          /** Number that the camera gave the event. */
          id: z.int(),
          type: z.int(),
          from: z.number(),
          to: z.number(),
          segments: z.int(),
          picture: z.string().nullable(),
        }),
      ),
    }),
  },
  /**
   * Pictures that a camera took on a day, oldest first, with or without an event. `url` is relative to the server and
   * expires like a play address.
   */
  pictures: {
    method: 'GET',
    path: '/api/v1/oss/app/picture/page',
    access: 'public',
    perMinute: 120,
    input: z.object({
      sn,
      channel,
      day: day('日期'),
      pageNum: whole('页码', 1, 1000).default(1),
      pageSize: whole('每页条数', 1, 100).default(50),
    }),
    result: z.object({
      total: z.int(),
      list: z.array(z.object({ time: z.number(), bytes: z.int(), url: z.string() })),
    }),
  },
  /**
   * Creates the address of a playlist for a range. `nextBegin` is the begin of the next call. The field is present when
   * the range exceeds the limits of a playlist, or when format or codec change within the range. `isHevc`: the video is
   * H.265.
   */
  play: {
    method: 'POST',
    path: '/api/v1/oss/app/play',
    access: 'public',
    body: 'json',
    perMinute: 120,
    log: false,
    input: z.object({ sn, channel, ...range }),
    result: z.object({
      url: z.string(),
      expireTime: z.number(),
      isHevc: z.boolean(),
      nextBegin: z.number().optional(),
    }),
  },
  /** Deletes the recordings that begin in a range. They are hidden at once and deleted within minutes. */
  remove: {
    method: 'DELETE',
    path: '/api/v1/oss/app/video',
    access: 'public',
    perMinute: 60,
    title: 'App用户删除录像',
    input: z.object({ sn, channel, ...range }),
    result: z.null(),
  },
  /** Turns recording to the cloud on or off. */
  switch: {
    ...post('switch', z.object({ sn, channel, on: choice('云录像', { 0: '停用', 1: '启用' }) }), 'App用户启停云录像'),
    result: z.null(),
  },
  consents: {
    method: 'GET',
    path: '/api/v1/oss/app/consent',
    access: 'public',
    perMinute: 120,
    input: z.object({}),
    result: z.object({
      list: z.array(
        z.object({
          id: z.int(),
          sn: z.string(),
          begin: z.number(),
          end: z.number(),
          validUntil: z.number(),
          withdrawn: z.boolean(),
        }),
      ),
    }),
  },
  /** Permits staff to view recordings of a range until `validUntil`. */
  consent: {
    ...post(
      'consent',
      z.object({ sn, ...range, validUntil: time('有效期至'), note: optional(text('说明', 200)) }),
      'App用户授权查看录像',
    ),
    result: z.object({ id: z.int() }),
  },
  withdraw: {
    method: 'DELETE',
    path: '/api/v1/oss/app/consent/:id',
    access: 'public',
    perMinute: 60,
    title: 'App用户撤回授权',
    input: z.object({ id }),
    result: z.null(),
  },
  /** Views of the user's recordings by staff, newest first. */
  views: {
    method: 'GET',
    path: '/api/v1/oss/app/view/page',
    access: 'public',
    perMinute: 120,
    input: z.object({ beforeId: optional(id), pageSize: whole('每页条数', 1, 50).default(20) }),
    result: z.object({
      list: z.array(
        z.object({
          id: z.int(),
          sn: z.string(),
          channel: z.int(),
          begin: z.number(),
          end: z.number(),
          reason: z.string(),
          operName: z.string(),
          time: z.number(),
        }),
      ),
    }),
  },
} as const satisfies Contract

/**
 * Playlists and recordings. The token in the path names device, channel, range and viewer. HTTP 410: the address has
 * expired; 404: no recording.
 */
export const playbackStream = {
  file: {
    method: 'GET',
    path: '/api/v1/oss/play/:token/:file',
    access: 'public',
    stream: 'download',
    log: false,
    // The handler refuses wrong texts by an HTTP status, because players read only the status.
    input: z.object({ token: z.string().max(256), file: z.string().max(256) }),
    result: z.null(),
  },
} as const satisfies Contract
