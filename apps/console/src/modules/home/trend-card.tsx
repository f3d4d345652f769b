import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import type { TrendMetric } from '@oms/contract/home/home.ts'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { ChartSkeleton } from '#kit/chart/chart-skeleton.tsx'
import { homeCalls } from './calls.ts'
import { CardChoice, HomeCard } from './home-card.tsx'
import { HomeEmpty } from './home-empty.tsx'
import { useReloadOnChange } from './use-fresh.ts'
import { TREND_DAYS_CHOICES, METRIC_WORDS } from './words.ts'

const MINUTE_MS = 60_000
const RESOURCES = ['device', 'feedback']

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
  useReloadOnChange(RESOURCES, () => void refetch())
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
      {data && !isEmpty && <TrendChart metric={metric} points={points} />}
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
      options={TREND_DAYS_CHOICES.map((value) => ({ value, label: `${value}天` }))}
      onChange={onDays}
    />
  </span>
)

interface TrendChartProps {
  readonly metric: TrendMetric
  readonly points: ResultOf<typeof homeCalls.trend>['points']
}

function TrendChart({ metric, points }: TrendChartProps) {
  return (
    <Chart
      name={METRIC_WORDS[metric]}
      data={{
        kind: 'line',
        categoryTitle: '日期',
        categories: points.map(({ day }) => ({ label: day.slice(5), title: day })),
        series: [
          { name: METRIC_WORDS[metric], color: '--ant-color-primary', values: points.map(({ value }) => value) },
        ],
      }}
    />
  )
}
