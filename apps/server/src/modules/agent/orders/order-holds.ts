import { ORDER_STATE_CODE } from '@oms/contract/agent/orders/order-entities.ts'
import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { agentGrants, agentOrders, agentOrderTargets } from '../schema/agent-orders.ts'
import { agentProductVersions } from '../schema/agent-sales.ts'

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
