import { and, inArray, ne, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from './schema.ts'

/** Counts the references of each device. Devices without references may be absent. */
type CountReferences = (db: Db, deviceIds: readonly number[]) => Promise<readonly { deviceId: number; n: number }[]>

const countsByName = new Map<string, CountReferences>()

/**
 * Declares references that prevent deletion of a device. The deletion is refused with the number of references and their
 * name: `进行中的升级任务`.
 */
export function blocksDeviceDeletion(name: string, count: CountReferences) {
  countsByName.set(name, count)
}

blocksDeviceDeletion('已绑定的授权', (db, ids) =>
  db
    .select({ deviceId: devices.id, n: sql<number>`1` })
    .from(devices)
    .where(and(inArray(devices.id, [...ids]), ne(devices.uid, ''))),
)

/**
 * Returns the text about the references of each device, such as `3个未关闭的工单`. Devices without references are absent.
 */
export async function countDeviceReferences(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const found = new Map<number, string[]>()
  for (const [name, count] of countsByName)
    for (const { deviceId, n } of await count(db, ids))
      if (n > 0) found.set(deviceId, [...(found.get(deviceId) ?? []), `${n}个${name}`])
  return new Map([...found].map(([id, parts]) => [id, parts.join('、')]))
}
