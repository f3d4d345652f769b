import {
  AD_STAT_GROUP,
  AdStatRow,
  adStats,
  MAX_STAT_ROWS,
  AdPlayRow,
  MAX_PLAY_ROWS,
} from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DIRECT_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createExportColumns, selectColumns } from '#core/spreadsheet/columns.ts'
import { defineStreamedExport, type StreamSource } from '#core/spreadsheet/export.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { inTransaction, transact, scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { adPlays } from '../schema-play.ts'
import { ads } from '../schema.ts'
import { listDetails } from './statistics-detail.ts'
import { buildMarkedName, buildPlayCondition, buildScreenCondition } from './statistics-source.ts'

type FiguresInput = ParsedOf<typeof adStats.export>
const SHEET = '广告播放统计'
const BATCH = 2000

/** Titles of the columns with the names of a row, by grouping. */
const NAME_TITLES = {
  0: ['节目单', '广告'],
  1: ['屏幕'],
  2: ['分组'],
  3: ['标签'],
  4: ['广告主'],
  5: ['合同编号'],
} as const
const nameKeys = (groupBy: FiguresInput['groupBy']) => NAME_TITLES[groupBy].map((_, at) => `head${groupBy}${at}`)

const NAMES = Object.entries(NAME_TITLES).flatMap(([groupBy, titles]) =>
  titles.map((title, at) => [`head${groupBy}${at}`, { title, width: 26 }] as const),
)
const number = (key: keyof AdStatRow | 'seconds', title: string) =>
  [key, { title, width: 14, type: 'number' as const }] as const
const FIGURES = [
  number('plays', '播放次数'),
  number('complete', '完整'),
  number('partial', '不完整'),
  number('failed', '失败'),
  number('untrusted', '未校时'),
  number('completeRate', '完整率（%）'),
  number('seconds', '播放时长（秒）'),
  number('screens', '到达屏幕数'),
  number('share', '实际份额（%）'),
  number('exposure', '预计曝光（估算）'),
  ['firstTime', { title: '首次播放', width: 20 }],
  ['lastTime', { title: '最近播放', width: 20 }],
] as const
const COLUMNS = [...NAMES, ...FIGURES]
const columnKeys = (groupBy: FiguresInput['groupBy']) => [...nameKeys(groupBy), ...FIGURES.map(([key]) => key)]

/** Converts a row of the table to a row of the file, with its names and its played seconds. */
function toExportRow(row: AdStatRow, groupBy: FiguresInput['groupBy']) {
  const [name = '', detail = ''] = nameKeys(groupBy)
  return { ...row, [name]: row.name, ...(detail && { [detail]: row.detail }), seconds: Math.round(row.ms / 1000) }
}

const readTable = async (ctx: Parameters<typeof listDetails>[0], input: FiguresInput, pageSize: number) => {
  const { list, sum, total } = await listDetails(ctx, { ...input, pageNum: 1, pageSize })
  return { total, rows: [...list, { ...sum, name: '合计' }].map((row) => toExportRow(row, input.groupBy)) }
}

/** Starts the job that exports a table with too many rows for a direct download. */
const exportInJob = defineStreamedExport({
  kind: 'adStatistics',
  endpoint: adStats.export,
  sheet: SHEET,
  schema: AdStatRow,
  columns: COLUMNS,
  batches: batchesOfFigures,
})

/** Yields the table in batches. Reads all rows at once, because pages could miss or repeat rows while plays arrive. */
async function* batchesOfFigures({ services, input, user }: StreamSource<typeof adStats.export>) {
  const who = await user()
  const { rows, total } = await inTransaction(services.database, who, (db) =>
    readTable({ db, user: who, services }, input, MAX_STAT_ROWS),
  )
  if (total > MAX_STAT_ROWS) throw refused(`一次最多导出${MAX_STAT_ROWS}行，请缩小查询范围`)
  for (let at = 0; at < rows.length; at += BATCH) yield { rows: rows.slice(at, at + BATCH), total: rows.length }
}

/** Exports all rows of the table, with the row of totals at the end. A job exports a long table. */
export async function exportAdStats(ctx: Ctx, input: FiguresInput): Promise<StreamResponse> {
  const { rows, total } = await transact(ctx, (db) => readTable({ ...ctx, db }, input, DIRECT_EXPORT_ROWS))
  const wanted = columnKeys(input.groupBy)
  if (total > DIRECT_EXPORT_ROWS)
    return exportInJob(ctx, { ...input, columns: wanted } as FiguresInput, TRANSFER_MESSAGES.exportLater)
  const days = `${input.startDate} 至 ${input.endDate}`
  ctx.audit({ bizType: 'adStatistics', action: `导出${SHEET} ${days}，按${AD_STAT_GROUP[input.groupBy]}` })
  const columns = selectColumns(createExportColumns(AdStatRow, COLUMNS), wanted)
  return (_request, reply) => sendTable(reply, { name: SHEET, format: input.format, columns, rows })
}

type PlaysInput = ParsedOf<typeof adStats.exportPlays>

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
  batches: batchesOfPlays,
})

async function* batchesOfPlays({ services, input, user, signal }: StreamSource<typeof adStats.exportPlays>) {
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
async function conditionOf(db: Db, user: User, input: PlaysInput, zone: string): Promise<SQL> {
  const { startDate, endDate } = input
  return sql`play_day between ${startDate}::date - 1 and ${endDate}::date + 1
    and (case when clock = 0 then recv else to_timestamp(start_ms / 1000.0) end at time zone ${zone})::date
      between ${startDate}::date and ${endDate}::date
    and ${buildPlayCondition(user, adPlays, input)} and ${(await buildScreenCondition(db, user, input)) ?? sql`true`}`
}

async function countOf(db: Db, user: User, input: PlaysInput, zone: string) {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select from ad_plays where ${await conditionOf(db, user, input, zone)} limit ${MAX_PLAY_ROWS + 1}) c`)
  return rows[0]!.n
}

async function pageAfter(
  db: Db,
  user: User,
  input: PlaysInput,
  { zone, last }: { zone: string; last: Play | undefined },
) {
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
