import type { agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, transact } from '#core/tenancy/tenancy.ts'
import { visibleBindings } from './device-state.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'

/** Returns the connections of visible devices. Holds no database connection while it waits for a gateway. */
export async function listConnections(ctx: Ctx, { ids }: ParsedOf<typeof calls.connections>) {
  const { user, services } = ctx
  const found = await transact(ctx, (db) =>
    db
      .select({
        id: agentDevices.deviceId,
        tenantId: agentDevices.tenantId,
        mac: agentDevices.mac,
        board: agentDevices.board,
      })
      .from(agentDevices)
      .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
      .where(and(inArray(agentDevices.deviceId, ids), visibleBindings(user), notDeleted(devices))),
  )
  const online = await services.voiceServers.gateways.read(found)
  return { list: [...online].map(([{ id }, isOnline]) => ({ id, connection: isOnline ? 1 : 0 })) }
}
