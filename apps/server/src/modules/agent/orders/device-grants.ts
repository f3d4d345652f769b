import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { agentGrants } from '../schema/agent-orders.ts'
import { countOpenPacks, countPendingOrders } from './order-holds.ts'

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
