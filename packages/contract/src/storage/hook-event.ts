import * as z from 'zod'
import { identifier } from '../core/fields.ts'
import { EFFECT_MODE } from './entitlement.ts'

/** Largest body of an event in bytes. */
export const MAX_EVENT_BYTES = 65_536
export const HOOK_EVENT_TYPES = ['order.created', 'order.paid', 'order.closed', 'order.refunded'] as const

const MAX_AMOUNT = 2_000_000_000
const line = z.int().min(1).max(1000)
const channel = z.int().min(0).max(63)

/** `amount` is the price of all copies and channels of the item, in fen. */
export const HookItem = z.object({
  line,
  sn: identifier('序列号', 64),
  channel: channel.default(0),
  /** Several channels that share one purchase, instead of `channel`. */
  channels: z.array(channel).min(1).max(64).optional(),
  packageCode: identifier('套餐编码', 32),
  copies: z.int().min(1).max(36).default(1),
  amount: z.int().min(0).max(MAX_AMOUNT),
  effectMode: z.literal(Object.keys(EFFECT_MODE).map(Number)).default(1),
})
export type HookItem = z.output<typeof HookItem>

/**
 * Refund of an item. `stops` 1 cancels the entitlements of the item; absent: the matching refund request of staff
 * decides.
 */
export const HookRefund = z.object({
  outRefundNo: identifier('退款单号', 64),
  line: line.default(1),
  amount: z.int().min(1).max(MAX_AMOUNT),
  stops: z.literal([0, 1]).optional(),
})
export type HookRefund = z.output<typeof HookRefund>

/** An event of a shop. Each event carries the whole order; `refunds` is required by `order.refunded`. */
export const HookEvent = z
  .object({
    id: identifier('事件编号', 64),
    type: z.enum(HOOK_EVENT_TYPES),
    /** Unix time of the event in seconds. */
    time: z.int().min(1).max(32_503_680_000),
    data: z.object({
      outOrderNo: identifier('商城订单号', 64),
      amount: z.int().min(0).max(MAX_AMOUNT),
      items: z.array(HookItem).min(1).max(100),
      refunds: z.array(HookRefund).max(100).default([]),
    }),
  })
  .refine(({ type, data }) => type !== 'order.refunded' || data.refunds.length > 0, { path: ['data', 'refunds'] })
  .refine(({ data: { items } }) => new Set(items.map((item) => item.line)).size === items.length, {
    path: ['data', 'items'],
  })
export type HookEvent = z.output<typeof HookEvent>
