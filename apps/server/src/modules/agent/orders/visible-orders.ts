import { ORDER_STATE_CODE } from '@oms/contract/agent/orders/order-entities.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { agentGrants, agentOrders } from '../schema/agent-orders.ts'

/**
 * Returns the condition that all grants of an order belong to tenants in the data scope of platform staff. A
 * transferred device keeps its grants, and a refund of the order would revoke grants of the other tenant.
 */
function hasGrantsInScope({ isPlatform, scope }: User): SQL | undefined {
  if (!isPlatform || scope.tenants === 'all') return undefined
  return sql`not exists (select from agent_grants g where g.order_id = ${agentOrders.id}
    and g.tenant_id <> all(${sql.param([...scope.tenants])}::int[]))`
}

/** Returns the condition for the orders of voice packages in the data scope of an account. */
export const visibleOrders = (user: User) =>
  and(scoped(user, { tenant: agentOrders.tenantId, creator: agentOrders.createBy }), hasGrantsInScope(user))

/**
 * Returns the condition for the grants in the data scope of an account. The order of a transferred device's grant
 * belongs to the earlier tenant and is not visible.
 */
export const visibleGrants = (user: User) =>
  scoped(user, { tenant: agentGrants.tenantId, creator: agentOrders.createBy })

/** Returns the condition for pending orders that the account may confirm. Excludes orders that the account created. */
export const isAwaitingConfirmation = (user: User): SQL | undefined =>
  and(
    visibleOrders(user),
    eq(agentOrders.state, ORDER_STATE_CODE.pending),
    sql`${agentOrders.createBy} is distinct from ${user.uid}`,
  )

/** Returns the condition for orders whose undecided refund was requested by the account. */
export const isOwnRefund = (user: User) =>
  sql<boolean>`exists (select from agent_order_refunds r where r.order_id = ${agentOrders.id} and r.state = 0
    and r.create_by = ${user.uid})`

/**
 * Returns the condition for orders with a refund that the account may decide. Excludes refunds that the account
 * requested.
 */
export const isAwaitingRefundAudit = (user: User): SQL | undefined =>
  and(visibleOrders(user), eq(agentOrders.state, ORDER_STATE_CODE.refunding), sql`not ${isOwnRefund(user)}`)
