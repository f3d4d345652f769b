import { and, eq, isNull, lt, not, or, sql } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import { ossEntitlements, ossQueues, ossSpans } from './schema.ts'
import { ossDeviceStatus } from './schema-video.ts'

const SILENT_MS = 2 * 3_600_000
const CONTINUOUS = 1
const IN_FORCE = 1

/** Join condition of the online device of an entitlement. */
export const ONLINE_DEVICE_CONDITION = and(eq(devices.id, ossEntitlements.deviceId), eq(devices.online, 1))

/** Join condition of the status of an entitlement's channel. */
export const CHANNEL_STATUS_CONDITION = and(
  eq(ossDeviceStatus.deviceId, ossEntitlements.deviceId),
  eq(ossDeviceStatus.channel, ossEntitlements.channel),
  eq(ossDeviceStatus.tenantId, ossEntitlements.tenantId),
)

/** True when continuous recording was in force at this time, under the current package or the package before it. */
const wasInForceSince = (since: string) =>
  or(
    lt(ossEntitlements.runFrom, since),
    sql`exists (select from ${ossSpans} s where s.device_id = ${ossEntitlements.deviceId}
      and s.channel = ${ossEntitlements.channel} and s.record_type = ${CONTINUOUS} and s.from_time < ${since}
      and s.to_time >= ${ossEntitlements.runFrom})`,
  )

/**
 * True when the user has switched recording off, or when a request of the camera was refused for this reason after this
 * time.
 */
const isSwitchedOffSince = (since: string) => sql`(
  exists (select from ${ossQueues} q where q.device_id = ${ossEntitlements.deviceId}
    and q.channel = ${ossEntitlements.channel} and q.switched_off = 1)
  or coalesce(${ossDeviceStatus.answer} = 'switch' and ${ossDeviceStatus.askTime} >= ${since}, false))`

/**
 * Returns the SQL condition for silent channels: an entitlement to continuous recording is in force, and the camera has
 * uploaded nothing for two hours. Excludes channels whose user has switched recording off.
 */
export function buildSilentChannelCondition(now: Date) {
  const since = new Date(now.getTime() - SILENT_MS).toISOString()
  return and(
    eq(ossEntitlements.state, IN_FORCE),
    eq(ossEntitlements.recordType, CONTINUOUS),
    wasInForceSince(since),
    not(isSwitchedOffSince(since)),
    or(isNull(ossDeviceStatus.uploadTime), lt(ossDeviceStatus.uploadTime, since)),
  )
}
