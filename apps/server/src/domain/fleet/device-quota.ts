import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#schema/device.ts'
import { tenants } from '#schema/tenant.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Remaining device quota of a tenant. */
export interface DeviceQuota {
  readonly quota: number
  /** `Infinity` for a tenant without a quota. */
  readonly left: number
}

/**
 * Returns how many more devices a tenant may have. Locks the tenant's row until the transaction ends, so that a
 * simultaneous addition counts these devices.
 */
export async function lockDeviceQuota(db: Db, tenantId: number): Promise<DeviceQuota> {
  const [tenant] = await db
    .select({ quota: tenants.deviceQuota })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), notDeleted(tenants)))
    .for('update')
  if (!tenant) throw invalid('客户不存在或已被删除', 'tenantId')
  if (tenant.quota < 0) return { quota: -1, left: Number.POSITIVE_INFINITY }
  const [used] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(devices)
    .where(and(eq(devices.tenantId, tenantId), notDeleted(devices)))
  return { quota: tenant.quota, left: Math.max(0, tenant.quota - (used?.n ?? 0)) }
}

export const isQuotaReached = ({ quota }: DeviceQuota) =>
  conflict(`设备数量已达上限（${quota}台），请联系管理员`, 'tenantId')

/** Throws when the tenant's device quota has no room for `count` more devices. */
export async function assertDeviceQuota(db: Db, tenantId: number, count = 1) {
  const room = await lockDeviceQuota(db, tenantId)
  if (room.left < count) throw isQuotaReached(room)
}
