import { and, eq, gte, isNull, or } from 'drizzle-orm'
import { devices } from '#schema/device.ts'
import { ossNotices } from '#schema/storage-sales.ts'

/** Condition of notices since the App account or the tenant of the device changed. Earlier ones are a former owner's. */
export const isOfCurrentOwner = and(
  eq(ossNotices.tenantId, devices.tenantId),
  or(isNull(devices.ownerTime), gte(ossNotices.createTime, devices.ownerTime)),
)
