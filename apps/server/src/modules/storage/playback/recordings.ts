import { MAX_PLAY_SEGMENTS } from '@oms/contract/storage/app.ts'
import { and, asc, count, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { ossDeviceDays, ossEvents, ossPurges, ossSegments } from '../schema-video.ts'
import { ossQueues } from '../schema.ts'
import { KEEP_DAYS_SQL } from '../settings.ts'
import { SEGMENT_KIND } from '../video/segment.ts'

/** Longest recording, in milliseconds: a range also shows a recording that began before the range. */
export const MAX_SEGMENT_MS = 600_000

/** A channel of a device, limited to one of its owners: the tenant and the App account. */
export interface ChannelScope {
  readonly deviceId: number
  readonly channel: number
  readonly tenantId: number
  /** App account; 0: recordings of a device without an account. */
  readonly ownerId: number
}

/** Recordings of one channel that one owner may see. */
export interface RecordingScope extends ChannelScope {
  /** Milliseconds since 1970. */
  readonly begin: number
  readonly end: number
}

interface ZoneAndTime {
  readonly zone: string
  readonly now: number
}

/** Returns the condition for the calendar days on which a channel recorded for this owner. */
export const isDayOf = ({ deviceId, channel, tenantId, ownerId }: ChannelScope) =>
  and(
    eq(ossDeviceDays.deviceId, deviceId),
    eq(ossDeviceDays.channel, channel),
    eq(ossDeviceDays.tenantId, tenantId),
    eq(ossDeviceDays.ownerId, ownerId),
  )

/** Returns the partitions that hold or held the recordings of a range, from the calendar of the channel. */
async function calendarDaysOf(db: Db, scope: RecordingScope, zone: string): Promise<string[]> {
  const rows = await db
    .select({ expireDay: sql<string>`distinct unnest(${ossDeviceDays.expireDays})::text` })
    .from(ossDeviceDays)
    .where(
      and(
        isDayOf(scope),
        gte(ossDeviceDays.day, formatLocalDay(scope.begin - MAX_SEGMENT_MS, zone)),
        lt(ossDeviceDays.day, addDays(formatLocalDay(scope.end, zone))),
      ),
    )
  return rows.map(({ expireDay }) => expireDay)
}

/**
 * Returns the unexpired partitions that hold the recordings of a range. Returns none when all recordings of the channel
 * have expired, some days after the end of its last package.
 */
export async function listExpireDays(db: Db, scope: RecordingScope, { zone, now }: ZoneAndTime) {
  const today = formatLocalDay(now, zone)
  const expireDays = (await calendarDaysOf(db, scope, zone)).filter((expireDay) => expireDay > today)
  return expireDays.length > 0 && (await isStorageOver(db, scope, now)) ? [] : expireDays
}

/** Returns whether the last package of a channel ended more than the configured days ago. */
export async function isStorageOver(db: Db, { deviceId, channel, tenantId }: ChannelScope, now: number) {
  const rows = await db
    .select({ channel: ossQueues.channel })
    .from(ossQueues)
    .where(
      and(
        eq(ossQueues.deviceId, deviceId),
        eq(ossQueues.channel, channel),
        eq(ossQueues.tenantId, tenantId),
        eq(ossQueues.suspended, 0),
        sql`${ossQueues.endTime} < to_timestamp(${now}::float8 / 1000) - make_interval(days => ${KEEP_DAYS_SQL})`,
      ),
    )
  return rows.length > 0
}

/** Returns the refusal of a range without recordings: the storage time of its days is over, or nothing was recorded. */
export async function createNoRecordingsError(db: Db, scope: RecordingScope, moment: ZoneAndTime) {
  const isRecorded = (await calendarDaysOf(db, scope, moment.zone)).length > 0
  const isExpired = isRecorded && (await listExpireDays(db, scope, moment)).length === 0
  return refused(isExpired ? '录像已过保存期' : '该时间段没有录像')
}

/**
 * Condition of recordings or events that no waiting deletion covers: deleted recordings are hidden before they are
 * removed.
 */
export const buildNotPurgedCondition = (of: typeof ossSegments | typeof ossEvents) => sql`not exists (
  select from ${ossPurges} p where p.state = 0
  and p.device_id = ${of.deviceId} and p.tenant_id = ${of.tenantId}
  and (p.owner_id = 0 or p.owner_id = ${of.ownerId})
  and (p.channel is null or p.channel = ${of.channel})
  and ${of.startMs} >= p.from_ms and ${of.startMs} < p.until_ms)`

/**
 * Returns the sums by day of the recordings in pending deletions. The rows of these recordings still exist, but are
 * hidden.
 */
export async function sumHiddenByDay(
  db: Db,
  { deviceId, channel, tenantId, ownerId }: ChannelScope,
  expireDays: readonly string[],
): Promise<ReadonlyMap<string, { readonly segments: number; readonly seconds: number }>> {
  // Reads the pending deletions first, because few devices have one.
  const { rows } = await db.execute<{ day: string; segments: number; seconds: number }>(sql`
    select day::text as day, count(*)::int as segments, round(sum(duration_ms) / 1000.0)::int as seconds
    from (select distinct s.expire_day, s.kind, s.start_ms, s.day, s.duration_ms
      from ${ossPurges} p join ${ossSegments} s on s.device_id = p.device_id and s.tenant_id = p.tenant_id
        and s.start_ms >= p.from_ms and s.start_ms < p.until_ms
      where p.state = 0 and p.device_id = ${deviceId} and p.tenant_id = ${tenantId} and p.owner_id in (0, ${ownerId})
        and (p.channel is null or p.channel = ${channel}) and s.channel = ${channel} and s.owner_id = ${ownerId}
        and s.status <> 2 and s.expire_day = any(${sql.param([...expireDays])}::date[])) hidden
    group by 1`)
  return new Map(rows.map((row) => [row.day, row]))
}

/** Returns the number of events that the owner can still see, by the day of their start. */
export async function countEventsByDay(
  db: Db,
  { deviceId, channel, tenantId, ownerId }: ChannelScope,
  { expireDays, zone }: { readonly expireDays: readonly string[]; readonly zone: string },
): Promise<ReadonlyMap<string, number>> {
  const day = sql<string>`to_char(to_timestamp(${ossEvents.startMs} / 1000.0) at time zone ${zone}, 'YYYY-MM-DD')`
  const rows = await db
    .select({ day, events: count() })
    .from(ossEvents)
    .where(
      and(
        inArray(ossEvents.expireDay, [...expireDays]),
        eq(ossEvents.deviceId, deviceId),
        eq(ossEvents.channel, channel),
        eq(ossEvents.tenantId, tenantId),
        eq(ossEvents.ownerId, ownerId),
        buildNotPurgedCondition(ossEvents),
      ),
    )
    .groupBy(sql`1`)
  return new Map(rows.map((row) => [row.day, row.events]))
}

/** Returns the condition for stored segments of one kind in these partitions, limited to the tenant and the owner. */
const isStored = (scope: ChannelScope, kind: number, expireDays: readonly string[]) =>
  and(
    inArray(ossSegments.expireDay, [...expireDays]),
    eq(ossSegments.deviceId, scope.deviceId),
    eq(ossSegments.channel, scope.channel),
    eq(ossSegments.kind, kind),
    eq(ossSegments.tenantId, scope.tenantId),
    eq(ossSegments.ownerId, scope.ownerId),
    eq(ossSegments.status, 1),
    buildNotPurgedCondition(ossSegments),
  )

interface PageLimits {
  readonly limit: number
  readonly offset?: number
}

/** Returns pictures that were taken in a range, oldest first, and their total number. */
export async function listPictures(
  db: Db,
  scope: RecordingScope,
  { zone, now, limit, offset = 0 }: ZoneAndTime & PageLimits,
) {
  const unexpired = await listExpireDays(db, scope, { zone, now })
  if (unexpired.length === 0) return { total: 0, list: [] }
  const isInRange = and(
    isStored(scope, SEGMENT_KIND.picture, unexpired),
    gte(ossSegments.startMs, scope.begin),
    lt(ossSegments.startMs, scope.end),
  )
  const [counted] = await db.select({ total: count() }).from(ossSegments).where(isInRange)
  const list = await db
    .select({
      expireDay: ossSegments.expireDay,
      startMs: ossSegments.startMs,
      bytes: ossSegments.bytes,
      format: ossSegments.format,
      salt: ossSegments.salt,
    })
    .from(ossSegments)
    .where(isInRange)
    .orderBy(asc(ossSegments.startMs), asc(ossSegments.expireDay))
    .limit(limit)
    .offset(offset)
  return { total: counted?.total ?? 0, list }
}

export type Picture = Awaited<ReturnType<typeof listPictures>>['list'][number]

/**
 * Returns stored videos of a range in the order of their start, at most `limit`, from unexpired days only. A video
 * belongs to the range when a part of it lies inside.
 */
export async function listRecordings(
  db: Db,
  scope: RecordingScope,
  { zone, now, limit = MAX_PLAY_SEGMENTS }: ZoneAndTime & { readonly limit?: number },
) {
  const unexpired = await listExpireDays(db, scope, { zone, now })
  if (unexpired.length === 0) return []
  return db
    .select({
      expireDay: ossSegments.expireDay,
      startMs: ossSegments.startMs,
      durationMs: ossSegments.durationMs,
      bytes: ossSegments.bytes,
      format: ossSegments.format,
      session: ossSegments.session,
      seq: ossSegments.seq,
      initBytes: ossSegments.initBytes,
      salt: ossSegments.salt,
    })
    .from(ossSegments)
    .where(
      and(
        isStored(scope, SEGMENT_KIND.video, unexpired),
        gte(ossSegments.startMs, scope.begin - MAX_SEGMENT_MS),
        lt(ossSegments.startMs, scope.end),
        sql`${ossSegments.startMs} + ${ossSegments.durationMs} > ${scope.begin}`,
      ),
    )
    .orderBy(asc(ossSegments.startMs))
    .limit(limit)
}
export type Recording = Awaited<ReturnType<typeof listRecordings>>[number]
