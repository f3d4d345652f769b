import { AD_STAT_GROUP, AdStatRow, adStats, MAX_STAT_ROWS } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DIRECT_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createExportColumns, selectColumns } from '#core/spreadsheet/columns.ts'
import { sendTable } from '#core/spreadsheet/export/send-table.ts'
import { defineStreamedExport, type StreamSource } from '#core/spreadsheet/export/streamed-export.ts'
import { inTransaction, transact } from '#core/tenancy/tenancy.ts'
import { listDetails } from './statistics-detail.ts'

type Input = ParsedOf<typeof adStats.export>
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
const nameKeys = (groupBy: Input['groupBy']) => NAME_TITLES[groupBy].map((_, at) => `head${groupBy}${at}`)

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
const columnKeys = (groupBy: Input['groupBy']) => [...nameKeys(groupBy), ...FIGURES.map(([key]) => key)]

/** Converts a row of the table to a row of the file, with its names and its played seconds. */
function toExportRow(row: AdStatRow, groupBy: Input['groupBy']) {
  const [name = '', detail = ''] = nameKeys(groupBy)
  return { ...row, [name]: row.name, ...(detail && { [detail]: row.detail }), seconds: Math.round(row.ms / 1000) }
}

const readTable = async (ctx: Parameters<typeof listDetails>[0], input: Input, pageSize: number) => {
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
  batches,
})

/** Yields the table in batches. Reads all rows at once, because pages could miss or repeat rows while plays arrive. */
async function* batches({ services, input, user }: StreamSource<typeof adStats.export>) {
  const who = await user()
  const { rows, total } = await inTransaction(services.database, who, (db) =>
    readTable({ db, user: who, services }, input, MAX_STAT_ROWS),
  )
  if (total > MAX_STAT_ROWS) throw refused(`一次最多导出${MAX_STAT_ROWS}行，请缩小查询范围`)
  for (let at = 0; at < rows.length; at += BATCH) yield { rows: rows.slice(at, at + BATCH), total: rows.length }
}

/** Exports all rows of the table, with the row of totals at the end. A job exports a long table. */
export async function exportAdStats(ctx: Ctx, input: Input): Promise<StreamResponse> {
  const { rows, total } = await transact(ctx, (db) => readTable({ ...ctx, db }, input, DIRECT_EXPORT_ROWS))
  const wanted = columnKeys(input.groupBy)
  if (total > DIRECT_EXPORT_ROWS)
    return exportInJob(ctx, { ...input, columns: wanted } as Input, TRANSFER_MESSAGES.exportLater)
  const days = `${input.startDate} 至 ${input.endDate}`
  ctx.audit({ bizType: 'adStatistics', action: `导出${SHEET} ${days}，按${AD_STAT_GROUP[input.groupBy]}` })
  const columns = selectColumns(createExportColumns(AdStatRow, COLUMNS), wanted)
  return (_request, reply) => sendTable(reply, { name: SHEET, format: input.format, columns, rows })
}
