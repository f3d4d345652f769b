import { asc } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { licenses } from '#db/schema/license.ts'
import { among } from '#kernel/query.ts'

/*
 * Certificates are locked before the devices that carry them, everywhere: binding, activating, unbinding and scrapping
 * start from the certificate. Whoever starts from devices and changes certificates too takes these two steps.
 */

/** Locks the certificates these devices carry; before the devices themselves are locked. */
export async function lockCarried(db: Db, deviceIds: readonly number[]) {
  await db
    .select({ id: licenses.id })
    .from(licenses)
    .where(among(licenses.deviceId, deviceIds))
    .orderBy(asc(licenses.id))
    .for('update')
}

/**
 * Of devices that are locked now those whose certificate somebody else holds: it was bound between the two locks, and
 * waiting for it from here would be waiting in a circle.
 */
export async function boundMeanwhile(db: Db, deviceIds: readonly number[]): Promise<ReadonlySet<number>> {
  const carried = among(licenses.deviceId, deviceIds)
  const all = await db.select({ deviceId: licenses.deviceId }).from(licenses).where(carried)
  const held = await db
    .select({ deviceId: licenses.deviceId })
    .from(licenses)
    .where(carried)
    .orderBy(asc(licenses.id))
    .for('update', { skipLocked: true })
  const mine = new Set(held.map(({ deviceId }) => deviceId))
  return new Set(all.flatMap(({ deviceId }) => (deviceId === null || mine.has(deviceId) ? [] : [deviceId])))
}
