import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import type { HookEvent, HookRefund } from '@oms/contract/storage/hook-event.ts'
import { and, eq, sql, inArray, ne, asc } from 'drizzle-orm'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { publishOutboxEvent } from '#modules/integration/index.ts'
import {
  readDevicesBySn,
  prepareEntitlements,
  type TargetDevice,
  findTargetProblem,
  findTenantProblems,
  type Terms,
  toSeconds,
} from '../entitlements/open-prepare.ts'
import { storePreparedEntitlements, createQueueActor } from '../entitlements/open.ts'
import { reserveIds, saveQueues } from '../queue-save.ts'
import { publishEntitlementsChanged, loadQueues, recordQueueChange, formatQueueKey } from '../queue-store.ts'
import { type QueueEffect, advanceQueue, removeItem } from '../queue.ts'
import { ossOrders, ossRefunds, ossOrderItems } from '../schema-sales.ts'
import { ossEntitlements } from '../schema.ts'
import { type Webhook, lockOrder, type Order, type OrderItem, recordOrder, readTermsByVersion } from './order-record.ts'

const UNPAID = 0
const CLOSED = 4
/** Where a refund comes from: requested by staff, reported by the shop, or paid outside the shop. */
export const REFUND_ORIGIN = { staff: 1, shop: 2, offline: 3 } as const

/** Inserts a refund with a new number. */
export async function insertRefund(
  { db, user, now }: Ctx,
  item: OrderItem,
  { hookId }: Pick<Order, 'hookId'>,
  facts: Pick<Refund, 'amount' | 'stops' | 'origin' | 'reason' | 'outRefundNo'>,
): Promise<Refund> {
  const at = now.toISOString()
  const [made] = await db
    .insert(ossRefunds)
    .values({
      ...facts,
      refundNo: sql`'RF' || to_char(${at}::timestamptz, 'YYYYMMDD') || lpad((nextval('oss_refund_no') % 1000000)::text, 6, '0')`,
      tenantId: item.tenantId,
      orderId: item.orderId,
      itemId: item.id,
      hookId,
      operName: (user.realname || user.account).slice(0, 30),
      createBy: user.uid,
      updateBy: user.uid,
      createTime: at,
      updateTime: at,
    })
    .returning()
  return made!
}

/** Stores a refund that the shop reports, once. A pending request of staff with the same amount becomes this refund. */
async function recordRefund(ctx: Ctx, hook: Webhook, order: Order, items: readonly OrderItem[], refund: HookRefund) {
  const { db } = ctx
  const item = items.find(({ line }) => line === refund.line)
  if (!item) throw conflict(`退款 ${refund.outRefundNo}：订单没有第${refund.line}行`)
  const isKnown = and(eq(ossRefunds.hookId, hook.id), eq(ossRefunds.outRefundNo, refund.outRefundNo))
  const [known] = await db.select().from(ossRefunds).where(isKnown)
  if (known) {
    if (known.itemId !== item.id || known.amount !== refund.amount) throw conflict('退款单号已存在')
    return
  }
  const { outRefundNo, amount } = refund
  const requests = await listPendingRefunds(ctx, [item.id])
  const waiting = requests
    .filter(({ origin }) => origin === REFUND_ORIGIN.shop)
    .reduce((sum, each) => sum + each.amount, 0)
  const refundable = item.amount - item.refunded - waiting
  if (amount > refundable) throw conflict(`退款金额不能超过可退金额${formatFenAsYuan(refundable)}元`)
  const request = requests.find((each) => each.origin === REFUND_ORIGIN.staff && each.amount === amount)
  if (request)
    await db
      .update(ossRefunds)
      .set({ outRefundNo, stops: refund.stops ?? request.stops, origin: REFUND_ORIGIN.shop })
      .where(eq(ossRefunds.id, request.id))
  else {
    const facts = { outRefundNo, amount, stops: refund.stops ?? 0, origin: REFUND_ORIGIN.shop, reason: '商城退款' }
    await insertRefund(ctx, item, order, facts)
  }
}

/** Applies the refunds that the shop has reported. Before the payment they wait with their order. */
async function applyReported(ctx: Ctx, orderId: number) {
  const { items } = await lockOrder(ctx, orderId)
  const pending = await listPendingRefunds(
    ctx,
    items.map(({ id }) => id),
  )
  for (const refund of pending.filter(({ origin }) => origin === REFUND_ORIGIN.shop)) {
    const { order, items: current } = await lockOrder(ctx, orderId)
    if (order.payStatus === UNPAID || order.payStatus === CLOSED) return
    await applyRefund(ctx, order, current.find(({ id }) => id === refund.itemId)!, refund)
  }
}

const ACTIONS: Readonly<Record<HookEvent['type'], string>> = {
  'order.created': '下单',
  'order.paid': '支付',
  'order.closed': '关闭',
  'order.refunded': '退款',
}

/**
 * Applies an event of a shop. Events carry the whole order and are idempotent, so that every order of arrival leads to
 * the same end. Throws an API error when a rule refuses the event.
 */
export async function applyOrderEvent(ctx: Ctx, hook: Webhook, { type, time, data }: HookEvent) {
  const { db, now } = ctx
  const { order, items } = await recordOrder(ctx, hook, data)
  const isOpen = order.payStatus === UNPAID || order.payStatus === CLOSED
  if (type === 'order.paid' && isOpen) await payOrder(ctx, order, items, time)
  if (type === 'order.closed' && order.payStatus === UNPAID)
    await db
      .update(ossOrders)
      .set({ payStatus: CLOSED, updateTime: now.toISOString() })
      .where(eq(ossOrders.id, order.id))
  if (type === 'order.refunded') for (const refund of data.refunds) await recordRefund(ctx, hook, order, items, refund)
  if (type === 'order.paid' || type === 'order.refunded') await applyReported(ctx, order.id)
  ctx.audit({
    bizType: 'storageOrder',
    bizId: order.id,
    action: `商城「${hook.hookName}」回调：订单 ${data.outOrderNo} ${ACTIONS[type]}`,
  })
  await publishEntitlementsChanged(ctx)
}

interface Place {
  readonly item: OrderItem
  readonly target: TargetDevice
  readonly terms: Terms
}

/** Returns the device and the terms of each item. Refuses the whole order when one item cannot be opened. */
async function placesOf(ctx: Ctx, items: readonly OrderItem[]): Promise<Place[]> {
  const devices = await readDevicesBySn(
    ctx,
    items.map(({ sn }) => sn),
  )
  const terms = await readTermsByVersion(
    ctx,
    items.map(({ packageVersionId }) => packageVersionId),
  )
  const tenants = await findTenantProblems(ctx, [...devices.values()])
  return items.map((item) => {
    const [target, found] = [devices.get(item.sn), terms.get(item.packageVersionId)!]
    const problem = findTargetProblem(target, item.channels, found) ?? tenants.get(target!.tenantId)
    if (problem) throw conflict(`第${item.line}行 ${item.sn}：${problem}`)
    return { item, target: target!, terms: found }
  })
}

/** Returns 1 when the channels already had a package that was not a trial: the sale is a renewal. */
async function renewalFlag({ db }: Ctx, { item, target }: Place) {
  const count = await db.$count(
    ossEntitlements,
    and(
      eq(ossEntitlements.deviceId, target.id),
      inArray(ossEntitlements.channel, item.channels),
      ne(ossEntitlements.source, 4),
    ),
  )
  return count > 0 ? 1 : 0
}

async function openItem(ctx: Ctx, place: Place, reason: string): Promise<number[]> {
  const { item, target, terms } = place
  const { channels, copies } = item
  const ids = (await reserveIds(ctx.db, channels.length * (copies + 1))).values()
  const order = {
    terms,
    copies,
    effect: item.effectMode as QueueEffect,
    source: 1,
    isRenewal: await renewalFlag(ctx, place),
    amount: 0,
    total: item.amount,
    orderItemId: item.id,
  }
  const nextId = () => ids.next().value as number
  const prepared = await prepareEntitlements(ctx, [{ target, channels }], order, { locked: true, ids: nextId })
  const [failed] = prepared.failed
  if (failed) throw conflict(`第${item.line}行 ${item.sn}：${failed.msg}`)
  await storePreparedEntitlements(ctx, prepared, [terms], reason)
  return prepared.created.map(({ id }) => id)
}

/** Marks an order as paid and opens its items. The queues of all items are locked first, in one order. */
async function payOrder(ctx: Ctx, order: Order, items: readonly OrderItem[], paidAt: number) {
  const { db, now } = ctx
  const places = await placesOf(ctx, items)
  const keys = places.flatMap(({ item, target }) =>
    item.channels.map((channel) => ({ deviceId: target.id, channel, tenantId: target.tenantId })),
  )
  await loadQueues(db, [...new Map(keys.map((key) => [`${key.deviceId}:${key.channel}`, key])).values()], true)
  const created: number[] = []
  for (const place of places) created.push(...(await openItem(ctx, place, `订单 ${order.outOrderNo}`)))
  await db
    .update(ossOrders)
    .set({
      payStatus: 1,
      payTime: sql`to_timestamp(${Math.min(paidAt, now.getTime() / 1000)}::float8)`,
      updateTime: now.toISOString(),
    })
    .where(eq(ossOrders.id, order.id))
  const { id, outOrderNo, amount, tenantId } = order
  await publishOutboxEvent(ctx.services, db, { type: 'order.paid', tenantId, data: { id, outOrderNo, amount } })
  return created
}

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
