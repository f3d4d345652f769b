import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import type { storageOrders as calls } from '@oms/contract/storage/order.ts'
import { and, eq, getTableColumns } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { conflict, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { publishEntitlementsChanged } from '../queue-store.ts'
import { ossOrderItems, ossOrders, ossRefunds } from '../schema-sales.ts'
import {
  insertRefund,
  applyRefund,
  assertRefundable,
  listPendingRefunds,
  type Refund,
  REFUND_ORIGIN,
} from './order-event.ts'
import { lockOrder } from './order-record.ts'
import { visibleOrders, visibleRefunds } from './order.ts'

const KIND = 'storageOrder'
const CLASHES = { oss_refunds_out: ['退款单号已存在', 'outRefundNo'] } as const

/** Returns the id of the order that contains the item, within the caller's scope. */
async function orderIdOf({ db, user }: Pick<Ctx, 'db' | 'user'>, itemId: number) {
  const [found] = await db
    .select({ id: ossOrders.id })
    .from(ossOrderItems)
    .innerJoin(ossOrders, eq(ossOrders.id, ossOrderItems.orderId))
    .where(and(eq(ossOrderItems.id, itemId), visibleOrders(user)))
  if (!found) throw notFound('订单明细')
  return found.id
}

/**
 * Locks the order of an item and checks the amount. `except` is the id of the pending refund request that the new
 * amount replaces.
 */
async function lockedItem(ctx: Ctx, itemId: number, amount: number, except?: number) {
  const { order, items } = await lockOrder(ctx, await orderIdOf(ctx, itemId))
  const item = items.find(({ id }) => id === itemId)!
  const pending = await listPendingRefunds(ctx, [itemId])
  const others = pending.filter(({ id }) => id !== except).reduce((sum, each) => sum + each.amount, 0)
  assertRefundable(order, item, amount, others)
  return { order, item, request: pending.find(({ id }) => id === except) }
}

const logged = (ctx: Ctx, orderId: number, action: string) => {
  ctx.audit({ bizType: KIND, bizId: orderId, action })
  return publishEntitlementsChanged(ctx)
}

/** Stores a request for a refund. The shop pays it and reports it by an event. */
export async function requestRefund(ctx: Ctx, { itemId, ...facts }: ParsedOf<typeof calls.requestRefund>) {
  const { order, item } = await lockedItem(ctx, itemId, facts.amount)
  const made = await insertRefund(ctx, item, order, { ...facts, origin: REFUND_ORIGIN.staff, outRefundNo: '' })
  await logged(
    ctx,
    order.id,
    `为订单 ${order.outOrderNo} 申请退款${formatFenAsYuan(facts.amount)}元（${made.refundNo}），原因：${facts.reason}`,
  )
  return { id: made.id }
}

/** Stores the number of an offline refund in the request that it completes, or in a new refund. */
async function paidRefund(
  ctx: Ctx,
  { order, item, request }: Awaited<ReturnType<typeof lockedItem>>,
  { outRefundNo, amount, stops, reason }: ParsedOf<typeof calls.recordRefund>,
): Promise<Refund> {
  const facts = { outRefundNo, amount, stops, reason, origin: REFUND_ORIGIN.offline }
  if (!request) return insertRefund(ctx, item, order, facts)
  const [saved] = await ctx.db
    .update(ossRefunds)
    .set({ ...facts, updateBy: ctx.user.uid })
    .where(eq(ossRefunds.id, request.id))
    .returning()
  return saved!
}

/**
 * Records a refund that was paid outside the shop. Runs outside the transaction of the call: entitlements of the order
 * may have followed their device to another tenant, where row-level security hides them.
 */
export async function recordRefund(ctx: Ctx, input: ParsedOf<typeof calls.recordRefund>) {
  await transact(ctx, (db) => orderIdOf({ ...ctx, db }, input.itemId))
  return ctx.services.database.db.transaction(async (db: Db) => {
    const inside = { ...ctx, db }
    const found = await lockedItem(inside, input.itemId, input.amount, input.refundId)
    if (input.refundId !== undefined && !found.request) throw conflict('退款申请已处理')
    const refund = await paidRefund(inside, found, input).catch((error: unknown) => {
      throw toUniqueViolation(error, CLASHES) ?? error
    })
    await applyRefund(inside, found.order, found.item, refund)
    const { outRefundNo, amount, reason } = input
    await logged(
      inside,
      found.order.id,
      `登记订单 ${found.order.outOrderNo} 的线下退款 ${outRefundNo}：${formatFenAsYuan(amount)}元，原因：${reason}`,
    )
    await ctx.recordIn(db)
    return { id: refund.id }
  })
}

/** Rejects a request that the shop has not paid. */
export async function rejectRefund(ctx: Ctx, { id, reason }: ParsedOf<typeof calls.rejectRefund>) {
  const { db, user, now } = ctx
  const [stored] = await db
    .select(getTableColumns(ossRefunds))
    .from(ossRefunds)
    .innerJoin(ossOrders, eq(ossOrders.id, ossRefunds.orderId))
    .where(and(eq(ossRefunds.id, id), visibleRefunds(user)))
    .for('update', { of: ossRefunds })
  if (!stored) throw notFound('退款申请')
  if (stored.state !== 0) throw conflict('退款申请已处理')
  await db
    .update(ossRefunds)
    .set({ state: 2, updateBy: user.uid, updateTime: now.toISOString() })
    .where(eq(ossRefunds.id, id))
  await logged(ctx, stored.orderId, `驳回退款申请 ${stored.refundNo}，原因：${reason}`)
  return null
}
