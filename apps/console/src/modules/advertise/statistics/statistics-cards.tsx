import { adStats } from '@oms/contract/advertise/statistics.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { formatPercentage } from '#core/text/format.ts'
import { type StatCard, StatCardRow } from '#kit/chart/stat-cards.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import {
  type AdStatFilter,
  detailPath,
  formatShortShownTime,
  describeUntrustedPlays,
  isByAd,
} from './statistics-filter.ts'

/** Figures of the filter. A click on a card opens the table in an order that explains the figure. */
export function AdStatCards({ filter }: { filter: AdStatFilter }) {
  const { data, error, refetch } = useRead(adStats.summary, filter as never, { quiet: true })
  if (!data)
    return (
      <div className="kit-card">
        <Waiting reads={[{ error, refetch }]} rows={2} />
      </div>
    )
  return (
    <>
      <StatCardRow cards={cardsOf(data, filter)} />
      {/* Rejected reports are counted by screen, not by program or ad. */}
      {data.rejected > 0 && !isByAd(filter) && (
        <p className="kit-hint">
          另有 {data.rejected.toLocaleString()} 条上报未通过核对（节目单不符、时间重叠或过期等），未计入统计
        </p>
      )}
    </>
  )
}

function cardsOf(data: ResultOf<typeof adStats.summary>, filter: AdStatFilter): StatCard[] {
  const by = (orderByColumn: string, isAsc: 'asc' | 'desc') => detailPath(filter, { orderByColumn, isAsc })
  const screens = detailPath(filter, { groupBy: 1 })
  return [
    {
      title: '播放次数',
      value: data.plays.toLocaleString(),
      note: describeUntrustedPlays(data.untrusted) || `另有失败 ${data.failed.toLocaleString()} 次`,
      to: detailPath(filter),
    },
    { title: '播放时长', value: formatShortShownTime(data.ms), note: '实际播出的时间', to: by('ms', 'desc') },
    {
      title: '到达屏幕数',
      value: data.screens.toLocaleString(),
      note: '至少播放过一次的屏幕',
      to: screens,
    },
    {
      title: '完整率',
      value: formatPercentage(data.completeRate),
      note: `不完整 ${data.partial.toLocaleString()} 次，失败 ${data.failed.toLocaleString()} 次`,
      to: by('completeRate', 'asc'),
    },
    {
      title: '送达率',
      value: formatPercentage(data.deliveryRate),
      note: `${data.screens.toLocaleString()} / ${data.allScreens.toLocaleString()} 块屏幕`,
      to: screens,
    },
    {
      title: '预计曝光（估算）',
      value: data.exposure.toLocaleString(),
      note: '播放次数 × 受众系数',
      to: by('exposure', 'desc'),
    },
  ]
}
