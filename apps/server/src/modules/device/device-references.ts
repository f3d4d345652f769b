import { and, eq, inArray, isNull, lt, ne, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { agentDevices } from '#modules/agent/schema/agent-device.ts'
import {
  agentGrants,
  agentOrders,
  agentOrderTargets,
  agentProductVersions,
} from '#modules/agent/schema/agent-orders.ts'
import { devices } from './schema.ts'
import { ossQueues } from '#modules/storage/schema.ts'
import { tickets } from '#modules/ticket/schema.ts'
import { otaTasks } from '#modules/upgrade/schema.ts'
import { among } from '#core/database/lists/list-query.ts'

/** A kind of reference that prevents deletion of a device. */
interface DeviceUse {
  /** Name of the reference in the error message: `进行中的升级任务`. */
  readonly name: string
  /** Counts the references of each device. Devices without references may be absent. */
  count(db: Db, deviceIds: readonly number[]): Promise<readonly { deviceId: number; n: number }[]>
}

const openTasks: DeviceUse = {
  name: '进行中的升级任务',
  count: (db, ids) =>
    db
      .select({ deviceId: otaTasks.deviceId, n: sql<number>`count(*)::int` })
      .from(otaTasks)
      .where(and(among(otaTasks.deviceId, ids), isNull(otaTasks.closeTime)))
      .groupBy(otaTasks.deviceId),
}
const boundLicences: DeviceUse = {
  name: '已绑定的授权',
  count: (db, ids) =>
    db
      .select({ deviceId: devices.id, n: sql<number>`1` })
      .from(devices)
      .where(and(inArray(devices.id, [...ids]), ne(devices.uid, ''))),
}

const openTickets: DeviceUse = {
  name: '未关闭的工单',
  count: (db, ids) =>
    db
      .select({ deviceId: devices.id, n: sql<number>`count(*)::int` })
      .from(devices)
      .innerJoin(tickets, and(eq(tickets.sn, devices.sn), ne(tickets.sn, ''), ne(tickets.status, TICKET_CLOSED)))
      .where(among(devices.id, ids))
      .groupBy(devices.id),
}
const TICKET_CLOSED = 5

const liveStorage: DeviceUse = {
  name: '未到期的云存储',
  count: (db, ids) =>
    db
      .select({ deviceId: ossQueues.deviceId, n: sql<number>`count(*)::int` })
      .from(ossQueues)
      .where(and(among(ossQueues.deviceId, ids), sql`(${ossQueues.suspended} = 1 or ${ossQueues.endTime} > now())`))
      .groupBy(ossQueues.deviceId),
}

const boundAgents: DeviceUse = {
  name: '已绑定智能体',
  count: (db, ids) =>
    db
      .select({ deviceId: agentDevices.deviceId, n: sql<number>`1` })
      .from(agentDevices)
      .where(among(agentDevices.deviceId, ids)),
}

const openAgentGrants: DeviceUse = {
  name: '未用完的智能体套餐',
  count: (db, ids) =>
    db
      .select({ deviceId: agentGrants.targetId, n: sql<number>`count(distinct (order_id, pack_no))::int` })
      .from(agentGrants)
      .where(and(eq(agentGrants.scope, 1), among(agentGrants.targetId, ids), lt(agentGrants.state, 2)))
      .groupBy(agentGrants.targetId),
}

const pendingAgentOrders: DeviceUse = {
  name: '待确认的智能体订单',
  count: (db, ids) =>
    db
      .select({ deviceId: agentOrderTargets.targetId, n: sql<number>`count(*)::int` })
      .from(agentOrderTargets)
      .innerJoin(agentOrders, and(eq(agentOrders.id, agentOrderTargets.orderId), eq(agentOrders.state, 0)))
      .innerJoin(
        agentProductVersions,
        and(eq(agentProductVersions.id, agentOrders.packageVersionId), eq(agentProductVersions.scope, 1)),
      )
      .where(among(agentOrderTargets.targetId, ids))
      .groupBy(agentOrderTargets.targetId),
}

const DEVICE_REFERENCES: readonly DeviceUse[] = [
  openTasks,
  boundLicences,
  openTickets,
  liveStorage,
  boundAgents,
  openAgentGrants,
  pendingAgentOrders,
]

/**
 * Returns the text about the references of each device, such as `3个未关闭的工单`. Devices without references are absent.
 */
export async function countDeviceReferences(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string[]>()
  for (const { name, count } of DEVICE_REFERENCES)
    for (const { deviceId, n } of await count(db, ids))
      if (n > 0) found.set(deviceId, [...(found.get(deviceId) ?? []), `${n}个${name}`])
  return new Map([...found].map(([id, parts]) => [id, parts.join('、')]))
}

/** Returns the devices that have an open upgrade task. */
export async function listDevicesInUpgrade(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await openTasks.count(db, ids)
  return new Set(rows.map(({ deviceId }) => deviceId))
}

/** Returns the devices that are bound to an agent. */
export async function listDevicesBoundToAgents(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await boundAgents.count(db, ids)
  return new Set(rows.map(({ deviceId }) => deviceId))
}
