import { NOT_CREATOR, ORDER_STATE_CODE, OWN_REFUND_MESSAGE } from '@oms/contract/agent/orders/order-entities.ts'
import { GRANT_STATE_CODE, GRANT_LEDGER_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import type { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { conflict, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { agentOrderRefunds } from '../schema/agent-orders.ts'
import {
  ORDER_STEP,
  assertOrderStepAllowed,
  assertVendor,
  lockOrder,
  saveStep,
  type StoredOrder,
} from './order-steps.ts'

/** Closes a pending order of the caller. A job closes orders that nobody confirmed. */
export async function closeOrder(ctx: Ctx, { id, rev, reason }: ParsedOf<typeof calls.close>) {
  const order = await lockOrder(ctx, id)
  await assertOrderStepAllowed(ctx, order, rev, ORDER_STEP.close)
  if (order.createBy !== ctx.user.uid) throw refused(NOT_CREATOR.close)
  const closed = { state: ORDER_STATE_CODE.closed, closeReason: reason, closeTime: ctx.now.toISOString() }
  return saveStep(ctx, order, closed, `关闭订单（${reason}）`)
}

/**
 * Returns the grants of an order for the calculation of its refund. With `isLocked`, locks the grants in the order of
 * ids.
 */
async function grantsOf(db: Db, orderId: number, isLocked: boolean) {
  const { rows } = await db.execute<RefundedGrant & Record<string, unknown>>(sql`
    select unit, is_unlimited = 1 as "isUnlimited", state, total::float8 as total, remaining::float8 as remaining,
      valid_days as "validDays",
      floor(extract(epoch from valid_until) * 1000)::float8 as "endsAt"
    from agent_grants where order_id = ${orderId} order by id ${sql.raw(isLocked ? 'for update' : '')}`)
  return rows
}

/** Returns the amount in fen that a refund requested now would have. Returns null when the order cannot be refunded. */
export async function computeRefundProposal({ db, now }: Ctx, order: Pick<StoredOrder, 'id' | 'state' | 'amount'>) {
  if (order.state !== ORDER_STATE_CODE.paid) return null
  return computeRefundAmount(order.amount, await grantsOf(db, order.id, false), now.getTime())
}

const freeze = (db: Db, orderId: number) =>
  db.execute(sql`
    update agent_grants set is_frozen = 1 where order_id = ${orderId} and state < ${GRANT_STATE_CODE.used}`)

/**
 * Releases the frozen grants. Adds the frozen time to the end of running grants, and to the activation window of
 * waiting grants. Resets the warnings about the end, so that they are sent again before the later end. Used grants were
 * not frozen. A used grant that had not ended at the request gets the same time, so that a pack keeps one end.
 */
const release = (db: Db, orderId: number, { ms, from }: Frozen, now: Date) =>
  db.execute(sql`
    update agent_grants set is_frozen = 0, valid_until = valid_until + t.frozen,
      activate_until = case when begin_time is null then activate_until + t.frozen else activate_until end,
      warned_days = case when valid_until + t.frozen > ${now.toISOString()}::timestamptz + interval '30 days' then null
        when valid_until + t.frozen > ${now.toISOString()}::timestamptz + interval '7 days' and warned_days is not null then 30
        else warned_days end
    from (select make_interval(secs => ${ms / 1000}::float8) as frozen) t
    where order_id = ${orderId} and (state < ${GRANT_STATE_CODE.used}
      or state = ${GRANT_STATE_CODE.used} and coalesce(valid_until, activate_until) > ${from}::timestamptz)`)

/** Time during which a refund was undecided. */
interface Frozen {
  readonly ms: number
  /** Time of the request. */
  readonly from: string
}

async function readFrozenTime({ db, now }: Ctx, refundId: number): Promise<Frozen> {
  const { rows } = await db.execute<Frozen & Record<string, unknown>>(sql`
    select (greatest(0, extract(epoch from ${now.toISOString()}::timestamptz - create_time)) * 1000)::float8 as ms,
      create_time::text as "from"
    from agent_order_refunds where id = ${refundId}`)
  return rows[0]!
}

const HOUR_MS = 3_600_000

/** Returns how long the grants were frozen, in words: `2天3小时`. */
function formatFrozen(ms: number) {
  const hours = Math.floor(ms / HOUR_MS)
  return hours < 1 ? '不足1小时' : `${hours >= 24 ? `${Math.floor(hours / 24)}天` : ''}${hours % 24}小时`
}

/** Requests a refund of the unused grants. Freezes these grants until another person decides. */
export async function requestRefund(ctx: Ctx, { id, rev, reason }: ParsedOf<typeof calls.refund>) {
  assertVendor(ctx)
  const { db, user, now } = ctx
  const order = await lockOrder(ctx, id)
  await assertOrderStepAllowed(ctx, order, rev, ORDER_STEP.refund)
  const grants = await grantsOf(db, id, true)
  const amount = computeRefundAmount(order.amount, grants, now.getTime())
  if (order.amount > 0 && amount === 0) throw conflict('套餐已没有可退的余量')
  await freeze(db, id)
  await db.insert(agentOrderRefunds).values({
    tenantId: order.tenantId,
    orderId: id,
    amount,
    reason,
    createBy: user.uid,
    createTime: now.toISOString(),
  })
  const action = `申请退款${formatFenAsYuan(amount)}元，原因：${reason}，订单`
  const { rev: next } = await saveStep(ctx, order, { state: ORDER_STATE_CODE.refunding }, action)
  return { rev: next, amount }
}

/** Approves or rejects a refund. Throws for the account that requested the refund. */
export async function reviewRefund(ctx: Ctx, { id, rev, pass, auditRemark }: ParsedOf<typeof calls.refundAudit>) {
  assertVendor(ctx)
  const { db, user, now } = ctx
  const order = await lockOrder(ctx, id)
  await assertOrderStepAllowed(ctx, order, rev, pass === 1 ? ORDER_STEP.approve : ORDER_STEP.reject)
  const isOpen = and(eq(agentOrderRefunds.orderId, id), eq(agentOrderRefunds.state, 0))
  const [refund] = await db.select().from(agentOrderRefunds).where(isOpen).for('update')
  if (refund!.createBy === user.uid) throw refused(OWN_REFUND_MESSAGE)
  await db
    .update(agentOrderRefunds)
    .set({ state: pass === 1 ? 1 : 2, auditBy: user.uid, auditTime: now.toISOString(), auditRemark })
    .where(isOpen)
  if (pass === 0) {
    const frozen = await readFrozenTime(ctx, refund!.id)
    await release(db, id, frozen, now)
    const action = `驳回退款（${auditRemark}），套餐期限顺延${formatFrozen(frozen.ms)}，订单`
    return saveStep(ctx, order, { state: ORDER_STATE_CODE.paid }, action)
  }
  await revokeGrants(ctx, order, refund!.reason)
  const done = { state: ORDER_STATE_CODE.refunded, refunded: refund!.amount }
  return saveStep(ctx, order, done, `同意退款${formatFenAsYuan(refund!.amount)}元`)
}

/** Revokes the open grants of an order, and adds their rest to the ledger as refunded. */
const revokeGrants = ({ db, user, now }: Ctx, order: StoredOrder, reason: string) =>
  db.execute(sql`
    with open as materialized (select id, remaining from agent_grants
      where order_id = ${order.id} and state < ${GRANT_STATE_CODE.used} order by id for update),
    done as (update agent_grants g set state = ${GRANT_STATE_CODE.revoked}, refunded = g.refunded + open.remaining, remaining = 0, is_frozen = 0
      from open where g.id = open.id returning g.id, g.tenant_id, g.order_id, open.remaining)
    insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day, oper_name, reason)
    select tenant_id, id, order_id, ${GRANT_LEDGER_CODE.refund}, remaining, ${now.toISOString()}::timestamptz::date,
      ${user.realname || user.account}::text, ${reason}::text
    from done where remaining > 0 order by id`)

/** A grant of an order, with times in milliseconds. */
interface RefundedGrant {
  readonly unit: number
  readonly isUnlimited: boolean
  readonly state: number
  readonly total: number
  readonly remaining: number
  readonly validDays: number
  readonly endsAt: number | null
}

interface Share {
  readonly part: bigint
  readonly whole: bigint
}

const DAY = 86_400_000
const lengthOf = ({ validDays }: RefundedGrant) => validDays * DAY

/** Returns the unused time of an unlimited grant in milliseconds. */
function unusedTime(grant: RefundedGrant, now: number) {
  if (grant.state === GRANT_STATE_CODE.waiting) return lengthOf(grant)
  if (grant.state !== GRANT_STATE_CODE.running) return 0
  return Math.min(Math.max(grant.endsAt! - now, 0), lengthOf(grant))
}

function unusedShare(grants: readonly RefundedGrant[], now: number): Share {
  let [part, whole] = [0n, 0n]
  for (const grant of grants) {
    part += BigInt(grant.isUnlimited ? unusedTime(grant, now) : grant.remaining)
    whole += BigInt(grant.isUnlimited ? lengthOf(grant) : grant.total)
  }
  return { part, whole }
}

const smaller = (a: Share, b: Share) => (b.part * a.whole < a.part * b.whole ? b : a)

/**
 * Returns the refund of an order in fen: the paid amount times the smallest unused share of its units, rounded down.
 * The unused share of an unlimited unit is its unused share of time. Returns 0 for an order without grants.
 */
export function computeRefundAmount(paid: number, grants: readonly RefundedGrant[], now: number): number {
  if (grants.length === 0) return 0
  const shares = [...Map.groupBy(grants, ({ unit }) => unit).values()].map((some) => unusedShare(some, now))
  const { part, whole } = shares.reduce(smaller)
  return Number((BigInt(paid) * part) / whole)
}
