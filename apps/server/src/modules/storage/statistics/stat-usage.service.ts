import type { storageStats as calls } from '@oms/contract/storage/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { ossPlayDays } from '#schema/playback.ts'
import { ossStored, ossUsageDays } from '#schema/storage-video.ts'

const visibleDays = (of: typeof ossUsageDays | typeof ossPlayDays, user: User, tenantId: number | undefined) =>
  and(scoped(user, { tenant: of.tenantId }), tenantId === undefined ? undefined : eq(of.tenantId, tenantId)) ??
  sql`true`

/** Returns the bytes of all stored videos, and the bytes that cameras recorded today. */
export async function countStoredBytes({ db, user }: Ctx, tenantId: number | undefined, today: string) {
  const [stored] = await db
    .select({ bytes: sql<number>`coalesce(sum(${ossStored.bytes}), 0)::float8` })
    .from(ossStored)
    .where(
      and(
        scoped(user, { tenant: ossStored.tenantId }),
        tenantId === undefined ? undefined : eq(ossStored.tenantId, tenantId),
      ),
    )
  const [uploaded] = await db
    .select({ bytes: sql<number>`coalesce(sum(${ossUsageDays.bytes}), 0)::float8` })
    .from(ossUsageDays)
    .where(and(eq(ossUsageDays.day, today), visibleDays(ossUsageDays, user, tenantId)))
  return { storedBytes: stored?.bytes ?? 0, todayBytes: uploaded?.bytes ?? 0 }
}

type UsageDay = {
  day: string
  bytes: number
  segments: number
  deviceDays: number
  playedBytes: number
  playedSegments: number
}

/** Returns the uploads and the played recordings of each day of the range. */
export async function getStorageUsage(
  { db, user }: Ctx,
  { startDate, endDate, tenantId }: ParsedOf<typeof calls.usage>,
) {
  const inRange = sql`day between ${startDate}::date and ${endDate}::date`
  const { rows } = await db.execute<UsageDay>(sql`
    with s as (select day, sum(bytes)::float8 as bytes, sum(segments)::int as segments, sum(device_days)::int as days
      from ${ossUsageDays} where ${inRange} and ${visibleDays(ossUsageDays, user, tenantId)} group by day),
    p as (select day, sum(bytes)::float8 as bytes, sum(segments)::int as segments
      from ${ossPlayDays} where ${inRange} and ${visibleDays(ossPlayDays, user, tenantId)} group by day)
    select g::date::text as day, coalesce(s.bytes, 0) as bytes, coalesce(s.segments, 0) as segments,
      coalesce(days, 0) as "deviceDays", coalesce(p.bytes, 0) as "playedBytes",
      coalesce(p.segments, 0) as "playedSegments"
    from generate_series(${startDate}::date, ${endDate}::date, interval '1 day') g
    left join s on s.day = g::date left join p on p.day = g::date order by 1`)
  return { days: rows }
}
