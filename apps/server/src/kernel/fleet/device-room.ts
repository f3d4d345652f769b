import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { devices } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import { conflict, invalid } from '#kernel/problem.ts'
import { alive } from '#kernel/tenancy.ts'

/** Devices a tenant may still get. */
export interface DeviceRoom {
  readonly quota: number
  /** `Infinity` without a quota. */
  readonly left: number
}

/**
 * How many more devices a tenant may have. Its row stays locked until the transaction ends: of two that add devices at
 * the same moment the second one counts what the first added.
 */
export async function lockDeviceRoom(db: Db, tenantId: number): Promise<DeviceRoom> {
  const [tenant] = await db
    .select({ quota: tenants.deviceQuota })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), alive(tenants)))
    .for('update')
  if (!tenant) throw invalid('所属客户不存在或已被删除', 'tenantId')
  if (tenant.quota < 0) return { quota: -1, left: Number.POSITIVE_INFINITY }
  const [used] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(devices)
    .where(and(eq(devices.tenantId, tenantId), alive(devices)))
  return { quota: tenant.quota, left: Math.max(0, tenant.quota - (used?.n ?? 0)) }
}

export const quotaReached = ({ quota }: DeviceRoom) =>
  conflict(`设备数量已达上限（${quota}台），请联系管理员`, 'tenantId')

/** Makes room for `count` more devices of a tenant, or says that its quota is used up. */
export async function assertDeviceRoom(db: Db, tenantId: number, count = 1) {
  const room = await lockDeviceRoom(db, tenantId)
  if (room.left < count) throw quotaReached(room)
}
