import { DownloadOutlined } from '@ant-design/icons'
import { feedbackStat, StatQuery } from '@oms/contract/ticket/ticket-statistics.ts'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { download } from '#core/api/download.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { Allowed } from '#core/auth/session.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { FirmwareMatrix, ModelBars, ProblemCharts, StatBlock } from './stat-problem.tsx'
import { AgeBars, HandlerStatsTable, HeatMap } from './stat-people.tsx'
import {
  parseRange,
  type StatRange,
  buildClosedTicketsFilter,
  ticketListPath,
  buildCreatedFilter,
  formatMinutesInWords,
} from './stat-range.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import '#kit/chart/stat-panel.css'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { formatPercentage } from '#core/text/format.ts'
import { type Metric, MetricRow, MetricSkeleton } from '#kit/chart/metric.tsx'
import { SERIES_COLORS } from '#kit/chart/palette.ts'
import { CHART_HEIGHT } from '#kit/chart/chart-height.ts'
import { Chart } from '#kit/chart/chart.tsx'
import type { ChartData } from '#kit/chart/chart-data.ts'
import { LoadFailed } from '#kit/table/table-state.tsx'

const NAMES = ['startDate', 'endDate', 'tenantId', 'typeId', 'modelId'] as const

/** Statistics of the after-sales service. A click on a chart opens the counted tickets. */
export default function StatisticsPage() {
  const [params, setParams] = useSearchParams()
  const given = Object.fromEntries(NAMES.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : [])))
  const range = parseRange(given as Partial<Record<(typeof NAMES)[number], string>>)
  const onSearch = (values: object) => {
    const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '')
    setParams(new URLSearchParams(set.map(([key, value]) => [key, String(value)])))
  }
  return (
    <Page extra={<ExportStat range={range} />} title="售后统计">
      <SearchForm initial={{ ...given, startDate: range.startDate, endDate: range.endDate }} onSearch={onSearch}>
        <DateRangeFilter label="统计日期" begin="startDate" end="endDate" />
        <Filter of={StatQuery} name="tenantId">
          <TenantPicker />
        </Filter>
        <Filter of={StatQuery} name="typeId">
          <DeviceTypePicker />
        </Filter>
        <Filter of={StatQuery} name="modelId">
          <DeviceModelPicker />
        </Filter>
      </SearchForm>
      <TicketFigures range={range} />
      <TrendChart range={range} />
      <ProblemCharts range={range} />
      <div className="kit-halves">
        <ModelBars range={range} />
        <AgeBars range={range} />
      </div>
      <FirmwareMatrix range={range} />
      <HeatMap range={range} />
      <HandlerStatsTable range={range} />
    </Page>
  )
}

function ExportStat({ range }: { range: StatRange }) {
  const [busy, setBusy] = useState(false)
  const run = async (format: 'xlsx' | 'csv') => {
    setBusy(true)
    await download(feedbackStat.export, { ...range, format } as never, `售后统计.${format}`)
    setBusy(false)
  }
  return (
    <Allowed to={feedbackStat.export}>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'xlsx', label: 'Excel（.xlsx）', onClick: () => run('xlsx') },
            { key: 'csv', label: 'CSV（.csv）', onClick: () => run('csv') },
          ],
        }}
      >
        <Button icon={<DownloadOutlined />} loading={busy}>
          导出
        </Button>
      </Dropdown>
    </Allowed>
  )
}

type Summary = ResultOf<typeof feedbackStat.summary>
type Trend = ResultOf<typeof feedbackStat.trend>
interface RangeProps {
  readonly range: StatRange
}

/** Summary cards. A click on a card opens the counted tickets. */
function TicketFigures({ range }: RangeProps) {
  const { data, error, refetch } = useRead(feedbackStat.summary, range, { quiet: true })
  if (!data && error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <MetricSkeleton hasFacts />
  const [created, closed, backlog, unassigned, breached] = countMetrics(data, range)
  const [responded, solved, ...rates] = serviceMetrics(data, range)
  return <MetricRow metrics={[created, closed, responded, solved, backlog, unassigned, breached, ...rates]} />
}

type CountMetrics = readonly [Metric, Metric, Metric, Metric, Metric]

/** Numbers of tickets. The change is against the previous period of equal length. */
const countMetrics = (data: Summary, range: StatRange): CountMetrics => [
  {
    title: '新增',
    value: data.created.toLocaleString(),
    to: ticketListPath(range, buildCreatedFilter(range)),
    change: { now: data.created, before: data.before.created, with: '上期', better: 'down' },
  },
  {
    title: '关闭',
    value: data.closed.toLocaleString(),
    to: ticketListPath(range, buildClosedTicketsFilter(range)),
    change: { now: data.closed, before: data.before.closed, with: '上期', better: 'up' },
  },
  { title: '当前未关闭', value: data.backlog.toLocaleString(), to: ticketListPath(range, { open: 1 }) },
  {
    title: '当前未分派',
    value: data.unassigned.toLocaleString(),
    to: ticketListPath(range, { open: 1, unassigned: 1 }),
    tone: data.unassigned ? 'warn' : undefined,
  },
  {
    title: '当前已超时',
    value: data.breached.toLocaleString(),
    to: ticketListPath(range, { open: 1, slaState: 3 }),
    tone: data.breached ? 'bad' : undefined,
  },
]

/** Response times, rates and the satisfaction. */
const serviceMetrics = (data: Summary, range: StatRange): CountMetrics => [
  {
    title: '平均首次响应',
    value: formatMinutesInWords(data.respondMinutes),
    to: ticketListPath(range, { ...buildCreatedFilter(range), responded: 1 }),
    change: { now: data.respondMinutes, before: data.before.respondMinutes, with: '上期', better: 'down' },
  },
  {
    title: '平均解决',
    value: formatMinutesInWords(data.solveMinutes),
    to: ticketListPath(range, buildClosedTicketsFilter(range)),
    change: { now: data.solveMinutes, before: data.before.solveMinutes, with: '上期', better: 'down' },
  },
  {
    title: '重新打开率',
    value: formatPercentage(data.reopenRate),
    to: ticketListPath(range, { ...buildCreatedFilter(range), reopened: 1 }),
    note: `${data.reopened} 个重新打开`,
  },
  {
    title: '按时完成率',
    value: formatPercentage(data.hitRate),
    to: ticketListPath(range, { ...buildCreatedFilter(range), breached: 1 }),
    note: '查看超时工单',
  },
  {
    title: '满意度',
    value: data.satisfaction?.toString() ?? '-',
    to: ticketListPath(range, { ...buildCreatedFilter(range), rated: 1 }),
    note: `${data.rated} 个评价`,
  },
]

/** Line chart of created, closed and open tickets by day. Vertical lines mark firmware releases. */
const TrendChart = ({ range }: RangeProps) => (
  <StatBlock
    title="每日趋势"
    hint="竖线为固件发布"
    of={feedbackStat.trend}
    range={range}
    chart={CHART_HEIGHT}
    isEmpty={({ days }) => days.every(({ created, closed, backlog }) => created + closed + backlog === 0)}
  >
    {(data) => <Chart name="每日趋势" data={trendOf(data, range)} />}
  </StatBlock>
)

const trendOf = ({ days, releases }: Trend, range: StatRange): ChartData => ({
  kind: 'line',
  categoryTitle: '日期',
  categories: days.map(({ day }) => ({ label: day.slice(5), title: day })),
  series: [
    {
      name: '新增',
      color: SERIES_COLORS.created,
      values: days.map(({ created }) => created),
      links: days.map(({ day }) => ticketListPath(range, buildCreatedFilter({ startDate: day, endDate: day }))),
    },
    {
      name: '关闭',
      color: SERIES_COLORS.done,
      values: days.map(({ closed }) => closed),
      links: days.map(({ day }) => ticketListPath(range, buildClosedTicketsFilter({ startDate: day, endDate: day }))),
    },
    { name: '未关闭', color: SERIES_COLORS.open, values: days.map(({ backlog }) => backlog) },
  ],
  events: releases.flatMap(({ day, modelName, verName }) => {
    const at = days.findIndex((one) => one.day === day)
    return at < 0 ? [] : [{ at, name: `${day} 发布 ${modelName} ${verName}` }]
  }),
})
