import { AdPlayRow, adStats, MAX_PLAY_ROWS } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { defineStreamedExport, type StreamSource } from '#core/spreadsheet/export/streamed-export.ts'
import { inTransaction, scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { adPlays } from '../schema-play.ts'
import { ads } from '../schema.ts'
import { buildMarkedName, buildPlayCondition, buildScreenCondition } from './statistics-source.ts'

type Input = ParsedOf<typeof adStats.exportPlays>
const BATCH = 2000

interface Play extends Record<string, unknown> {
  playDay: string
  deviceId: number
  reportId: string
  at: number
  ms: number
  planned: number
  recvMs: number
  day: string
  tenantName: string
  sn: string
  programName: string
  programVer: number
  adName: string
  advertiser: string
  contractNo: string
  adVer: number
  result: number
  clock: number
  count: number
}

/** Exports the single plays that are still kept, by day and screen, as a job. */
export const exportPlays = defineStreamedExport({
  kind: 'adPlay',
  endpoint: adStats.exportPlays,
  sheet: '广告播放明细',
  schema: AdPlayRow,
  columns: Object.keys(AdPlayRow.shape) as (keyof typeof AdPlayRow.shape)[],
  batches,
})

async function* batches({ services, input, user, signal }: StreamSource<typeof adStats.exportPlays>) {
  const zone = services.config.timeZone
  const total = await read(services, await user(), (db, who) => countOf(db, who, input, zone))
  if (total > MAX_PLAY_ROWS) throw refused(`一次最多导出${MAX_PLAY_ROWS}条播放明细，请缩小查询范围`)
  for (let after: Play | undefined, isLast = false; !isLast; ) {
    signal.throwIfAborted()
    const last = after
    const plays = await read(services, await user(), (db, who) => pageAfter(db, who, input, { zone, last }))
    isLast = plays.length < BATCH
    after = plays.at(-1)
    yield { rows: plays.map((play) => lineOf(play, zone)), total }
  }
}

const read = <T>(services: StreamSource<never>['services'], who: User, work: (db: Db, who: User) => Promise<T>) =>
  inTransaction(services.database, who, (db) => work(db, who))

/** Condition for the plays of the range: a play without a trusted clock belongs to the day of its arrival. */
async function conditionOf(db: Db, user: User, input: Input, zone: string): Promise<SQL> {
  const { startDate, endDate } = input
  return sql`play_day between ${startDate}::date - 1 and ${endDate}::date + 1
    and (case when clock = 0 then recv else to_timestamp(start_ms / 1000.0) end at time zone ${zone})::date
      between ${startDate}::date and ${endDate}::date
    and ${buildPlayCondition(user, adPlays, input)} and ${(await buildScreenCondition(db, user, input)) ?? sql`true`}`
}

async function countOf(db: Db, user: User, input: Input, zone: string) {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select from ad_plays where ${await conditionOf(db, user, input, zone)} limit ${MAX_PLAY_ROWS + 1}) c`)
  return rows[0]!.n
}

async function pageAfter(db: Db, user: User, input: Input, { zone, last }: { zone: string; last: Play | undefined }) {
  const after = last
    ? sql`and (play_day, device_id, report_id) > (${last.playDay}::date, ${last.deviceId}::int, ${last.reportId}::uuid)`
    : sql``
  // Empty for an ad of a tenant that the account may not see.
  const attribute = (column: string) =>
    sql`coalesce((select ${sql.raw(column)} from ads where ${and(sql`ads.id = page.ad_id`, scoped(user, { tenant: ads.tenantId }))}), '')`
  const { rows } = await db.execute<Play>(sql`
    with page as (select * from ad_plays where ${await conditionOf(db, user, input, zone)} ${after}
      order by play_day, device_id, report_id limit ${BATCH})
    select play_day::text as "playDay", device_id as "deviceId", report_id as "reportId", start_ms::float8 as at, ms, planned,
      (extract(epoch from recv) * 1000)::float8 as "recvMs",
      (case when clock = 0 then recv else to_timestamp(start_ms / 1000.0) end at time zone ${zone})::date::text as day,
      ${buildMarkedName(4, sql`tenant_id`)} as "tenantName", ${buildMarkedName(3, sql`device_id`)} as sn, ${buildMarkedName(2, sql`program_id`)} as "programName",
      program_ver as "programVer", ${buildMarkedName(1, sql`ad_id`)} as "adName", ${attribute('advertiser')} as advertiser,
      ${attribute('contract_no')} as "contractNo", ad_ver as "adVer", result, clock, count
    from page order by play_day, device_id, report_id`)
  return rows
}

function lineOf({ playDay: _day, deviceId: _device, at, ms, planned, recvMs, ...play }: Play, zone: string) {
  return {
    ...play,
    startTime: formatLocalTime(at, zone),
    seconds: ms / 1000,
    plannedSeconds: planned / 1000,
    recvTime: formatLocalTime(recvMs, zone),
  }
}
