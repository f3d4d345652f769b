import { OrderRow, type OrderDetail } from '@oms/contract/agent/orders/order-entities.ts'
import { type agentOrders as calls, agentOrders as contract } from '@oms/contract/agent/orders/order.ts'
import { formatAllowance, balanceText } from '@oms/contract/agent/packages/package-terms.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type AnyColumn, and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { agentOrderRefunds, agentOrders, agentOrderTargets, agentProductVersions } from '../schema/agent-orders.ts'
import { computeRefundProposal } from './order-refund.ts'
import { isAwaitingConfirmation, isAwaitingRefundAudit, isOwnRefund, visibleOrders } from './order-steps.ts'

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

/** Name of an account on screens; empty for jobs. */
const nameOf = (uid: AnyColumn) =>
  sql<string>`coalesce((select coalesce(nullif(a.realname, ''), a.account) from accounts a where a.uid = ${uid}), '')`

const isOf = (user: User, uid: AnyColumn) => sql<boolean>`coalesce(${uid} = ${user.uid}, false)`

const termsColumns = {
  version: agentProductVersions.version,
  allowances: agentProductVersions.allowances,
  scope: agentProductVersions.scope,
  isTrial: agentProductVersions.isTrial,
  activateDays: agentProductVersions.activateDays,
  validDays: agentProductVersions.validDays,
}

const selectOrders = (db: Db, user: User) =>
  db
    .select({
      id: agentOrders.id,
      orderNo: agentOrders.orderNo,
      tenantId: agentOrders.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      packageId: agentOrders.packageId,
      packageName: agentOrders.packageName,
      ...termsColumns,
      targetName: sql<string>`coalesce((select t.name from agent_order_targets t
        where t.order_id = ${agentOrders.id} and t.line = 1), '')`.as('target_name'),
      targetCount: agentOrders.targetCount,
      copies: agentOrders.copies,
      unitPrice: agentOrders.unitPrice,
      discount: agentOrders.discount,
      amount: agentOrders.amount,
      refunded: agentOrders.refunded,
      state: agentOrders.state,
      payWay: agentOrders.payWay,
      voucherNo: agentOrders.voucherNo,
      storedFiles: agentOrders.voucherFiles,
      validUntil: sql<string | null>`(select to_char(max(g.valid_until), 'YYYY-MM-DD HH24:MI:SS') from agent_grants g
        where g.order_id = ${agentOrders.id})`.as('valid_until'),
      createName: nameOf(agentOrders.createBy).as('create_name'),
      createTime: agentOrders.createTime,
      payName: nameOf(agentOrders.payBy).as('pay_name'),
      payTime: agentOrders.payTime,
      discountReason: agentOrders.discountReason,
      closeReason: agentOrders.closeReason,
      closeTime: agentOrders.closeTime,
      finishTime: agentOrders.finishTime,
      remark: agentOrders.remark,
      isMine: isOf(user, agentOrders.createBy).as('is_mine'),
      isMyRefund: isOwnRefund(user).as('is_my_refund'),
      rev: agentOrders.rev,
    })
    .from(agentOrders)
    .innerJoin(agentProductVersions, eq(agentProductVersions.id, agentOrders.packageVersionId))
    .leftJoin(tenants, eq(tenants.id, agentOrders.tenantId))
type Selected = Awaited<ReturnType<typeof selectOrders>>[number]

/** Returns a row of the list, which contains no voucher files. The details add the voucher files. */
const present = ({ allowances, ...row }: Selected) => ({
  ...row,
  storedFiles: undefined,
  content: allowances.map(formatAllowance).join('、'),
})

/** Conditions by value of the filter `todo`: orders and refunds that wait for a decision of the account. */
const TODO = { 1: isAwaitingConfirmation, 2: isAwaitingRefundAudit } as const

function conditionsOf(user: User, filter: Filter): SQL | undefined {
  const { orderNo, voucherNo, packageName, target, tenantId, packageId, scope, state, payWay, todo } = filter
  const hasTarget = target
    ? sql`exists (select from agent_order_targets t where t.order_id = ${agentOrders.id} and ${contains(sql`t.name`, target)})`
    : undefined
  const hasScope = sql`exists (select from agent_product_versions v where v.id = ${agentOrders.packageVersionId} and v.scope = ${scope})`
  return and(
    visibleOrders(user),
    contains(agentOrders.orderNo, orderNo),
    contains(agentOrders.voucherNo, voucherNo),
    contains(agentOrders.packageName, packageName),
    hasTarget,
    tenantId === undefined ? undefined : eq(agentOrders.tenantId, tenantId),
    packageId === undefined ? undefined : eq(agentOrders.packageId, packageId),
    scope === undefined ? undefined : hasScope,
    state === undefined ? undefined : eq(agentOrders.state, state),
    payWay === undefined ? undefined : eq(agentOrders.payWay, payWay),
    todo === undefined ? undefined : TODO[todo](user),
    ...within(agentOrders.createTime, filter.beginTime, filter.endTime),
  )
}

const SORTS = { createTime: agentOrders.createTime, payTime: agentOrders.payTime, amount: agentOrders.amount }
const sortOf = (input: Pick<Filter, 'orderByColumn' | 'isAsc'>) => buildSort(input, SORTS, agentOrders.id)

export async function listOrders({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = selectOrders(db, user).where(conditionsOf(user, input)).$dynamic()
  const page = await paginate(db, rows, input, sortOf(input))
  return { ...page, list: await withBalances({ db, user }, page.list.map(present)) }
}

const MAX_REFUNDS = 100

const refundsOf = ({ db, user }: Ctx, orderId: number) =>
  db
    .select({
      id: agentOrderRefunds.id,
      amount: agentOrderRefunds.amount,
      state: agentOrderRefunds.state,
      reason: agentOrderRefunds.reason,
      createName: nameOf(agentOrderRefunds.createBy).as('create_name'),
      createTime: agentOrderRefunds.createTime,
      auditName: nameOf(agentOrderRefunds.auditBy).as('audit_name'),
      auditTime: agentOrderRefunds.auditTime,
      auditRemark: agentOrderRefunds.auditRemark,
      isMine: isOf(user, agentOrderRefunds.createBy).as('is_mine'),
    })
    .from(agentOrderRefunds)
    .where(eq(agentOrderRefunds.orderId, orderId))
    .orderBy(desc(agentOrderRefunds.id))
    .limit(MAX_REFUNDS)

export async function getOrder(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const [found] = await selectOrders(db, user).where(and(eq(agentOrders.id, id), visibleOrders(user)))
  if (!found) throw notFound('订单')
  // Grants of transferred devices belong to another tenant, and still belong to the order.
  const { units, proposal } = await withoutRowSecurity(ctx, async (all) => ({
    units: (await readBalances(all, [id])).get(id) ?? [],
    proposal: await computeRefundProposal({ ...ctx, db: all }, found),
  }))
  return {
    ...present(found),
    ...summarizeBalances(units),
    voucherFiles: found.storedFiles.map((file) => ({ name: file.name, url: `/api/v1/file/${file.id}` })),
    units,
    refunds: await refundsOf(ctx, id),
    proposal,
  }
}

export async function listTargets({ db, user }: Ctx, { orderId, name, ...page }: ParsedOf<typeof calls.targets>) {
  const { id, line, targetId, name: targetName } = agentOrderTargets
  const rows = db
    .select({ id, line, targetId, name: targetName })
    .from(agentOrderTargets)
    .innerJoin(agentOrders, eq(agentOrders.id, agentOrderTargets.orderId))
    .where(and(eq(agentOrderTargets.orderId, orderId), visibleOrders(user), contains(targetName, name)))
  return paginate(db, rows.$dynamic(), page, [asc(line)])
}

const number = { type: 'number', width: 10 } as const
const time = { type: 'dateTime', width: 20 } as const

export const exportOrders = defineExport({
  kind: 'agentOrder',
  endpoint: contract.export,
  sheet: '智能体订单',
  schema: OrderRow,
  columns: [
    ['orderNo', { width: 20 }],
    ['tenantName', { width: 28 }],
    ['packageName', { width: 24 }],
    ['version', number],
    ['content', { width: 32 }],
    ['scope', { width: 12 }],
    ['targetName', { width: 24 }],
    ['targetCount', number],
    ['copies', number],
    'unitPrice',
    'discount',
    'amount',
    'refunded',
    ['left', { width: 32 }],
    ['state', { width: 10 }],
    ['payWay', { width: 10 }],
    ['voucherNo', { width: 24 }],
    ['validUntil', time],
    ['createName', { width: 14 }],
    ['createTime', time],
    ['payName', { width: 14 }],
    ['payTime', time],
    ['remark', { width: 32 }],
  ],
  key: agentOrders.id,
  where: conditionsOf,
  order: sortOf,
  load: async (db, user, where) => withBalances({ db, user }, (await selectOrders(db, user).where(where)).map(present)),
  keyOf: ({ id }) => id,
})

type UnitSum = OrderDetail['units'][number]
const AMOUNTS = ['total', 'left', 'spent', 'lapsed', 'refunded'] as const

/** Returns the sums of orders by unit, in the units of the package. Reads all orders by one statement. */
async function readBalances(db: Db, orderIds: readonly number[]): Promise<ReadonlyMap<number, UnitSum[]>> {
  if (orderIds.length === 0) return new Map()
  const { rows } = await db.execute<UnitSum & { orderId: number }>(sql`
    select order_id as "orderId", unit, bool_and(is_unlimited = 1) as "isUnlimited", sum(total)::float8 as total,
      sum(remaining)::float8 as left, sum(spent)::float8 as spent,
      sum(lapsed)::float8 as lapsed, sum(refunded)::float8 as refunded
    from agent_grants where order_id = any(${sql.param([...orderIds])}::int[]) group by 1, 2 order by 1, 2`)
  return Map.groupBy(rows.map(presentAmounts), ({ orderId }) => orderId)
}

/** Converts the amounts of a row of grants to the unit of their allowance. */
export function presentAmounts<T extends Record<'unit' | (typeof AMOUNTS)[number], number>>(row: T): T {
  const amounts = AMOUNTS.map((key) => [key, toAllowanceUnits(row.unit, row[key])])
  return { ...row, ...Object.fromEntries(amounts) }
}

/** Returns the columns 剩余 of an order. */
function summarizeBalances(units: readonly UnitSum[]) {
  const shares = units.flatMap(({ isUnlimited, left, total }) => (isUnlimited ? [] : total === 0 ? 0 : left / total))
  return { left: units.map(balanceText).join('、'), leftShare: shares.length > 0 ? Math.min(...shares) : null }
}

/**
 * Adds the columns 剩余 to a page of visible orders. Reads the grants without row-level security, because grants of
 * transferred devices belong to another tenant, and still belong to the order.
 */
async function withBalances<T extends { readonly id: number }>(
  caller: Parameters<typeof withoutRowSecurity>[0],
  orders: readonly T[],
) {
  const ids = orders.map(({ id }) => id)
  const units = await withoutRowSecurity(caller, (db) => readBalances(db, ids))
  return orders.map((order) => ({ ...order, ...summarizeBalances(units.get(order.id) ?? []) }))
}

/**
 * Base units of a minute. Allowances are counted in whole base units: minutes in tenths of a second, all others in
 * their own unit.
 */
const BASE_OF_MINUTE = 600
export const MINUTES = 3

/** Returns the base units of one unit of an allowance. */
export const convertToBaseUnits = (unit: number) => (unit === MINUTES ? BASE_OF_MINUTE : 1)

/** Returns an amount of base units in the unit of the allowance, with two decimals. */
export const toAllowanceUnits = (unit: number, amount: number) =>
  unit === MINUTES ? Math.round((amount / BASE_OF_MINUTE) * 100) / 100 : amount
