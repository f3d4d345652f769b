import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type storageOrders as calls, storageOrders as contract, OrderRow } from '@oms/contract/storage/order.ts'
import { and, asc, desc, eq, getTableColumns, inArray, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildStaffScope, scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { ossHooks, ossOrderItems, ossOrders, ossRefunds, ossCards, ossHookEvents } from '../schema-sales.ts'
import { ossEntitlements } from '../schema.ts'

/** Returns the condition for the orders that an account sees and changes. */
export const visibleOrders = (user: User) =>
  and(scoped(user, { tenant: ossOrders.tenantId }), buildOrderInScopeCondition(user))

/** Returns the condition for the refunds of visible orders. The query joins the orders. */
export const visibleRefunds = (user: User) =>
  and(scoped(user, { tenant: ossRefunds.tenantId }), buildOrderInScopeCondition(user))

/** The first item of an order in lists. */
const firstItem = (column: string) =>
  sql<string>`coalesce((select ${sql.identifier(column)} from oss_order_items i
    where i.order_id = ${ossOrders.id} order by i.line limit 1), '')`

const selectOrders = (db: Db) =>
  db
    .select({
      id: ossOrders.id,
      orderNo: ossOrders.orderNo,
      outOrderNo: ossOrders.outOrderNo,
      tenantId: ossOrders.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      hookName: sql<string>`coalesce(${ossHooks.hookName}, '')`.as('hook_name'),
      itemCount: sql<number>`(select count(*)::int from oss_order_items i where i.order_id = ${ossOrders.id})`.as(
        'item_count',
      ),
      sn: firstItem('sn').as('first_sn'),
      packageName: firstItem('package_name').as('first_package'),
      amount: ossOrders.amount,
      refunded: ossOrders.refunded,
      pendingRefunds:
        sql<number>`(select count(*)::int from oss_refunds r where r.order_id = ${ossOrders.id} and r.state = 0)`.as(
          'pending_refunds',
        ),
      payStatus: ossOrders.payStatus,
      payTime: ossOrders.payTime,
      createTime: ossOrders.createTime,
    })
    .from(ossOrders)
    .leftJoin(tenants, eq(tenants.id, ossOrders.tenantId))
    .leftJoin(ossHooks, eq(ossHooks.id, ossOrders.hookId))

type OrderFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

function conditionsOf(user: User, input: OrderFilter) {
  const { outOrderNo, orderNo, sn, tenantId, hookId, payStatus, beginTime, endTime } = input
  const hasSerial = sn
    ? sql`exists (select from oss_order_items i where i.order_id = ${ossOrders.id} and ${contains(sql`i.sn`, sn)})`
    : undefined
  return and(
    visibleOrders(user),
    contains(ossOrders.outOrderNo, outOrderNo),
    contains(ossOrders.orderNo, orderNo),
    hasSerial,
    tenantId === undefined ? undefined : eq(ossOrders.tenantId, tenantId),
    hookId === undefined ? undefined : eq(ossOrders.hookId, hookId),
    payStatus === undefined ? undefined : eq(ossOrders.payStatus, payStatus),
    ...within(ossOrders.createTime, beginTime, endTime),
  )
}

const SORTS = { createTime: ossOrders.createTime, payTime: ossOrders.payTime, amount: ossOrders.amount }
const sortOf = (input: OrderFilter) => buildSort(input, SORTS, ossOrders.id)

export const listOrders = ({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) =>
  paginate(db, selectOrders(db).where(conditionsOf(user, input)).$dynamic(), input, sortOf(input))

export const exportOrders = defineExport({
  kind: 'storage-order',
  endpoint: contract.export,
  sheet: '云存订单',
  schema: OrderRow,
  columns: [
    ['orderNo', { width: 20 }],
    ['outOrderNo', { width: 24 }],
    ['hookName', { width: 20 }],
    ['tenantName', { width: 28 }],
    ['itemCount', { type: 'number', width: 8 }],
    ['sn', { width: 22 }],
    ['packageName', { width: 24 }],
    'amount',
    'refunded',
    ['pendingRefunds', { type: 'number', width: 12 }],
    ['payStatus', { width: 10 }],
    ['payTime', { type: 'dateTime' }],
    ['createTime', { type: 'dateTime' }],
  ],
  key: ossOrders.id,
  where: conditionsOf,
  order: sortOf,
  load: (db, _user, where) => selectOrders(db).where(where),
  keyOf: ({ id }) => id,
})

const selectRefunds = (db: Db) =>
  db
    .select({
      id: ossRefunds.id,
      refundNo: ossRefunds.refundNo,
      outRefundNo: ossRefunds.outRefundNo,
      orderId: ossRefunds.orderId,
      itemId: ossRefunds.itemId,
      orderNo: sql<string>`coalesce(${ossOrders.orderNo}, '')`.as('order_no'),
      outOrderNo: sql<string>`coalesce(${ossOrders.outOrderNo}, '')`.as('out_order_no'),
      sn: sql<string>`coalesce(${ossOrderItems.sn}, '')`.as('item_sn'),
      amount: ossRefunds.amount,
      stops: ossRefunds.stops,
      state: ossRefunds.state,
      origin: ossRefunds.origin,
      reason: ossRefunds.reason,
      operName: ossRefunds.operName,
      doneTime: ossRefunds.doneTime,
      createTime: ossRefunds.createTime,
    })
    .from(ossRefunds)
    .leftJoin(ossOrders, eq(ossOrders.id, ossRefunds.orderId))
    .leftJoin(ossOrderItems, eq(ossOrderItems.id, ossRefunds.itemId))

export function listRefunds({ db, user }: Ctx, input: ParsedOf<typeof calls.refunds>) {
  const { outOrderNo, outRefundNo, refundNo, state, origin, beginTime, endTime, ...page } = input
  const rows = selectRefunds(db).where(
    and(
      visibleRefunds(user),
      contains(ossOrders.outOrderNo, outOrderNo),
      contains(ossRefunds.outRefundNo, outRefundNo),
      contains(ossRefunds.refundNo, refundNo),
      state === undefined ? undefined : eq(ossRefunds.state, state),
      origin === undefined ? undefined : eq(ossRefunds.origin, origin),
      ...within(ossRefunds.createTime, beginTime, endTime),
    ),
  )
  return paginate(db, rows.$dynamic(), page, [desc(ossRefunds.id)])
}

const entitlementsOf = async ({ db, user }: Ctx, itemIds: readonly number[]) =>
  Map.groupBy(
    await db
      .select({
        id: ossEntitlements.id,
        itemId: ossEntitlements.orderItemId,
        entNo: ossEntitlements.entNo,
        channel: ossEntitlements.channel,
        state: ossEntitlements.state,
        endTime: ossEntitlements.endTime,
      })
      .from(ossEntitlements)
      .where(
        and(
          inArray(ossEntitlements.orderItemId, [...itemIds]),
          scoped(user, { tenant: ossEntitlements.tenantId, creator: ossEntitlements.createBy }),
        ),
      )
      .orderBy(asc(ossEntitlements.id)),
    ({ itemId }) => itemId,
  )

/** Amount of a paid item without refunds and pending requests. */
const unrefunded = sql<number>`greatest(amount - refunded - coalesce((select sum(r.amount) from oss_refunds r
  where r.item_id = oss_order_items.id and r.state = 0), 0), 0)::int`

/** Returns an order with its items, their entitlements and refunds. */
export async function getOrder(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const [row] = await selectOrders(db).where(and(eq(ossOrders.id, id), visibleOrders(user)))
  if (!row) throw notFound('订单')
  const items = await db
    .select({ ...getTableColumns(ossOrderItems), unrefunded })
    .from(ossOrderItems)
    .where(eq(ossOrderItems.orderId, id))
    .orderBy(asc(ossOrderItems.line))
  const refunds = await selectRefunds(db).where(eq(ossRefunds.orderId, id)).orderBy(desc(ossRefunds.id)).limit(200)
  const entitlements = await entitlementsOf(
    ctx,
    items.map((item) => item.id),
  )
  const isPaid = row.payStatus !== 0 && row.payStatus !== 4
  return {
    row,
    refunds,
    items: items.map((item) => ({
      ...item,
      refundable: isPaid ? item.unrefunded : 0,
      entitlements: entitlements.get(item.id) ?? [],
    })),
  }
}

/**
 * True when the device of a serial number is outside the tenants. An unknown serial number belongs to the tenant of its
 * row; in a row of the platform it belongs to no tenant and is outside.
 */
const isForeignSerial = (sn: SQLWrapper, owner: SQLWrapper, tenants: SQL) => sql`(coalesce(
  (select d.tenant_id from devices d where d.sn = ${sn} and d.deleted_at is null),
  nullif(${owner}, ${PLATFORM_TENANT_ID})) = any(${tenants})) is not true`

const isForeignOrder = (id: SQLWrapper, owner: SQLWrapper, tenants: SQL) => sql`exists (
  select from oss_order_items i where i.order_id = ${id} and (${isForeignSerial(sql`i.sn`, owner, tenants)}
    or exists (select from oss_entitlements e where e.order_item_id = i.id and e.tenant_id <> all(${tenants}))))`

/**
 * Returns the condition that all devices of an order belong to the tenants of limited platform staff: the devices of
 * its items, and the devices that its entitlements were transferred to. A shop of the platform sells to all tenants.
 */
function buildOrderInScopeCondition(user: User): SQL | undefined {
  const tenants = buildStaffScope(user)
  return tenants && sql`not ${isForeignOrder(ossOrders.id, ossOrders.tenantId, tenants)}`
}

/**
 * Returns the condition that an event of a shop belongs to the tenants of limited platform staff. Checks the devices of
 * the serial numbers in the event body and the devices of the order.
 */
export function buildEventInScopeCondition(user: User): SQL | undefined {
  const tenants = buildStaffScope(user)
  if (!tenants) return undefined
  const { hookId, outOrderNo, sns, tenantId } = ossHookEvents
  return sql`(cardinality(${sns}) > 0 or ${tenantId} <> ${PLATFORM_TENANT_ID})
    and not exists (select from unnest(${sns}) s(sn) where ${isForeignSerial(sql`s.sn`, tenantId, tenants)})
    and not exists (select from oss_orders o where o.hook_id = ${hookId} and o.out_order_no = ${outOrderNo}
      and ${isForeignOrder(sql`o.id`, sql`o.tenant_id`, tenants)})`
}

/**
 * Returns the condition for cards that are not used, and for used cards whose device and entitlement belong to the
 * tenants of limited platform staff.
 */
export function buildCardInScopeCondition(user: User): SQL | undefined {
  const tenants = buildStaffScope(user)
  if (!tenants) return undefined
  return sql`(${ossCards.state} <> 1 or not ${isForeignSerial(ossCards.sn, sql`${PLATFORM_TENANT_ID}::int`, tenants)}
    and exists (select from oss_entitlements e where e.id = ${ossCards.entitlementId} and e.tenant_id = any(${tenants})))`
}
