import type { storageStats as calls } from '@oms/contract/storage/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { ossStored, ossUsageDays } from '../schema-video.ts'

/** Devices that the account created. */
const ownDevices = (uid: number) => sql`(select id from ${devices} where create_by = ${uid})`

/**
 * Sources of the sums. The sums have a tenant but no creator. For an account that sees only the records it created, the
 * same columns are computed from the videos of the devices that it created.
 */
function buildUsageSources({ scope: { ownOnly }, uid }: User) {
  if (!ownOnly) return { stored: sql`${ossStored}`, uploaded: sql`${ossUsageDays}` }
  return {
    stored: sql`(select tenant_id, expire_day, bytes from oss_segments
      where status <> 2 and device_id in ${ownDevices(uid)}) as oss_stored`,
    uploaded: sql`(select day, tenant_id, bytes, segments, 1 as device_days from oss_device_days
      where device_id in ${ownDevices(uid)}) as oss_usage_days`,
  }
}

type Sums = typeof ossUsageDays | typeof ossStored

const visible = (of: Sums, user: User, tenantId: number | undefined) =>
  and(scoped(user, { tenant: of.tenantId }), tenantId === undefined ? undefined : eq(of.tenantId, tenantId)) ??
  sql`true`

/** Returns the bytes of the stored videos whose storage time is not over, and the bytes that cameras recorded today. */
export async function countStoredBytes({ db, user }: Ctx, tenantId: number | undefined, today: string) {
  const { stored, uploaded } = buildUsageSources(user)
  const { rows } = await db.execute<{ storedBytes: number; todayBytes: number }>(sql`
    select (select coalesce(sum(bytes), 0)::float8 from ${stored}
        where expire_day > ${today}::date and ${visible(ossStored, user, tenantId)}) as "storedBytes",
      (select coalesce(sum(bytes), 0)::float8 from ${uploaded}
        where day = ${today}::date and ${visible(ossUsageDays, user, tenantId)}) as "todayBytes"`)
  return rows[0]!
}

type UsageDay = {
  day: string
  bytes: number
  segments: number
  deviceDays: number
}

/** Returns the uploads of each day of the range. */
export async function getStorageUsage(
  { db, user }: Ctx,
  { startDate, endDate, tenantId }: ParsedOf<typeof calls.usage>,
) {
  const { uploaded } = buildUsageSources(user)
  const inRange = sql`day between ${startDate}::date and ${endDate}::date`
  const { rows } = await db.execute<UsageDay>(sql`
    with s as (select day, sum(bytes)::float8 as bytes, sum(segments)::int as segments, sum(device_days)::int as days
      from ${uploaded} where ${inRange} and ${visible(ossUsageDays, user, tenantId)} group by day)
    select g::date::text as day, coalesce(s.bytes, 0) as bytes, coalesce(s.segments, 0) as segments,
      coalesce(days, 0) as "deviceDays"
    from generate_series(${startDate}::date, ${endDate}::date, interval '1 day') g
    left join s on s.day = g::date order by 1`)
  return { days: rows }
}
