import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { ossOrderItems, ossOrders, ossRefunds } from '../schema-sales.ts'
import { ossEntitlements } from '../schema.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { advanceQueue, removeItem } from '../queue.ts'
import { saveQueues } from '../queue-save.ts'
import { recordQueueChange, formatQueueKey, loadQueues } from '../queue-store.ts'
import { toSeconds } from '../entitlements/open-prepare.ts'
import { createQueueActor } from '../entitlements/open.ts'
import type { Order, OrderItem } from './order-record.ts'

export type Refund = typeof ossRefunds.$inferSelect
type Stored = typeof ossEntitlements.$inferSelect

/**
 * Shares an amount by weights in whole units: the largest remainders receive the rest, and the parts add up to the
 * amount.
 */
export function splitByWeight(amount: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === 0) return weights.map((_, at) => (at === 0 ? amount : 0))
  const exact = weights.map((weight) => (BigInt(amount) * BigInt(weight)) / BigInt(sum))
  const rest = weights.map((weight, at) => ({ at, left: (BigInt(amount) * BigInt(weight)) % BigInt(sum) }))
  const missing = amount - Number(exact.reduce((total, part) => total + part, 0n))
  const favoured = new Set(
    rest
      .toSorted((a, b) => (a.left === b.left ? a.at - b.at : a.left > b.left ? -1 : 1))
      .slice(0, missing)
      .map(({ at }) => at),
  )
  return exact.map((part, at) => Number(part) + (favoured.has(at) ? 1 : 0))
}

/** Refuses a refund above what remains of the item. `pending`: amount of requests that are not decided. */
export function assertRefundable(order: Order, item: OrderItem, amount: number, pending = 0) {
  if (order.payStatus === 0 || order.payStatus === 4) throw conflict('订单未支付')
  const refundable = Math.max(item.amount - item.refunded - pending, 0)
  if (amount > refundable) throw conflict(`退款金额不能超过可退金额${formatFenAsYuan(refundable)}元`, 'amount')
}

/** Locks the queues of the entitlements that an item paid for, also of those that were transferred. */
async function lockEntitlements({ db }: Ctx, itemId: number) {
  const ofItem = eq(ossEntitlements.orderItemId, itemId)
  const keys = await db
    .select({
      deviceId: ossEntitlements.deviceId,
      channel: ossEntitlements.channel,
      tenantId: ossEntitlements.tenantId,
    })
    .from(ossEntitlements)
    .where(ofItem)
  const works = await loadQueues(db, [...new Map(keys.map((key) => [formatQueueKey(key), key])).values()], true)
  const rows = await db.select().from(ossEntitlements).where(ofItem).orderBy(asc(ossEntitlements.id))
  return { works, rows }
}

/** Cancels the entitlements that are not over. */
async function stopEntitlements(
  ctx: Ctx,
  { works, rows }: Awaited<ReturnType<typeof lockEntitlements>>,
  reason: string,
) {
  const [now, zone] = [toSeconds(ctx.now), ctx.services.config.timeZone]
  for (const work of works.values()) recordQueueChange(work, advanceQueue(work.queue, now, zone))
  for (const row of rows) {
    const work = works.get(formatQueueKey(row))!
    if (work.queue.some(({ id }) => id === row.id))
      recordQueueChange(work, removeItem(work.queue, row.id, 'cancel', now, zone))
  }
  await saveQueues(ctx.db, [...works.values()], createQueueActor(ctx, reason))
}

/** Records the refunded amount of each entitlement in the ledger: kind 3 with a negative amount. */
async function writeRefundLines(ctx: Ctx, rows: readonly Stored[], amount: number, reason: string) {
  const { db } = ctx
  const paid = rows.filter(({ source }) => source !== 5)
  const { rows: refunded } = await db.execute<{ id: number; amount: number }>(sql`
    select entitlement_id as id, -sum(amount)::int as amount from oss_ledger
    where kind = 3 and entitlement_id = any(${sql.param(paid.map(({ id }) => id))}::int[]) group by 1`)
  const before = new Map(refunded.map((row) => [row.id, row.amount]))
  const shares = splitByWeight(
    amount,
    paid.map((row) => row.amount - (before.get(row.id) ?? 0)),
  )
  const lines = paid.flatMap(({ id }, at) => (shares[at] ? [{ id, amount: shares[at] }] : []))
  const { uid, operName, now } = createQueueActor(ctx, reason)
  await db.execute(sql`
    insert into oss_ledger (entitlement_id, tenant_id, package_id, source, is_renewal, kind, seconds, amount, balance,
      uid, oper_name, reason, at_time, create_time)
    select e.id, e.tenant_id, e.package_id, e.source, e.is_renewal, 3, 0, -x.amount,
      (select coalesce(sum(l.seconds), 0) from oss_ledger l where l.entitlement_id = e.id), ${uid}::int,
      ${operName.slice(0, 30)}, ${reason.slice(0, 200)}, to_timestamp(${now}::float8), to_timestamp(${now}::float8)
    from oss_entitlements e join jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as x(id int, amount int)
      on x.id = e.id`)
}

/**
 * Applies a paid refund: amounts of the item and the order, ledger, and with `stops` the cancellation of the
 * entitlements. The caller holds the lock of the order.
 */
export async function applyRefund(ctx: Ctx, order: Order, item: OrderItem, refund: Refund) {
  const { db, now } = ctx
  assertRefundable(order, item, refund.amount)
  const reason = `订单 ${order.outOrderNo} 退款 ${refund.outRefundNo}`
  const locked = await lockEntitlements(ctx, item.id)
  if (refund.stops === 1) await stopEntitlements(ctx, locked, reason)
  await writeRefundLines(ctx, locked.rows, refund.amount, reason)
  const at = now.toISOString()
  await db.update(ossRefunds).set({ state: 1, doneTime: at, updateTime: at }).where(eq(ossRefunds.id, refund.id))
  await db
    .update(ossOrderItems)
    .set({ refunded: item.refunded + refund.amount })
    .where(eq(ossOrderItems.id, item.id))
  const refunded = order.refunded + refund.amount
  await db
    .update(ossOrders)
    .set({ refunded, payStatus: refunded === order.amount ? 3 : 2, updateTime: at })
    .where(eq(ossOrders.id, order.id))
}

/** Returns the pending refunds of items, locked. */
export const listPendingRefunds = ({ db }: Ctx, itemIds: readonly number[]): Promise<Refund[]> =>
  db
    .select()
    .from(ossRefunds)
    .where(and(inArray(ossRefunds.itemId, [...itemIds]), eq(ossRefunds.state, 0)))
    .orderBy(asc(ossRefunds.id))
    .for('update')
