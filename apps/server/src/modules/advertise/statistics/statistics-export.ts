import { AD_STAT_GROUP, type AdStatRow, type adStats } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DIRECT_EXPORT_ROWS } from '@oms/contract/core/transfer.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendTable } from '#core/spreadsheet/export/send-table.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { listDetails } from './statistics-detail.service.ts'

const HEADS = { 0: ['节目单', '广告'], 1: ['屏幕', ''], 2: ['分组', ''], 3: ['标签', ''] } as const
const SHEET = '广告播放统计'
const number = (key: keyof AdStatRow | 'seconds', title: string) => ({ key, title, width: 14, type: 'number' }) as const

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
  { key: 'firstTime', title: '首次播放', width: 20 },
  { key: 'lastTime', title: '最近播放', width: 20 },
] as const

/** Exports all rows of the table, with the row of totals at the end. */
export async function exportAdStats(ctx: Ctx, input: ParsedOf<typeof adStats.export>): Promise<StreamResponse> {
  const page = { ...input, pageNum: 1, pageSize: DIRECT_EXPORT_ROWS }
  const { list, sum } = await transact(ctx, (db) => listDetails({ ...ctx, db }, page))
  const days = `${input.startDate} 至 ${input.endDate}`
  ctx.audit({ bizType: 'adStatistics', action: `导出${SHEET} ${days}，按${AD_STAT_GROUP[input.groupBy]}` })
  const [name, detailTitle] = HEADS[input.groupBy]
  const columns = [
    { key: 'name', title: name, width: 26 },
    ...(detailTitle ? [{ key: 'detail', title: detailTitle, width: 26 }] : []),
    ...FIGURES,
  ]
  const rows = [...list, { ...sum, name: '合计' }].map((row) => ({ ...row, seconds: Math.round(row.ms / 1000) }))
  return (_request, reply) => sendTable(reply, { name: SHEET, format: input.format, columns, rows })
}
