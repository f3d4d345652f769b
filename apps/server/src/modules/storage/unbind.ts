import { eq, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { ossQueues } from './schema.ts'
import { advanceQueue, QUEUE_STATE, suspendItem } from './queue.ts'
import { saveQueues } from './queue-save.ts'
import { recordQueueChange, loadQueues } from './queue-store.ts'
import { readStorageSettings } from './settings.ts'

const SUSPEND = 2

/**
 * Suspends the entitlements in force of a device that is unbound from its App account, when the setting `onUnbind` says
 * so. Returns the number of suspended channels.
 */
export async function suspendEntitlementsOfUnbound(
  { db, user, now, services }: Ctx,
  deviceId: number,
): Promise<number> {
  const { onUnbind } = await readStorageSettings(db)
  if (onUnbind !== SUSPEND) return 0
  const keys = await db
    .select({ deviceId: ossQueues.deviceId, channel: ossQueues.channel, tenantId: ossQueues.tenantId })
    .from(ossQueues)
    .where(eq(ossQueues.deviceId, deviceId))
    .orderBy(sql`${ossQueues.channel}`)
  if (keys.length === 0) return 0
  const at = Math.floor(now.getTime() / 1000)
  const zone = services.config.timeZone
  const works = [...(await loadQueues(db, keys, true)).values()]
  let suspended = 0
  for (const work of works) {
    recordQueueChange(work, advanceQueue(work.queue, at, zone))
    const [current] = work.queue
    if (current?.state !== QUEUE_STATE.inForce) continue
    recordQueueChange(work, suspendItem(work.queue, current.id, at, zone))
    suspended += 1
  }
  const actor = { uid: user.uid, operName: user.realname || user.account, reason: '设备解绑自动暂停', now: at, zone }
  await saveQueues(db, works, actor)
  await services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })
  return suspended
}
