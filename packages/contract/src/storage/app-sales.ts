import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, optional, textLine, whole } from '../core/fields.ts'
import { RedeemInput } from './card.ts'

export const NOTICE_KIND = { 1: '即将到期', 2: '已过期', 3: '录像即将删除' } as const

const place = { sn: textLine('序列号', 64), channel: whole('通道', 0, 63).default(0).meta({ title: '通道' }) }

/** Calls of an App for its user about purchases. They need the header `oss-token`, like the calls of playback. */
export const storageApp = {
  redeem: {
    method: 'POST',
    path: '/api/v1/oss/app/card/redeem',
    access: 'public',
    body: 'json',
    perMinute: 60,
    title: 'App用户兑换卡密',
    kind: 'add',
    log: ['sn', 'channel'],
    input: RedeemInput,
    result: z.null(),
    done: '兑换成功',
  },
  /** Opens the first trial package that applies to the device, once per serial number. */
  trial: {
    method: 'POST',
    path: '/api/v1/oss/app/trial',
    access: 'public',
    body: 'json',
    perMinute: 60,
    title: 'App用户领取试用',
    kind: 'add',
    input: z.object(place),
    result: z.object({ packageName: z.string() }),
    done: '试用已开通',
  },
  /**
   * Moves the packages of a channel that are in force or waiting to another device of the user. Moves all of them or
   * none.
   */
  transfer: {
    method: 'POST',
    path: '/api/v1/oss/app/transfer',
    access: 'public',
    body: 'json',
    perMinute: 60,
    title: 'App用户转移云存储',
    kind: 'edit',
    input: z.object({
      ...place,
      targetSn: textLine('目标设备', 64),
      targetChannel: whole('目标通道', 0, 63).default(0).meta({ title: '目标通道' }),
    }),
    /** Number of moved packages. */
    result: z.object({ done: z.int() }),
    done: '转移成功',
  },
  /**
   * Notices after `sinceId` about the user's devices, oldest first. `kind` 1: the service ends in `days`; 2: the service has
   * ended; 3: the recordings of the ended service are deleted in `days`.
   */
  notices: {
    method: 'GET',
    path: '/api/v1/oss/app/notice/page',
    access: 'public',
    perMinute: 120,
    input: z.object({ sinceId: optional(id), pageSize: whole('每页条数', 1, 100).default(50) }),
    result: z.object({
      list: z.array(
        z.object({
          id: z.int(),
          sn: z.string(),
          channel: z.int(),
          kind: z.int().meta({ labels: NOTICE_KIND }),
          days: z.int(),
          /** Milliseconds since 1970. */
          endTime: z.number(),
        }),
      ),
    }),
  },
} as const satisfies Contract
