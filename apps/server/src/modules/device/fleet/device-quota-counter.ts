import type { Db } from '#core/database/client.ts'
import { assertQuotasKept, createQuotaError, readDeviceQuota } from './device-quota.ts'

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
