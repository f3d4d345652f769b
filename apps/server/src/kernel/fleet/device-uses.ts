import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { devices } from '#db/schema/device.ts'
import { tickets } from '#db/schema/ticket.ts'
import { otaTasks } from '#db/schema/upgrade.ts'
import { among } from '#kernel/query.ts'

/** Something that keeps a device from being deleted while it is there. */
interface DeviceUse {
  /** As the refusal says it: `进行中的升级任务`. */
  readonly name: string
  /** How many each of these devices has; those with none may be left out. */
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

const USES: readonly DeviceUse[] = [openTasks, boundLicences, openTickets]

/** Why each of these devices may not be deleted: `3个未关闭的工单`; a device that is free is absent. */
export async function deviceUses(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string[]>()
  for (const { name, count } of USES)
    for (const { deviceId, n } of await count(db, ids))
      if (n > 0) found.set(deviceId, [...(found.get(deviceId) ?? []), `${n}个${name}`])
  return new Map([...found].map(([id, parts]) => [id, parts.join('、')]))
}

/** Those of the devices that are being upgraded right now. */
export async function inUpgrade(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await openTasks.count(db, ids)
  return new Set(rows.map(({ deviceId }) => deviceId))
}
