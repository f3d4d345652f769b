import { ORDER_STATE_CODE, ORDER_STATE } from '@oms/contract/agent/orders/order-entities.ts'
import {
  ADJUST_DIRECTION_CODE,
  ADJUST_DIRECTION,
  type agentGrants as calls,
  findAdjustProblem,
  GRANT_LEDGER_CODE,
} from '@oms/contract/agent/orders/order-grant.ts'
import { ALLOWANCE_UNIT, MAX_AMOUNT } from '@oms/contract/agent/packages/package-terms.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { adjustBalance } from '#domain/agents/orders/adjust-balance.ts'
import { convertToBaseUnits, toAllowanceUnits } from '#domain/agents/orders/units.ts'
import { visibleGrants } from '#domain/agents/orders/visible-orders.ts'
import { agentGrants, agentOrders } from '#schema/agent/agent-orders.ts'
import { assertVendor, lockOrder, publishOrders } from './order-log.ts'

type Input = ParsedOf<typeof calls.adjust>

interface LockedGrant extends Record<string, unknown> {
  readonly tenantId: number
  readonly targetName: string
  readonly packNo: number
  readonly unit: number
  readonly isUnlimited: number
  readonly isFrozen: number
  readonly state: number
  readonly total: number
  readonly remaining: number
  /** Begin of the pack in milliseconds: of the grant, else of another grant of the same pack. */
  readonly beginsAt: number | null
  /** Last time at which the grant may be used, or may begin, in milliseconds. */
  readonly endsAt: number
}

/** Returns the order of a grant in the data scope of the account. Locks the order before the grant, as a refund does. */
async function lockOrderOf(ctx: Ctx, grantId: number) {
  const [found] = await ctx.db
    .select({ orderId: agentGrants.orderId })
    .from(agentGrants)
    .innerJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId))
    .where(and(eq(agentGrants.id, grantId), visibleGrants(ctx.user)))
  if (!found) throw notFound('权益')
  return lockOrder(ctx, found.orderId)
}

async function lockGrant({ db }: Ctx, id: number) {
  const { rows } = await db.execute<LockedGrant>(sql`
    select g.tenant_id as "tenantId", target_name as "targetName", pack_no as "packNo", unit, is_unlimited as "isUnlimited",
      is_frozen as "isFrozen", state, total::float8 as total, remaining::float8 as remaining,
      extract(epoch from coalesce(begin_time, p.begins))::float8 * 1000 as "beginsAt",
      extract(epoch from coalesce(valid_until, p.ends, activate_until))::float8 * 1000 as "endsAt"
    from agent_grants g left join lateral (select min(begin_time) as begins, min(valid_until) as ends from agent_grants s
      where s.order_id = g.order_id and s.target_id = g.target_id and s.pack_no = g.pack_no) p on true
    where g.id = ${id} for update of g`)
  return rows[0]!
}

/** Returns the change in base units. The amount that the screen shows as left stands for the whole rest. */
function changeOf({ unit, total, remaining }: LockedGrant, { direction, amount }: Input) {
  const base = convertToBaseUnits(unit)
  if (base === 1 && !Number.isInteger(amount)) throw invalid('数量应为整数', 'amount')
  const change = Math.round(amount * base)
  if (direction === ADJUST_DIRECTION_CODE.increase) {
    if (total + change > MAX_AMOUNT * base) throw invalid('调整后的总量过大', 'amount')
    return change
  }
  return amount === toAllowanceUnits(unit, remaining) ? -remaining : -change
}

/**
 * Changes the balance of a grant by a positive or negative amount, and adds the change to the ledger. Increases a used
 * grant only before its end. A change is relative, so two persons who adjust the same grant lose no change.
 */
export async function adjustGrant(ctx: Ctx, input: Input) {
  assertVendor(ctx)
  const order = await lockOrderOf(ctx, input.id)
  if (order.state !== ORDER_STATE_CODE.paid)
    throw refused(`订单${ORDER_STATE[order.state as keyof typeof ORDER_STATE]}，只有已支付的订单可以调整余量`)
  const grant = await lockGrant(ctx, input.id)
  const problem = findAdjustProblem(grant)
  if (problem) throw refused(problem)
  if (grant.endsAt <= ctx.now.getTime()) throw refused('权益已过期，不能调整')
  const [before, change] = [toAllowanceUnits(grant.unit, grant.remaining), changeOf(grant, input)]
  const next = adjustBalance(grant, change)
  if (!next) throw invalid(`最多减少${before.toLocaleString('en-US')}`, 'amount')
  await saveBalance(ctx, grant, { ...input, change, ...next })
  const left = toAllowanceUnits(grant.unit, next.remaining)
  ctx.audit({
    bizType: 'agentOrder',
    bizId: order.id,
    action: `${actionOf(grant, input)}，订单 ${order.orderNo}`,
    diff: [{ field: 'remaining', title: '剩余', from: before, to: left }],
  })
  await publishOrders(ctx, grant.tenantId)
  return { left, total: toAllowanceUnits(grant.unit, grant.total + change) }
}

const actionOf = ({ targetName, packNo, unit }: LockedGrant, { direction, amount, reason }: Input) =>
  `调整余量：${targetName} 第${packNo}份 ${ALLOWANCE_UNIT[unit as 1]}${ADJUST_DIRECTION[direction]}${amount}（${reason}）`

interface Change extends Input {
  readonly change: number
  readonly state: number
  readonly remaining: number
}

/**
 * Saves the balance with its ledger line. A larger balance allows the warnings of 20 and 5 percent again, as far as
 * the balance is above these shares.
 */
async function saveBalance({ db, user, now }: Ctx, { beginsAt, endsAt }: LockedGrant, of: Change) {
  const total = sql`total + ${of.change}::bigint`
  const times =
    of.remaining > 0 && beginsAt !== null
      ? sql`begin_time = coalesce(begin_time, to_timestamp(${beginsAt}::float8 / 1000)),
          valid_until = coalesce(valid_until, to_timestamp(${endsAt}::float8 / 1000)),`
      : sql``
  await db.execute(sql`
    with done as (update agent_grants set total = ${total}, remaining = ${of.remaining}::bigint,
        adjusted = adjusted + ${of.change}::bigint, state = ${of.state}, ${times}
        warned_share = case
          when ${of.remaining}::bigint * 20 <= ${total}
            then case when warned_share = 0 and ${of.remaining}::bigint > 0 then 5 else warned_share end
          when ${of.remaining}::bigint * 5 <= ${total} and warned_share is not null then 20 end
      where id = ${of.id} returning *)
    insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day, oper_name, reason, create_time)
    select tenant_id, id, order_id, ${GRANT_LEDGER_CODE.adjust}, ${of.change}::bigint, ${now.toISOString()}::timestamptz::date,
      ${user.realname || user.account}::text, ${of.reason}::text, ${now.toISOString()}::timestamptz
    from done`)
}
