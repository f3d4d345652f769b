import { asc } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenses } from './schema.ts'
import { among } from '#core/database/lists/list-query.ts'

/*
 * Lock order: certificates before the devices that carry them. Binding, activating, unbinding and scrapping start
 * from the certificate. Code that starts from devices and also changes certificates must use these two functions.
 */

/** Locks the certificates of these devices. Must run before the devices are locked. */
export async function lockCertificatesOfDevices(db: Db, deviceIds: readonly number[]) {
  await db
    .select({ id: licenses.id })
    .from(licenses)
    .where(among(licenses.deviceId, deviceIds))
    .orderBy(asc(licenses.id))
    .for('update')
}

/**
 * Returns the locked devices whose certificate another transaction holds. Such a certificate was bound between the
 * two locks; waiting here could deadlock.
 */
export async function listConcurrentlyBoundDevices(db: Db, deviceIds: readonly number[]): Promise<ReadonlySet<number>> {
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
