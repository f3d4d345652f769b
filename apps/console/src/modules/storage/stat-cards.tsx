import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { useRead } from '#core/api/query.ts'
import { formatBytes, formatMoney } from '#core/text/format.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { KnownLink } from '#kit/record/known-link.tsx'
import { entitlementListPath } from './entitlement-address.ts'
import { dayAfter, FLOW, flowPath, queueEndPath } from './stat-range.ts'

interface Card {
  readonly title: string
  readonly value: string
  readonly note: string
  readonly to: string
}

/** Figures of today. A click on a card opens the counted entitlements. */
export function StatCards({ tenantId }: { tenantId: number | undefined }) {
  const { data, error, refetch } = useRead(storageStats.summary, { tenantId }, { quiet: true })
  if (!data)
    return (
      <div className="kit-card">
        <Waiting reads={[{ error, refetch }]} rows={2} />
      </div>
    )
  return (
    <div className="storage-stat-cards">
      {cardsOf(data, tenantId).map(({ title, value, note, to }) => (
        <KnownLink key={title} to={to} className="kit-card storage-stat-card">
          <span>{title}</span>
          <b>{value}</b>
          <small>{note}</small>
        </KnownLink>
      ))}
    </div>
  )
}

function cardsOf(data: ResultOf<typeof storageStats.summary>, tenantId: number | undefined): Card[] {
  const { today, monthBegin } = data
  const inForce = entitlementListPath({ tenantId, state: 1 })
  const due = (days: number) => queueEndPath(tenantId, today, dayAfter(today, days))
  const soldThisMonth = { startDate: monthBegin, endDate: today, ...(tenantId && { tenantId }) }
  return [
    {
      title: '使用中通道',
      value: data.inForce.toLocaleString(),
      note: `待生效 ${data.waiting.toLocaleString()} 份，已暂停 ${data.suspended.toLocaleString()} 份`,
      to: inForce,
    },
    {
      title: '开通率',
      value: `${data.rate}%`,
      note: `支持云存储 ${data.capable.toLocaleString()} 个通道`,
      to: inForce,
    },
    {
      title: '本月收入',
      value: `¥${formatMoney(data.revenue)}`,
      note: `开通和续期 ${data.sold.toLocaleString()} 份`,
      to: flowPath(soldThisMonth, FLOW.sold),
    },
    { title: '7天内到期', value: data.due7.toLocaleString(), note: '按通道最后一个套餐', to: due(7) },
    { title: '30天内到期', value: data.due30.toLocaleString(), note: '按通道最后一个套餐', to: due(30) },
    { title: '已用空间', value: formatBytes(data.storedBytes), note: '未过保存期的录像', to: inForce },
    { title: '今日上传', value: formatBytes(data.todayBytes), note: '按录像日期', to: inForce },
  ]
}
