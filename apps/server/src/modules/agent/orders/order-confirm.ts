import {
  FREE_PAY_WAY,
  GIFT_PAY_WAY,
  ORDER_STATE_CODE,
  OWN_ORDER_MESSAGE,
} from '@oms/contract/agent/orders/order-entities.ts'
import { GRANT_LEDGER_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import type { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { files } from '#core/schema/system.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { devices } from '#modules/device/schema.ts'
import { agentOrders, agentProductVersions } from '../schema/agent-orders.ts'
import { agents } from '../schema/agent.ts'
import {
  ORDER_STEP,
  assertOrderStepAllowed,
  assertVendor,
  lockOrder,
  saveStep,
  type StoredOrder,
} from './order-steps.ts'
import { convertToBaseUnits } from './order.ts'

const DEVICE_SCOPE = 1
const TENANT_SCOPE = 3

type Input = ParsedOf<typeof calls.confirm>

/**
 * Returns the way of payment and the voucher of an order. Throws for a sale without a way of payment or a voucher, and
 * for a voucher of another order.
 */
async function paymentOf({ db }: Ctx, order: StoredOrder, { payWay, voucherNo }: Input) {
  if (order.payWay === GIFT_PAY_WAY) return { payWay: GIFT_PAY_WAY, voucherNo: '' }
  if (order.amount === 0) return { payWay: FREE_PAY_WAY, voucherNo: '' }
  const problems = new FieldProblems()
  if (payWay === undefined) problems.add('payWay', '请选择收款方式')
  if (voucherNo === '') problems.add('voucherNo', '请输入凭证号')
  problems.throwIfAny()
  // Serializes confirmations with the same voucher, so that the second one names the order of the first one.
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`agent-voucher ${voucherNo}`}, 0))`)
  const [other] = await db
    .select({ orderNo: agentOrders.orderNo })
    .from(agentOrders)
    .where(and(eq(agentOrders.voucherNo, voucherNo), ne(agentOrders.id, order.id)))
  if (other) throw conflict(`凭证号已用于订单 ${other.orderNo}`, 'voucherNo')
  return { payWay: payWay!, voucherNo }
}

/**
 * Returns the uploaded voucher files with their names. Assigns them to the tenant of the order, whose staff may open the
 * voucher of its payment.
 */
async function claimVoucherFiles({ db, user, now }: Ctx, { tenantId }: StoredOrder, ids: readonly string[]) {
  if (ids.length === 0) return []
  const isOwn = and(inArray(files.id, [...ids]), eq(files.uid, user.uid), eq(files.purpose, 'agentVoucher'))
  const rows = await db
    .update(files)
    .set({ tenantId, usedTime: now.toISOString() })
    .where(and(isOwn, isNull(files.usedTime)))
    .returning({ id: files.id, name: files.name })
  const nameById = new Map(rows.map(({ id, name }) => [id, name]))
  return [...new Set(ids)].map((id) => {
    const name = nameById.get(id)
    if (name === undefined) throw invalid('凭证文件不存在，请重新上传', 'voucherFiles')
    return { id, name }
  })
}

/**
 * Records the payment of an order and creates its grants. Repeating the call with the same voucher changes nothing,
 * even with an old revision. Simultaneous confirmations therefore record one payment.
 */
export async function confirmOrder(ctx: Ctx, input: Input) {
  assertVendor(ctx)
  const { user, now } = ctx
  const order = await lockOrder(ctx, input.id)
  const isRepeated =
    order.state === ORDER_STATE_CODE.paid && order.voucherNo !== '' && order.voucherNo === input.voucherNo
  if (isRepeated) {
    ctx.audit({ bizType: 'agentOrder', bizId: order.id, action: `重复确认收款 ${order.orderNo}，未改变` })
    return { rev: order.rev }
  }
  await assertOrderStepAllowed(ctx, order, input.rev, ORDER_STEP.confirm)
  if (order.createBy === user.uid) throw refused(OWN_ORDER_MESSAGE)
  await requireReceivingTenant(ctx, order.tenantId)
  const problems = new FieldProblems()
  const payment = await problems.collect(() => paymentOf(ctx, order, input))
  const voucherFiles = await problems.collect(() => claimVoucherFiles(ctx, order, input.voucherFiles))
  problems.throwIfAny()
  const terms = await readTerms(ctx, order)
  await assertTargetsRemain(ctx, order, terms.scope)
  await issueGrants(ctx, order, terms)
  const paid = {
    ...payment!,
    voucherFiles: voucherFiles!,
    state: ORDER_STATE_CODE.paid,
    payBy: user.uid,
    payTime: now.toISOString(),
  }
  return saveStep(ctx, order, paid, actionOf(paid.payWay, order.amount))
}

const actionOf = (payWay: number, amount: number) =>
  payWay === GIFT_PAY_WAY
    ? '确认赠送'
    : payWay === FREE_PAY_WAY
      ? '确认免费订单'
      : `确认收款${formatFenAsYuan(amount)}元`

type Terms = typeof agentProductVersions.$inferSelect

async function readTerms({ db }: Ctx, { packageVersionId }: StoredOrder): Promise<Terms> {
  const [terms] = await db.select().from(agentProductVersions).where(eq(agentProductVersions.id, packageVersionId))
  return terms!
}

const MAX_NAMES = 3

/**
 * Refuses an order whose devices or agents were deleted or left the tenant after the order was created. Locks the
 * targets, so that no transfer or deletion happens before the grants exist.
 */
async function assertTargetsRemain({ db }: Ctx, { id, tenantId }: StoredOrder, scope: number) {
  if (scope === TENANT_SCOPE) return
  const isDevice = scope === DEVICE_SCOPE
  const { rows } = await db.execute<{ name: string; n: number }>(sql`
    with held as materialized (select x.id from ${isDevice ? devices : agents} x
        join agent_order_targets t on t.target_id = x.id and t.order_id = ${id}
      where x.tenant_id = ${tenantId} and x.deleted_at is null order by x.id for share of x)
    select name, (count(*) over ())::int as n from agent_order_targets
    where order_id = ${id} and target_id not in (select id from held) order by line limit ${MAX_NAMES}`)
  const [first] = rows
  if (!first) return
  const names = rows.map(({ name }) => `「${name}」`).join('')
  const more = first.n > rows.length ? `等${first.n}个` : ''
  const reason = isDevice ? '已删除或已转移给其他客户' : '已删除'
  throw conflict(`${isDevice ? '设备' : '智能体'}${names}${more}${reason}，请编辑或关闭订单`)
}

/** Creates a grant for each target, copy and allowance, with its issue line in the ledger. */
async function issueGrants(ctx: Ctx, order: StoredOrder, terms: Terms) {
  const { db, now, user } = ctx
  const { allowances, scope, activateDays, validDays, isTrial } = terms
  if (isTrial === 1) await claimTrials(ctx, order)
  const units = allowances.map(({ unit, amount }) => ({ unit, total: amount * convertToBaseUnits(unit) }))
  const at = now.toISOString()
  await db.execute(sql`
    with issued as (
      insert into agent_grants (tenant_id, order_id, scope, target_id, target_name, pack_no, unit, is_unlimited, total, remaining,
        valid_days, activate_until, create_time)
      select t.tenant_id, t.order_id, ${scope}, t.target_id, t.name, p, u.unit, (u.total = 0)::int, u.total, u.total, ${validDays},
        ${at}::timestamptz + make_interval(hours => 24 * (${activateDays} + (p - 1) * ${validDays})), ${at}::timestamptz
      from agent_order_targets t cross join generate_series(1, ${order.copies}::int) p
        cross join json_to_recordset(${JSON.stringify(units)}::json) as u (unit smallint, total bigint)
      where t.order_id = ${order.id} order by t.line, p, u.unit
      returning *)
    insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day, oper_name, create_time)
    select tenant_id, id, order_id, ${GRANT_LEDGER_CODE.issue}, total, ${at}::timestamptz::date, ${user.realname || user.account}::text, ${at}::timestamptz
    from issued order by id`)
}

/** Records that the devices of the order received a trial. Throws when a device received a trial before. */
async function claimTrials({ db }: Ctx, order: StoredOrder) {
  const { rows } = await db.execute<{ sn: string }>(sql`
    with wanted as (select d.sn, d.mac from agent_order_targets t join devices d on d.id = t.target_id where t.order_id = ${order.id}),
    claimed as (insert into agent_trials (sn, tenant_id, mac, order_id)
      select sn, ${order.tenantId}::int, mac, ${order.id}::int from wanted order by sn on conflict do nothing returning sn)
    select sn from wanted where sn not in (select sn from claimed) order by sn limit 20`)
  if (rows.length > 0) throw conflict(`设备${rows.map(({ sn }) => `「${sn}」`).join('')}已领取过试用`)
}
