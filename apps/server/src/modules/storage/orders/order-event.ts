import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import type { HookEvent, HookRefund } from '@oms/contract/storage/hook-event.ts'
import { and, eq, sql } from 'drizzle-orm'
import { ossOrders, ossRefunds } from '../schema-sales.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Webhook } from '../integrations/hook-user.ts'
import { publishEntitlementsChanged } from '../entitlements/open.ts'
import { payOrder } from './order-pay.ts'
import { lockOrder, type Order, type OrderItem, recordOrder } from './order-record.ts'
import { applyRefund, listPendingRefunds, type Refund } from './refund-apply.ts'

const UNPAID = 0
const CLOSED = 4
const BY_STAFF = 1
const BY_SHOP = 2

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
  const waiting = requests.filter(({ origin }) => origin === BY_SHOP).reduce((sum, each) => sum + each.amount, 0)
  const refundable = item.amount - item.refunded - waiting
  if (amount > refundable) throw conflict(`退款金额不能超过可退金额${formatFenAsYuan(refundable)}元`)
  const request = requests.find((each) => each.origin === BY_STAFF && each.amount === amount)
  if (request)
    await db
      .update(ossRefunds)
      .set({ outRefundNo, stops: refund.stops ?? request.stops, origin: BY_SHOP })
      .where(eq(ossRefunds.id, request.id))
  else {
    const facts = { outRefundNo, amount, stops: refund.stops ?? 0, origin: BY_SHOP, reason: '商城退款' }
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
  for (const refund of pending.filter(({ origin }) => origin === BY_SHOP)) {
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
