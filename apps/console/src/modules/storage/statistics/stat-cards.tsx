import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { DASH, formatBytes, formatPercentage } from '#core/text/format.ts'
import { type StatCard, StatCardRow } from '#kit/chart/stat-cards.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { entitlementListPath } from '../entitlements/entitlement-address.ts'
import { addDays, FLOW_KIND, flowPath, queueEndPath } from './stat-range.ts'

/** Figures of today. A click on a card opens the counted entitlements. */
export function StatCards({ tenantId }: { tenantId: number | undefined }) {
  const { data, error, refetch } = useRead(storageStats.summary, { tenantId }, { quiet: true })
  if (!data)
    return (
      <div className="kit-card">
        <Waiting reads={[{ error, refetch }]} rows={2} />
      </div>
    )
  return <StatCardRow cards={cardsOf(data, tenantId)} />
}

function cardsOf(data: ResultOf<typeof storageStats.summary>, tenantId: number | undefined): StatCard[] {
  const { today, monthBegin } = data
  const inForce = entitlementListPath({ tenantId, state: 1 })
  const videos = (kind: number) => entitlementListPath({ tenantId, videos: kind })
  const due = (days: number) => queueEndPath(tenantId, today, addDays(today, days - 1))
  const soldThisMonth = { startDate: monthBegin, endDate: today, ...(tenantId && { tenantId }) }
  return [
    {
      title: '使用中通道',
      value: data.inForce.toLocaleString(),
      to: inForce,
      more: [
        { label: '待生效', value: data.waiting.toLocaleString(), to: entitlementListPath({ tenantId, state: 0 }) },
        { label: '已暂停', value: data.suspended.toLocaleString(), to: entitlementListPath({ tenantId, state: 3 }) },
      ],
    },
    {
      title: '开通率',
      value: data.capable > 0 ? formatPercentage(data.rate) : DASH,
      note: `支持云存储 ${data.capable.toLocaleString()} 个通道`,
      to: inForce,
    },
    {
      title: '本月净收入',
      value: formatCurrency(data.revenue),
      note: `开通和续期 ${data.sold.toLocaleString()} 份 ${formatCurrency(data.gross)}，退款 ${formatCurrency(data.gross - data.revenue)}`,
      to: flowPath(soldThisMonth, FLOW_KIND.sold),
    },
    { title: '7天内到期', value: data.due7.toLocaleString(), note: '按通道最后一个套餐', to: due(7) },
    { title: '30天内到期', value: data.due30.toLocaleString(), note: '按通道最后一个套餐', to: due(30) },
    { title: '已用空间', value: formatBytes(data.storedBytes), note: '未过保存期的录像', to: videos(1) },
    { title: '今日上传', value: formatBytes(data.todayBytes), note: '按录像日期', to: videos(2) },
  ]
}
