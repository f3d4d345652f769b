import type { storageStats as calls } from '@oms/contract/storage/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { paginate } from '#core/database/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleDevices } from '#domain/fleet/device-filter.ts'
import { deviceModels, devices } from '#schema/device.ts'
import { ossEntitlements } from '#schema/storage.ts'
import { ossDeviceStatus } from '#schema/storage-video.ts'
import { tenants } from '#schema/tenant.ts'
import { visibleEntitlements } from './entitlement-rows.ts'

const SILENT_MS = 2 * 3_600_000
const CONTINUOUS = 1
const IN_FORCE = 1

const COLUMNS = {
  id: ossEntitlements.id,
  deviceId: ossEntitlements.deviceId,
  sn: ossEntitlements.sn,
  channel: ossEntitlements.channel,
  modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  packageName: ossEntitlements.packageName,
  uploadTime: ossDeviceStatus.uploadTime,
  askTime: ossDeviceStatus.askTime,
  troubleText: sql<string>`coalesce(${ossDeviceStatus.troubleText}, '')`.as('trouble_text'),
}

/** Lists channels of online devices with continuous recording in force that uploaded nothing for two hours. */
export function trouble({ db, user, now }: Ctx, input: ParsedOf<typeof calls.trouble>) {
  const since = new Date(now.getTime() - SILENT_MS).toISOString()
  const rows = db
    .select(COLUMNS)
    .from(ossEntitlements)
    .innerJoin(devices, and(eq(devices.id, ossEntitlements.deviceId), eq(devices.online, 1)))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, ossEntitlements.tenantId))
    .leftJoin(
      ossDeviceStatus,
      and(
        eq(ossDeviceStatus.deviceId, ossEntitlements.deviceId),
        eq(ossDeviceStatus.channel, ossEntitlements.channel),
        eq(ossDeviceStatus.tenantId, ossEntitlements.tenantId),
      ),
    )
    .where(
      and(
        visibleEntitlements(user),
        visibleDevices(user),
        eq(ossEntitlements.state, IN_FORCE),
        eq(ossEntitlements.recordType, CONTINUOUS),
        lt(ossEntitlements.runFrom, since),
        or(isNull(ossDeviceStatus.uploadTime), lt(ossDeviceStatus.uploadTime, since)),
        input.tenantId === undefined ? undefined : eq(ossEntitlements.tenantId, input.tenantId),
      ),
    )
    .$dynamic()
  return paginate(db, rows, input, [asc(ossEntitlements.id)])
}
