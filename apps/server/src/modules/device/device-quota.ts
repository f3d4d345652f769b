import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { devices } from './schema.ts'

/** Remaining device quota of a tenant. */
interface DeviceQuota {
  readonly quota: number
  /** Number of present devices; 0 for a tenant without a quota. */
  readonly used: number
  /** `Infinity` for a tenant without a quota. */
  readonly left: number
}

const selectQuota = (db: Db, tenantId: number) =>
  db
    .select({ quota: tenants.deviceQuota })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), notDeleted(tenants)))

/**
 * Returns how many more devices a tenant may have. Locks the tenant's row until the transaction ends, so that a
 * simultaneous addition counts these devices.
 */
export async function lockDeviceQuota(db: Db, tenantId: number): Promise<DeviceQuota> {
  const [tenant] = await selectQuota(db, tenantId).for('update')
  return countDevices(db, tenantId, tenant)
}

/** Returns the quota without a lock. Other transactions may add devices before the caller's transaction ends. */
async function readDeviceQuota(db: Db, tenantId: number): Promise<DeviceQuota> {
  const [tenant] = await selectQuota(db, tenantId)
  return countDevices(db, tenantId, tenant)
}

const tenantGone = () => invalid('客户不存在或已被删除', 'tenantId')

async function countDevices(db: Db, tenantId: number, tenant: { quota: number } | undefined): Promise<DeviceQuota> {
  if (!tenant) throw tenantGone()
  if (tenant.quota < 0) return { quota: -1, used: 0, left: Number.POSITIVE_INFINITY }
  const [counted] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(devices)
    .where(and(eq(devices.tenantId, tenantId), notDeleted(devices)))
  const used = counted?.n ?? 0
  return { quota: tenant.quota, used, left: Math.max(0, tenant.quota - used) }
}

/**
 * Thrown when another transaction has used the quota or changed a device. The error has the code of a serialization
 * failure, so the job is retried.
 */
export class QuotaConflict extends Error {
  override readonly name = 'QuotaConflict'
  readonly code = '40001'
}

/**
 * Locks the quotas of tenants to which the transaction has added devices without a lock, and throws a transient error
 * when the tenant has too many devices now. Call this function directly before the commit.
 */
async function assertQuotasKept(db: Db, tenantIds: readonly number[]) {
  if (tenantIds.length === 0) return
  const locked = await db
    .select({ id: tenants.id, quota: tenants.deviceQuota })
    .from(tenants)
    .where(and(among(tenants.id, tenantIds), notDeleted(tenants)))
    // Locks the tenants in the order of their ids, so that two imports cannot deadlock.
    .orderBy(asc(tenants.id))
    .for('update')
  if (locked.length < tenantIds.length) throw tenantGone()
  const limited = locked.filter(({ quota }) => quota >= 0)
  if (limited.length === 0) return
  const ids = limited.map(({ id }) => id)
  const counts = await db
    .select({ id: devices.tenantId, used: sql<number>`count(*)::int` })
    .from(devices)
    .where(and(among(devices.tenantId, ids), notDeleted(devices)))
    .groupBy(devices.tenantId)
  const usedById = new Map(counts.map(({ id, used }) => [id, used]))
  if (limited.some(({ id, quota }) => (usedById.get(id) ?? 0) > quota))
    throw new QuotaConflict('devices were added during the import')
}

/** Returns the error of a tenant that has as many devices as its quota permits. */
const createQuotaError = ({ quota }: Pick<DeviceQuota, 'quota'>) =>
  conflict(`设备数量已达上限（${quota}台），请联系管理员`, 'tenantId')

/** Throws when the tenant's device quota has no room for `count` more devices. */
export async function assertDeviceQuota(db: Db, tenantId: number, count = 1) {
  const quota = await lockDeviceQuota(db, tenantId)
  if (quota.left < count) throw createQuotaError(quota)
}

/**
 * Counts the devices that one transaction adds to tenants. Reads the quota of a tenant once and without a lock, so that
 * other calls need not wait for a long import.
 */
export class DeviceQuotaCounter {
  readonly #rooms = new Map<number, { readonly quota: number; readonly left: number; added: number }>()

  /** Returns the error when the tenant can receive no further device. */
  async findProblem(db: Db, tenantId: number) {
    let room = this.#rooms.get(tenantId)
    if (!room) {
      room = { ...(await readDeviceQuota(db, tenantId)), added: 0 }
      this.#rooms.set(tenantId, room)
    }
    return room.added < room.left ? undefined : createQuotaError(room)
  }

  /** Counts one device that the transaction adds. Call `findProblem` before. */
  add(tenantId: number) {
    const room = this.#rooms.get(tenantId)
    if (room) room.added += 1
  }

  /**
   * Locks and checks the quotas again. Throws a transient error when another transaction used a quota meanwhile. Call
   * this function directly before the commit.
   */
  async assertKept(db: Db) {
    const changed = [...this.#rooms].flatMap(([tenantId, { added }]) => (added > 0 ? tenantId : []))
    await assertQuotasKept(db, changed)
  }
}
