import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { buildScopeTenantsParameter } from './visible-grant-files.ts'
import { ossCards, ossHookEvents, ossOrders } from './schema-sales.ts'

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
export function buildOrderInScopeCondition(user: User): SQL | undefined {
  const tenants = buildScopeTenantsParameter(user)
  return tenants && sql`not ${isForeignOrder(ossOrders.id, ossOrders.tenantId, tenants)}`
}

/**
 * Returns the condition that an event of a shop belongs to the tenants of limited platform staff. Checks the devices of
 * the serial numbers in the event body and the devices of the order.
 */
export function buildEventInScopeCondition(user: User): SQL | undefined {
  const tenants = buildScopeTenantsParameter(user)
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
  const tenants = buildScopeTenantsParameter(user)
  if (!tenants) return undefined
  return sql`(${ossCards.state} <> 1 or not ${isForeignSerial(ossCards.sn, sql`${PLATFORM_TENANT_ID}::int`, tenants)}
    and exists (select from oss_entitlements e where e.id = ${ossCards.entitlementId} and e.tenant_id = any(${tenants})))`
}
