import { ENTITLEMENT_SOURCE } from '@oms/contract/storage/entitlement.ts'
import type { storageStats } from '@oms/contract/storage/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { getStorageUsage } from './stat-usage.ts'
import {
  getExpiryForecast,
  listPackageStats,
  listSourceStats,
  getStorageSummary,
  listTenantStats,
  getStorageTrend,
} from './stat.ts'

type Query = ParsedOf<typeof storageStats.export>

const COLUMNS = [
  { key: 'part', title: '分类', width: 18 },
  { key: 'name', title: '项目', width: 30 },
  { key: 'value', title: '数值', width: 14, type: 'number' },
  { key: 'more', title: '说明', width: 50 },
] as const

const line =
  (part: string) =>
  (name: string, value: number | null, more = '') => ({ part, name, value, more })
const gigabytes = (bytes: number) => Math.round(bytes / 1e7) / 100
const soldText = ({ amount, average }: { amount: number; average: number }) =>
  `金额（未减退款） ${formatFenAsYuan(amount)} 元，均价 ${formatFenAsYuan(average)} 元`

const monthText = ({ sold, gross, revenue }: { sold: number; gross: number; revenue: number }) =>
  `开通和续期 ${sold} 份，金额（未减退款） ${formatFenAsYuan(gross)} 元，退款 ${formatFenAsYuan(gross - revenue)} 元`

/** Exports every figure of the page, one row each. */
export async function exportStorageStats(ctx: Ctx, input: Query): Promise<StreamResponse> {
  const { format } = input
  const rows = await transact(ctx, (db) => linesOf({ ...ctx, db }, input))
  ctx.audit({ bizType: 'entitlement', action: `导出云存统计 ${input.startDate} 至 ${input.endDate}` })
  return (_request, reply) => sendTable(reply, { name: '云存统计', format, columns: COLUMNS, rows })
}

async function linesOf(ctx: Ctx, input: Query) {
  const now = await getStorageSummary(ctx, input)
  const { days: usage } = await getStorageUsage(ctx, input)
  const one = line('概览')
  return [
    one('使用中通道', now.inForce, `待生效 ${now.waiting} 份，已暂停 ${now.suspended} 份`),
    one('开通率（%）', now.rate, `共 ${now.capable} 个通道支持云存储`),
    one('本月净收入（元）', now.revenue / 100, monthText(now)),
    one('7天内到期', now.due7),
    one('30天内到期', now.due30),
    one('已用空间（GB）', gigabytes(now.storedBytes)),
    one('今日上传（GB）', gigabytes(now.todayBytes)),
    ...(await soldLines(ctx, input)),
    ...(await getStorageTrend(ctx, input)).days.map(({ day, opened, renewed, expired }) =>
      line('每日开通')(day, opened, `续期 ${renewed}，到期 ${expired}`),
    ),
    ...usage.map(({ day, bytes, deviceDays }) => line('每日上传（GB）')(day, gigabytes(bytes), `${deviceDays} 个通道`)),
    ...(await getExpiryForecast(ctx, input)).list.map(({ day, n }) => line('到期预测')(day, n)),
  ]
}

async function soldLines(ctx: Ctx, input: Query) {
  return [
    ...(await listPackageStats(ctx, input)).list.map((row) => line('按套餐')(row.packageName, row.n, soldText(row))),
    ...(await listSourceStats(ctx, input)).list.map((row) =>
      line('按来源')(ENTITLEMENT_SOURCE[row.source as 1], row.n, soldText(row)),
    ),
    ...(ctx.user.can('ossManage:ossStatisticalAnalysis:query')
      ? (await listTenantStats(ctx, input)).list.map((row) => line('按客户')(row.tenantName, row.n, soldText(row)))
      : []),
  ]
}
