import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { devices } from '#schema/device.ts'
import { ossEntitlements } from '#schema/storage.ts'
import { ossDeviceStatus } from '#schema/storage-video.ts'

const SILENT_MS = 2 * 3_600_000
const CONTINUOUS = 1
const IN_FORCE = 1

/** Join condition of the online device of an entitlement. */
export const isOnlineDevice = and(eq(devices.id, ossEntitlements.deviceId), eq(devices.online, 1))

/** Join condition of the status of an entitlement's channel. */
export const isStatusOfChannel = and(
  eq(ossDeviceStatus.deviceId, ossEntitlements.deviceId),
  eq(ossDeviceStatus.channel, ossEntitlements.channel),
  eq(ossDeviceStatus.tenantId, ossEntitlements.tenantId),
)

/** Condition of entitlements to continuous recording that are in force and without an upload for two hours. */
export function isSilent(now: Date) {
  const since = new Date(now.getTime() - SILENT_MS).toISOString()
  return and(
    eq(ossEntitlements.state, IN_FORCE),
    eq(ossEntitlements.recordType, CONTINUOUS),
    lt(ossEntitlements.runFrom, since),
    or(isNull(ossDeviceStatus.uploadTime), lt(ossDeviceStatus.uploadTime, since)),
  )
}
