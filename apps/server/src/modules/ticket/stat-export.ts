import { PROBLEM_PART, PROBLEM_TYPE, type ProblemPart } from '@oms/contract/ticket/ticket-rows.ts'
import type { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import { DICT_SEED } from '@oms/contract/system/dict-seed.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ExportFormat } from '@oms/contract/core/transfer.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendTable } from '#core/spreadsheet/export/send-table.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { getModelStatistic } from './stat-model.ts'
import {
  getBacklogAges,
  getHandlerStatistic,
  getProblemStatistic,
  type TicketStatQuery,
  getTicketSummary,
  getTicketTrend,
} from './stat.ts'

const COLUMNS = [
  { key: 'part', title: '分类', width: 18 },
  { key: 'name', title: '项目', width: 30 },
  { key: 'value', title: '数值', width: 14, type: 'number' },
  { key: 'more', title: '说明', width: 50 },
] as const

type Line = { part: string; name: string; value: number | null; more: string }

/** Exports every figure of the page, one row each. */
export async function exportStat(ctx: Ctx, input: ParsedOf<typeof feedbackStat.export>): Promise<StreamResponse> {
  const { format = 'xlsx' } = input as { format?: ExportFormat }
  const rows = await transact(ctx, (db) => linesOf({ ...ctx, db }, input))
  ctx.audit({ bizType: 'ticket', action: `导出售后统计 ${input.startDate} 至 ${input.endDate}` })
  return (_request, reply) => sendTable(reply, { name: '售后统计', format, columns: COLUMNS, rows })
}

async function linesOf(ctx: Ctx, input: TicketStatQuery): Promise<Line[]> {
  const figures = await getTicketSummary(ctx, input)
  const line =
    (part: string) =>
    (name: string, value: number | null, more = '') => ({ part, name, value, more })
  const one = line('概览')
  const [{ days }, problems, { models }] = [
    await getTicketTrend(ctx, input),
    await getProblemStatistic(ctx, input),
    await getModelStatistic(ctx, input),
  ]
  return [
    one('新增', figures.created),
    one('关闭', figures.closed),
    one('未关闭', figures.backlog, '当前'),
    one('未分派', figures.unassigned, '当前'),
    one('已超时', figures.breached, '当前'),
    one('平均首次响应（分钟）', figures.respondMinutes),
    one('平均解决（分钟）', figures.solveMinutes),
    one('重新打开率（%）', figures.reopenRate),
    one('满意度', figures.satisfaction, `${figures.rated} 个评价`),
    one('按时完成率（%）', figures.hitRate),
    ...days.map(({ day, created, closed, backlog }) => line('每日')(day, created, `关闭 ${closed}，未关闭 ${backlog}`)),
    ...problems.types.map(({ key, count }) =>
      line('问题类型')(PROBLEM_TYPE[Number(key) as keyof typeof PROBLEM_TYPE] ?? key, count),
    ),
    ...(['hardware', 'software', 'structure'] as const).flatMap((part) =>
      problems[part].map(({ key, count }) => line(PROBLEM_PART[part])(optionName(part, key), count)),
    ),
    ...models.flatMap(({ modelName, versions }) =>
      versions.map(({ verName, tickets, devices, rate }) =>
        line('型号与固件')(`${modelName} ${verName}`, tickets, `${devices} 台，每千台 ${rate ?? '-'}`),
      ),
    ),
    ...(await getHandlerStatistic(ctx, input)).map(({ realname, open, closed, solveMinutes }) =>
      line('处理人员')(realname, closed, `处理中 ${open}，平均解决 ${solveMinutes ?? '-'} 分钟`),
    ),
    ...(await getBacklogAges(ctx, input)).map(({ label, count }) => line('未关闭时长')(label, count)),
  ]
}

const optionName = (part: ProblemPart, key: string) =>
  DICT_SEED.find(({ type }) => type === `feedback_${part}`)?.entries.find(([value]) => value === key)?.[1] ?? key
