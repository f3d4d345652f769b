import { type ScreenPlayRow, screenPlays as calls } from '@oms/contract/advertise/screen-plays.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { implement } from '#core/http/implement.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay, parseLocalTime } from '#core/time/zone.ts'
import { buildScreenZone } from '#domain/ads/screens/screen-zone.ts'
import { visibleDevices } from '#domain/fleet/device-filter.ts'
import { adPlays, adRejects } from '#schema/advertise-play.ts'
import { adScreens } from '#schema/advertise-screen.ts'
import { devices } from '#schema/device.ts'
import { buildMarkedName, buildPlayCondition } from './statistics-source.ts'

/** Start of a play in epoch milliseconds; without a trusted clock, the time at which the report arrived. */
const PLAYED_AT_SQL = sql`case when clock = 0 then (extract(epoch from recv) * 1000)::float8 else start_ms::float8 end`

/** Returns a page of the reported plays of a screen on the day of a moment, and the number of rejected reports. */
async function listScreenPlays(ctx: Ctx, { sn, time, pageSize, ...asked }: ParsedOf<typeof calls.list>) {
  const { db, user, now, services } = ctx
  const { config } = services
  const screen = await readScreen(ctx, sn)
  const { zone } = screen
  const at = time ? parseLocalTime(time, zone) : now.getTime()
  const day = formatLocalDay(at, zone)
  const [from, to] = [day, addDays(day)].map((each) => parseLocalTime(`${each} 00:00:00`, zone)) as [number, number]
  const utcDays = [from, to].map((instant) => new Date(instant).toISOString().slice(0, 10))
  // `play_day` and `device_id` are the first columns of the primary key, and `play_day` selects the partitions.
  const where = sql`play_day between ${utcDays[0]}::date and ${utcDays[1]}::date and device_id = ${screen.id}::int
    and ${PLAYED_AT_SQL} >= ${from}::float8 and ${PLAYED_AT_SQL} < ${to}::float8 and ${buildPlayCondition(user, adPlays, {})}`
  const { rows } = await db.execute<{ total: number; before: number }>(sql`
    select count(*)::int as total, count(*) filter (where ${PLAYED_AT_SQL} <= ${at}::float8)::int as before
    from ad_plays where ${where}`)
  const { total = 0, before = 0 } = rows[0] ?? {}
  const pageNum = asked.pageNum ?? Math.max(1, Math.ceil(before / pageSize))
  return {
    list: await readPage(ctx, where, { offset: (pageNum - 1) * pageSize, limit: pageSize }),
    total,
    pageNum,
    zone,
    at,
    day,
    keptFrom: addDays(formatLocalDay(now, zone), -config.adPlayDays),
    rejects: await readRejects(ctx, screen.id, formatLocalDay(at, config.timeZone)),
  }
}

async function readScreen({ db, user, services }: Ctx, sn: string) {
  const [screen] = await db
    .select({
      id: devices.id,
      zone: buildScreenZone(services.config.timeZone),
    })
    .from(devices)
    .innerJoin(adScreens, eq(adScreens.deviceId, devices.id))
    .where(and(eq(devices.sn, sn), visibleDevices(user)))
  if (!screen) throw notFound('屏幕')
  return screen
}

async function readPage({ db }: Ctx, where: SQL, { offset, limit }: { offset: number; limit: number }) {
  const { rows } = await db.execute<ScreenPlayRow & Record<string, unknown>>(sql`
    with page as (select *, ${PLAYED_AT_SQL} as played_at from ad_plays where ${where}
      order by played_at, report_id offset ${offset}::int limit ${limit}::int)
    select report_id as "reportId", played_at as at, ms, planned, ad_id as "adId", ${buildMarkedName(1, sql`ad_id`)} as "adName",
      program_id as "programId", ${buildMarkedName(2, sql`program_id`)} as "programName", program_ver as "programVer", result, clock, count,
      result <> 3 as "isCounted"
    from page order by played_at, report_id`)
  return rows
}

async function readRejects({ db, user }: Ctx, deviceId: number, day: string) {
  const { rows } = await db.execute<{ reason: string; count: number }>(sql`
    select reason, n as count from ad_rejects where day = ${day}::date and device_id = ${deviceId}::int
      and ${scoped(user, { tenant: adRejects.tenantId }) ?? sql`true`} order by n desc`)
  return rows
}

/** Endpoint of the single plays of a screen. */
export const screenPlayModule = implement(calls, { list: listScreenPlays })
