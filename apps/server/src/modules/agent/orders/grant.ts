import { ORDER_STATE_CODE } from '@oms/contract/agent/orders/order-entities.ts'
import {
  agentGrants as calls,
  AgentGrantRow,
  AgentLedgerRow,
  GRANT_LEDGER_CODE,
  GRANT_STATE_CODE,
} from '@oms/contract/agent/orders/order-grant.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, gte, lte, or, type SQL, sql, lt } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, among } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { blocksDeviceDeletion } from '#modules/device/device-references.ts'
import { devices } from '#modules/device/schema.ts'
import { agentDevices } from '../schema/agent-device.ts'
import {
  agentGrants,
  agentLedger,
  agentOrders,
  agentOrderTargets,
  agentProductVersions,
} from '../schema/agent-orders.ts'
import { visibleGrants } from './order-steps.ts'
import { MINUTES, presentAmounts, toAllowanceUnits } from './order.ts'

/** Grants that a device may spend: its own, those of its agent and those of its tenant. */
function ofDevice(db: Db, user: User, deviceId: number): SQL | undefined {
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

type GrantFilter = ParsedOf<typeof calls.export>
type LedgerFilter = ParsedOf<typeof calls.exportLedger>
type Filter = Pick<GrantFilter & LedgerFilter, 'orderId' | 'tenantId' | 'deviceId' | 'target' | 'unit'>

const matching = (db: Db, user: User, { orderId, tenantId, deviceId, target, unit }: Filter) =>
  and(
    visibleGrants(user),
    orderId === undefined ? undefined : eq(agentGrants.orderId, orderId),
    tenantId === undefined ? undefined : eq(agentGrants.tenantId, tenantId),
    deviceId === undefined ? undefined : ofDevice(db, user, deviceId),
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

type GrantConditions = Omit<GrantFilter, 'format' | 'columns'>

const grantsMatching = (db: Db, user: User, input: GrantConditions) =>
  and(
    matching(db, user, input),
    input.state === undefined ? undefined : eq(agentGrants.state, input.state),
    ...within(agentGrants.validUntil, input.validFrom, input.validTo),
  )

const { createTime, validUntil, activateUntil } = agentGrants
const orderOfGrants = (input: Pick<GrantConditions, 'orderByColumn' | 'isAsc'>) =>
  buildSort(input, { createTime, validUntil, activateUntil }, agentGrants.id)

export async function listGrants({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = selectGrants(db).where(grantsMatching(db, user, input))
  const page = await paginate(db, rows.$dynamic(), input, orderOfGrants(input))
  return { ...page, list: page.list.map(presentAmounts) }
}

/**
 * SQL sum of the earlier lines of the same grant and kind, in base units. Always 0 for other units than minutes,
 * because only minutes are rounded.
 */
const earlierAmount = sql<number>`case when ${agentGrants.unit} = ${MINUTES} then (select coalesce(sum(e.amount), 0)
  from ${agentLedger} e where e.grant_id = ${agentLedger.grantId} and e.kind = ${agentLedger.kind}
    and e.id < ${agentLedger.id})::float8 else 0 end`

const selectLines = (db: Db) =>
  db
    .select({
      id: agentLedger.id,
      grantId: agentLedger.grantId,
      orderNo: sql<string>`coalesce(${agentOrders.orderNo}, '')`.as('order_no'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      packageName: sql<string>`coalesce(${agentOrders.packageName}, '')`.as('package_name'),
      targetName: agentGrants.targetName,
      packNo: agentGrants.packNo,
      unit: agentGrants.unit,
      kind: agentLedger.kind,
      amount: agentLedger.amount,
      carried: earlierAmount.as('carried'),
      day: agentLedger.day,
      operName: agentLedger.operName,
      reason: agentLedger.reason,
      createTime: agentLedger.createTime,
    })
    .from(agentLedger)
    .innerJoin(agentGrants, eq(agentGrants.id, agentLedger.grantId))
    .leftJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId))
    .leftJoin(tenants, eq(tenants.id, agentLedger.tenantId))

type LedgerConditions = Omit<LedgerFilter, 'format' | 'columns'>

const linesMatching = (db: Db, user: User, input: LedgerConditions) =>
  and(
    matching(db, user, input),
    scoped(user, { tenant: agentLedger.tenantId }),
    input.grantId === undefined ? undefined : eq(agentLedger.grantId, input.grantId),
    input.kind === undefined ? undefined : eq(agentLedger.kind, input.kind),
    input.startDate === undefined ? undefined : gte(agentLedger.day, input.startDate),
    input.endDate === undefined ? undefined : lte(agentLedger.day, input.endDate),
  )

const orderOfLines = (input: Pick<LedgerConditions, 'orderByColumn' | 'isAsc'>) =>
  buildSort(input, { day: agentLedger.day, createTime: agentLedger.createTime }, agentLedger.id)

/**
 * Returns the ledger line with its amount in the unit of the grant. Rounds minutes as the difference of two rounded
 * sums, so that the shown lines add up to the shown total of the grant.
 */
function presentLine<T extends Record<'unit' | 'amount' | 'kind' | 'carried', number>>({ carried, ...row }: T) {
  const sum = toAllowanceUnits(row.unit, carried + row.amount)
  const amount = Math.round((sum - toAllowanceUnits(row.unit, carried)) * 100) / 100
  return { ...row, amount: row.kind === GRANT_LEDGER_CODE.issue || amount === 0 ? amount : -amount }
}

export async function listLedger({ db, user }: Ctx, input: ParsedOf<typeof calls.ledger>) {
  const rows = selectLines(db).where(linesMatching(db, user, input))
  const page = await paginate(db, rows.$dynamic(), input, orderOfLines(input))
  return { ...page, list: page.list.map(presentLine) }
}

const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

export const exportGrants = defineExport({
  kind: 'agentGrant',
  endpoint: calls.export,
  sheet: '套餐权益',
  schema: AgentGrantRow,
  columns: [
    ['orderNo', { width: 20 }],
    ['tenantName', { width: 28 }],
    ['packageName', { width: 24 }],
    ['scope', { width: 12 }],
    ['targetName', { width: 24 }],
    ['packNo', number],
    ['unit', { width: 12 }],
    ['isUnlimited', { width: 8 }],
    ['total', number],
    ['left', number],
    ['spent', number],
    ['lapsed', number],
    ['refunded', number],
    ['state', { width: 10 }],
    ['isFrozen', { width: 8 }],
    ['activateUntil', time],
    ['beginTime', time],
    ['validUntil', time],
    ['createTime', time],
  ],
  key: agentGrants.id,
  join: (query) => query.leftJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId)),
  where: (user, input, { db }) => grantsMatching(db, user, input),
  order: orderOfGrants,
  load: async (db, _user, where) => (await selectGrants(db).where(where)).map(presentAmounts),
  keyOf: ({ id }) => id,
})

export const exportLedger = defineExport({
  kind: 'agentLedger',
  endpoint: calls.exportLedger,
  sheet: '套餐流水',
  schema: AgentLedgerRow,
  columns: [
    ['orderNo', { width: 20 }],
    ['tenantName', { width: 28 }],
    ['packageName', { width: 24 }],
    ['targetName', { width: 24 }],
    ['packNo', number],
    ['unit', { width: 12 }],
    ['kind', { width: 8 }],
    ['amount', number],
    ['day', { width: 12 }],
    ['operName', { width: 14 }],
    ['reason', { width: 32 }],
    ['createTime', time],
  ],
  key: agentLedger.id,
  join: (query) =>
    query
      .innerJoin(agentGrants, eq(agentGrants.id, agentLedger.grantId))
      .leftJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId)),
  where: (user, input, { db }) => linesMatching(db, user, input),
  order: orderOfLines,
  load: async (db, _user, where) => (await selectLines(db).where(where)).map(presentLine),
  keyOf: ({ id }) => id,
})

const REFUSES = '1'

/**
 * Returns the devices that must not be transferred, because `order.device_transfer` forbids the transfer of devices
 * with open grants or pending orders.
 */
export async function listDevicesKeepingGrants(
  { db, services }: Pick<Ctx, 'db' | 'services'>,
  deviceIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const parameters = await services.agentParameters.of(PLATFORM_TENANT_ID)
  if (parameters.text('order.device_transfer') !== REFUSES) return new Set()
  const rows = [...(await countOpenPacks(db, 1, deviceIds)), ...(await countPendingOrders(db, 1, deviceIds))]
  return new Set(rows.map(({ targetId }) => targetId))
}

/**
 * Assigns the grants of transferred devices to the receiving tenant. Locks the grants in the order of ids, as spending
 * does.
 */
export async function transferGrants(db: Db, deviceIds: readonly number[], tenantId: number) {
  const mine = and(eq(agentGrants.scope, 1), among(agentGrants.targetId, deviceIds))
  await db.select({ id: agentGrants.id }).from(agentGrants).where(mine).orderBy(agentGrants.id).for('update')
  await db.update(agentGrants).set({ tenantId }).where(mine)
}

/** 1 device, 2 agent. */
type Scope = 1 | 2

/** Counts the packs with open grants of each target. Targets without open grants are absent. */
export const countOpenPacks = (db: Db, scope: Scope, targetIds: readonly number[]) =>
  db
    .select({ targetId: agentGrants.targetId, n: sql<number>`count(distinct (order_id, pack_no))::int` })
    .from(agentGrants)
    .where(
      and(
        eq(agentGrants.scope, scope),
        among(agentGrants.targetId, targetIds),
        lt(agentGrants.state, GRANT_STATE_CODE.used),
      ),
    )
    .groupBy(agentGrants.targetId)

/** Counts the pending orders of each target. Targets without pending orders are absent. */
export const countPendingOrders = (db: Db, scope: Scope, targetIds: readonly number[]) =>
  db
    .select({ targetId: agentOrderTargets.targetId, n: sql<number>`count(*)::int` })
    .from(agentOrders)
    .innerJoin(
      agentProductVersions,
      and(eq(agentProductVersions.id, agentOrders.packageVersionId), eq(agentProductVersions.scope, scope)),
    )
    .innerJoin(
      agentOrderTargets,
      and(eq(agentOrderTargets.orderId, agentOrders.id), among(agentOrderTargets.targetId, targetIds)),
    )
    .where(eq(agentOrders.state, ORDER_STATE_CODE.pending))
    .groupBy(agentOrderTargets.targetId)

const toDevices = (rows: readonly { targetId: number; n: number }[]) =>
  rows.map(({ targetId, n }) => ({ deviceId: targetId, n }))
blocksDeviceDeletion('未用完的智能体套餐', async (db, ids) => toDevices(await countOpenPacks(db, 1, ids)))
blocksDeviceDeletion('待确认的智能体订单', async (db, ids) => toDevices(await countPendingOrders(db, 1, ids)))
