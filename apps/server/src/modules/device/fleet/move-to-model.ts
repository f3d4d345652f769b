import { and, eq, ne } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '../schema.ts'
import { otaTasks } from '#modules/upgrade/schema.ts'
import { cancelTasks } from './release.ts'

/**
 * Moves a device to another model. Cancels the open task: the image of the former model would destroy the device. Returns
 * false when the device has this model already.
 */
export async function moveToModel(db: Db, deviceId: number, modelId: number): Promise<boolean> {
  const moved = await db
    .update(devices)
    .set({ modelId })
    .where(and(eq(devices.id, deviceId), ne(devices.modelId, modelId)))
  if (!moved.rowCount) return false
  await cancelTasks(db, eq(otaTasks.deviceId, deviceId), '设备已换为其他型号')
  return true
}
