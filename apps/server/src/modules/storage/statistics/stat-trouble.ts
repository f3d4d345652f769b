import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageStats as calls } from '@oms/contract/storage/statistics.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { paginate } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { ossEntitlements } from '../schema.ts'
import { ossDeviceStatus } from '../schema-video.ts'
import { tenants } from '#core/schema/tenant.ts'
import { visibleEntitlements } from '../entitlements/entitlement-rows.ts'
import { CHANNEL_STATUS_CONDITION, buildSilentChannelCondition, ONLINE_DEVICE_CONDITION } from '../silent-channels.ts'

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
export function listSilentChannels({ db, user, now }: Ctx, input: ParsedOf<typeof calls.trouble>) {
  const rows = db
    .select(COLUMNS)
    .from(ossEntitlements)
    .innerJoin(devices, ONLINE_DEVICE_CONDITION)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, ossEntitlements.tenantId))
    .leftJoin(ossDeviceStatus, CHANNEL_STATUS_CONDITION)
    .where(
      and(
        visibleEntitlements(user),
        visibleDevices(user),
        buildSilentChannelCondition(now),
        input.tenantId === undefined ? undefined : eq(ossEntitlements.tenantId, input.tenantId),
      ),
    )
    .$dynamic()
  return paginate(db, rows, input, [asc(ossEntitlements.id)])
}
