import type { adScreens as calls } from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, gt, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleDevices } from '#modules/device/fleet/device-filter.ts'
import { adScreens } from '../schema-screen.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'

const MAX_OPTIONS = 100

/**
 * Returns devices by serial number. Devices of models that have paired screens come first. Devices of models with cloud
 * storage, such as cameras and doorbells, come last.
 */
export async function listDeviceOptions({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.devices>) {
  const { likely, unlikely } = await rankModels(db)
  const listWhere = (models: SQL, limit: number) =>
    db
      .select({
        id: devices.id,
        name: devices.sn,
        modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      })
      .from(devices)
      .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
      .where(and(visibleDevices(user), contains(devices.sn, keyword), models))
      .orderBy(asc(devices.id))
      .limit(limit)
  // One statement for each rank reads few rows. Sorting by the rank would read all devices.
  const list = await listWhere(inArray(devices.modelId, likely), MAX_OPTIONS)
  for (const rank of [notInArray(devices.modelId, [...likely, ...unlikely]), inArray(devices.modelId, unlikely)])
    if (list.length < MAX_OPTIONS) list.push(...(await listWhere(rank, MAX_OPTIONS - list.length)))
  return { list }
}

/** Returns the models that have paired screens, and the other models with cloud storage. */
async function rankModels(db: Db) {
  const paired = await db
    .selectDistinct({ modelId: devices.modelId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
  const likely = paired.map(({ modelId }) => modelId)
  const recording = await db
    .select({ id: deviceModels.id })
    .from(deviceModels)
    .where(and(gt(deviceModels.cloudChannels, 0), notInArray(deviceModels.id, likely)))
  return { likely, unlikely: recording.map(({ id }) => id) }
}
