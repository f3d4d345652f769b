import { and, eq, gte, isNull, or } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import { ossNotices } from './schema-sales.ts'

/**
 * Condition of the notices that were created after the App account or the tenant of the device last changed. Earlier
 * notices belong to a former owner.
 */
export const isOfCurrentOwner = and(
  eq(ossNotices.tenantId, devices.tenantId),
  or(isNull(devices.ownerTime), gte(ossNotices.createTime, devices.ownerTime)),
)
