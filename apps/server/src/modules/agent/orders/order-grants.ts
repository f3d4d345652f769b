import type { agentGrants as calls } from '@oms/contract/agent/orders/order-grant.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildOrder, paginate, within } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { toAllowanceUnits } from '#domain/agents/orders/units.ts'
import { visibleGrants } from '#domain/agents/orders/visible-orders.ts'
import { agentDevices } from '#schema/agent/agent-device.ts'
import { agentGrants, agentLedger, agentOrders } from '#schema/agent/agent-orders.ts'
import { devices } from '#schema/device.ts'
import { tenants } from '#schema/tenant.ts'

const ISSUED = 1

/** Grants that a device may spend: its own, those of its agent and those of its tenant. */
function ofDevice({ db, user }: Ctx, deviceId: number): SQL | undefined {
  const mine = db
    .select({ agentId: agentDevices.agentId })
    .from(agentDevices)
    .where(and(eq(agentDevices.deviceId, deviceId), scoped(user, { tenant: agentDevices.tenantId })))
  const owner = db
    .select({ tenantId: devices.tenantId })
    .from(devices)
    .where(and(eq(devices.id, deviceId), scoped(user, { tenant: devices.tenantId })))
  return or(
    and(eq(agentGrants.scope, 1), eq(agentGrants.targetId, deviceId)),
    and(eq(agentGrants.scope, 2), sql`${agentGrants.targetId} in ${mine}`),
    and(eq(agentGrants.scope, 3), sql`${agentGrants.targetId} in ${owner}`),
  )
}

type Filter = Pick<ParsedOf<typeof calls.list>, 'orderId' | 'tenantId' | 'deviceId' | 'target' | 'unit'>

const matching = (ctx: Ctx, { orderId, tenantId, deviceId, target, unit }: Filter) =>
  and(
    visibleGrants(ctx.user),
    orderId === undefined ? undefined : eq(agentGrants.orderId, orderId),
    tenantId === undefined ? undefined : eq(agentGrants.tenantId, tenantId),
    deviceId === undefined ? undefined : ofDevice(ctx, deviceId),
    unit === undefined ? undefined : eq(agentGrants.unit, unit),
    contains(agentGrants.targetName, target),
  )

const selectGrants = (db: Db) =>
  db
    .select({
      id: agentGrants.id,
      orderId: agentGrants.orderId,
      orderNo: sql<string>`coalesce(${agentOrders.orderNo}, '')`.as('order_no'),
      tenantId: agentGrants.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      packageName: sql<string>`coalesce(${agentOrders.packageName}, '')`.as('package_name'),
      scope: agentGrants.scope,
      targetId: agentGrants.targetId,
      targetName: agentGrants.targetName,
      packNo: agentGrants.packNo,
      unit: agentGrants.unit,
      isUnlimited: agentGrants.isUnlimited,
      total: agentGrants.total,
      left: agentGrants.remaining,
      spent: agentGrants.spent,
      lapsed: agentGrants.lapsed,
      refunded: agentGrants.refunded,
      state: agentGrants.state,
      isFrozen: agentGrants.isFrozen,
      activateUntil: agentGrants.activateUntil,
      beginTime: agentGrants.beginTime,
      validUntil: agentGrants.validUntil,
      createTime: agentGrants.createTime,
    })
    .from(agentGrants)
    .leftJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId))
    .leftJoin(tenants, eq(tenants.id, agentGrants.tenantId))

export async function listGrants(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db } = ctx
  const rows = selectGrants(db).where(
    and(matching(ctx, input), input.state === undefined ? undefined : eq(agentGrants.state, input.state)),
  )
  const { createTime, validUntil, activateUntil } = agentGrants
  const page = await paginate(
    db,
    rows.$dynamic(),
    input,
    buildOrder(input, { createTime, validUntil, activateUntil }, agentGrants.id),
  )
  return { ...page, list: page.list.map(presentGrant) }
}

function presentGrant<T extends Record<'unit' | 'total' | 'left' | 'spent' | 'lapsed' | 'refunded', number>>(row: T) {
  const of = (amount: number) => toAllowanceUnits(row.unit, amount)
  const { total, left, spent, lapsed, refunded } = row
  return { ...row, total: of(total), left: of(left), spent: of(spent), lapsed: of(lapsed), refunded: of(refunded) }
}

const selectLines = (db: Db) =>
  db
    .select({
      id: agentLedger.id,
      grantId: agentLedger.grantId,
      orderNo: sql<string>`coalesce(${agentOrders.orderNo}, '')`.as('order_no'),
      targetName: agentGrants.targetName,
      packNo: agentGrants.packNo,
      unit: agentGrants.unit,
      kind: agentLedger.kind,
      amount: agentLedger.amount,
      day: agentLedger.day,
      operName: agentLedger.operName,
      reason: agentLedger.reason,
      createTime: agentLedger.createTime,
    })
    .from(agentLedger)
    .innerJoin(agentGrants, eq(agentGrants.id, agentLedger.grantId))
    .leftJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId))

export async function listLedger(ctx: Ctx, input: ParsedOf<typeof calls.ledger>) {
  const { db, user } = ctx
  const { grantId, kind, beginTime, endTime } = input
  const rows = selectLines(db).where(
    and(
      matching(ctx, input),
      scoped(user, { tenant: agentLedger.tenantId }),
      grantId === undefined ? undefined : eq(agentLedger.grantId, grantId),
      kind === undefined ? undefined : eq(agentLedger.kind, kind),
      ...within(agentLedger.createTime, beginTime, endTime),
    ),
  )
  const page = await paginate(
    db,
    rows.$dynamic(),
    input,
    buildOrder(input, { createTime: agentLedger.createTime }, agentLedger.id),
  )
  const signed = (row: (typeof page.list)[number]) => {
    const amount = toAllowanceUnits(row.unit, row.amount)
    return { ...row, amount: row.kind === ISSUED || amount === 0 ? amount : -amount }
  }
  return { ...page, list: page.list.map(signed) }
}
