import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import type { TrendMetric, DistributionKind, DistributionData } from '@oms/contract/home/home.ts'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { getChartColor, SERIES_COLORS } from '#kit/chart/palette.ts'
import { ChartSkeleton } from '#kit/chart/chart-skeleton.tsx'
import { homeCalls, TREND_DAYS_CHOICES, METRIC_WORDS, DISTRIBUTION_LABELS } from './home.ts'
import { CardChoice, HomeCard, HomeEmpty, HomeRows, useReloadOnChange } from './home-card.tsx'
import { formatCount, formatPercent } from '#core/text/format.ts'
import { Link } from '#core/routing/router.tsx'

const MINUTE_MS = 60_000
const TREND_RESOURCES = ['device', 'feedback', 'advertise']

type Days = (typeof TREND_DAYS_CHOICES)[number]

/** Daily values of the last weeks. */
export function TrendCard({ metrics }: { metrics: readonly TrendMetric[] }) {
  const [chosen, setChosen] = useState<TrendMetric>()
  const [days, setDays] = useState<Days>(30)
  const metric = chosen && metrics.includes(chosen) ? chosen : (metrics[0] ?? 'activated')
  const { data, isPending, isError, refetch } = useRead(
    homeCalls.trend,
    { metric, days },
    { quiet: true, staleTime: MINUTE_MS },
  )
  useReloadOnChange(TREND_RESOURCES, () => void refetch())
  const points = data?.points ?? []
  const isEmpty = data !== undefined && points.every(({ value }) => value === null)
  return (
    <HomeCard
      title="趋势"
      extra={<TrendChoices {...{ metrics, metric, days }} onMetric={setChosen} onDays={setDays} />}
      pending={isPending}
      waiting={<ChartSkeleton />}
      failed={isError}
      onRetry={() => void refetch()}
    >
      {isEmpty && <HomeEmpty text="还没有数据，运行一段时间后显示" />}
      {data && !isEmpty && <TrendChart metric={metric} points={points} previous={data.previous} />}
    </HomeCard>
  )
}

interface TrendChoicesProps {
  readonly metrics: readonly TrendMetric[]
  readonly metric: TrendMetric
  readonly days: Days
  onMetric(metric: TrendMetric): void
  onDays(days: Days): void
}

const TrendChoices = ({ metrics, metric, days, onMetric, onDays }: TrendChoicesProps) => (
  <span className="home-choices">
    <CardChoice
      label="指标"
      value={metric}
      options={metrics.map((value) => ({ value, label: METRIC_WORDS[value] }))}
      onChange={onMetric}
    />
    <CardChoice
      label="天数"
      value={days}
      options={TREND_DAYS_CHOICES.map((value) => ({ value, label: `${value} 天` }))}
      onChange={onDays}
    />
  </span>
)

interface TrendChartProps {
  readonly metric: TrendMetric
  readonly points: ResultOf<typeof homeCalls.trend>['points']
  readonly previous: ResultOf<typeof homeCalls.trend>['previous']
}

const COLORS: Readonly<Record<TrendMetric, string>> = {
  activated: SERIES_COLORS.created,
  online: SERIES_COLORS.done,
  tickets: SERIES_COLORS.created,
  plays: SERIES_COLORS.created,
}

function TrendChart({ metric, points, previous }: TrendChartProps) {
  return (
    <Chart
      name={METRIC_WORDS[metric]}
      data={{
        kind: 'line',
        categoryTitle: '日期',
        categories: points.map(({ day }) => ({ label: day.slice(5), title: day })),
        series: [
          { name: METRIC_WORDS[metric], color: COLORS[metric], values: points.map(({ value }) => value) },
          ...(previous.some((value) => (value ?? 0) > 0)
            ? [{ name: '上一周期', color: getChartColor(7), values: previous, isPrevious: true }]
            : []),
        ],
      }}
    />
  )
}

const DISTRIBUTION_RESOURCES = ['device']

/** Device distribution: the largest groups, each linking to its devices. */
export function DistributionCard({ spreads }: { spreads: readonly DistributionKind[] }) {
  const [chosen, setChosen] = useState<DistributionKind>()
  const by = chosen && spreads.includes(chosen) ? chosen : (spreads[0] ?? 'type')
  const { data, isPending, isError, refetch } = useRead(
    homeCalls.distribution,
    { by },
    { quiet: true, staleTime: MINUTE_MS },
  )
  useReloadOnChange(DISTRIBUTION_RESOURCES, () => void refetch())
  const options = spreads.map((value) => ({ value, label: DISTRIBUTION_LABELS[value] }))
  return (
    <HomeCard
      title="设备分布"
      extra={<CardChoice label="分布方式" value={by} options={options} onChange={(next) => setChosen(next)} />}
      pending={isPending}
      waiting={<HomeRows />}
      failed={isError}
      onRetry={() => void refetch()}
    >
      {data?.total === 0 && <HomeEmpty text="还没有设备" />}
      {data && data.total > 0 && <Bars {...data} />}
    </HomeCard>
  )
}

function Bars({ total, others, list }: DistributionData) {
  const top = Math.max(others, ...list.map(({ value }) => value))
  const lines = [...list, ...(others > 0 ? [{ name: '其他', value: others, url: '' }] : [])]
  return (
    <ul className="home-bars">
      {lines.map(({ name, value, url }) => (
        <li key={name}>
          <span className="home-bars-name">{url ? <Link to={url}>{name}</Link> : name}</span>
          <span className="home-bars-bar" aria-hidden>
            <span style={{ width: `${(value / top) * 100}%` }} />
          </span>
          <span className="home-bars-value">
            {formatCount(value)} <small>{formatPercent(value / total)}</small>
          </span>
        </li>
      ))}
    </ul>
  )
}
