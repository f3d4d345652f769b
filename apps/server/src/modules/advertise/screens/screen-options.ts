import type { adScreens as calls } from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleDevices } from '#domain/fleet/device-filter.ts'
import { deviceModels, devices } from '#schema/device.ts'

const MAX_OPTIONS = 100

/** Returns devices by serial number. */
export async function listDeviceOptions({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.devices>) {
  const list = await db
    .select({
      id: devices.id,
      name: devices.sn,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .where(and(visibleDevices(user), contains(devices.sn, keyword)))
    .orderBy(asc(devices.id))
    .limit(MAX_OPTIONS)
  return { list }
}
