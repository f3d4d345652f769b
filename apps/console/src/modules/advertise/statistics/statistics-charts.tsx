import { AD_STAT_INTERVAL, AD_WEEKDAY, adStats } from '@oms/contract/advertise/statistics.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Segmented } from 'antd'
import type { ChartData } from '#kit/chart/chart-data.ts'
import { CHART_HEIGHT, computeRowChartHeight } from '#kit/chart/chart-height.ts'
import { getChartColor, SERIES_COLORS } from '#kit/chart/palette.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import {
  type AdStatFilter,
  describeUntrustedPlays,
  detailPath,
  findHourTrendProblem,
  formatHour,
  labelHour,
} from './statistics-filter.ts'

const NO_PLAYS = '这段时间没有播放记录'
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

interface TrendProps {
  readonly filter: AdStatFilter
  readonly interval: string
  onInterval(interval: string): void
}

/** Line chart of plays by hour, day, week or month. */
export function PlayTrend({ filter, interval, onInterval }: TrendProps) {
  const problem = findHourTrendProblem(filter)
  const intervals = Object.entries(AD_STAT_INTERVAL).map(([value, label]) => ({
    value,
    label,
    ...(value === '0' && problem && { disabled: true, title: problem }),
  }))
  return (
    <StatPanel
      title="播放趋势"
      {...(problem && { hint: problem })}
      to={adStats.trend}
      chart={CHART_HEIGHT}
      input={{ ...filter, interval }}
      extra={<Segmented aria-label="统计粒度" options={intervals} value={interval} onChange={onInterval} />}
      emptyText={({ points, untrusted }) =>
        points.every(({ plays }) => plays === 0) ? describeUntrustedPlays(untrusted) || NO_PLAYS : undefined
      }
    >
      {({ points, untrusted }) => (
        <>
          <Chart name="播放趋势" data={buildTrend(points, filter)} />
          {untrusted > 0 && <p className="kit-hint">{describeUntrustedPlays(untrusted)}</p>}
        </>
      )}
    </StatPanel>
  )
}

type Point = ResultOf<typeof adStats.trend>['points'][number]

const buildTrend = (points: readonly Point[], filter: AdStatFilter): ChartData => ({
  kind: 'line',
  categoryTitle: points.some(({ hour }) => hour !== null) ? '时间' : '日期',
  categories: points.map(({ from, to, hour }) =>
    hour === null
      ? { label: from.slice(5), title: from === to ? from : `${from} 至 ${to}` }
      : { label: labelHour(from, hour, points.length), title: `${from} ${formatHour(hour)}` },
  ),
  series: [
    {
      name: '播放次数',
      color: SERIES_COLORS.created,
      values: points.map(({ plays }) => plays),
      links: points.map(({ from, to, hour }) =>
        detailPath({ ...filter, startDate: from, endDate: to }, hour === null ? {} : { hour }),
      ),
    },
  ],
})

/** Heat map of plays by hour and weekday. */
export const PlayHours = ({ filter }: { filter: AdStatFilter }) => (
  <StatPanel
    title="播放时段"
    hint="按小时和星期"
    to={adStats.heatmap}
    chart={CHART_HEIGHT}
    input={filter}
    emptyText={({ plays }) =>
      plays === null
        ? '时段数据不区分屏幕，请清除屏幕、分组和标签后查看'
        : plays.every((n) => n === 0)
          ? NO_PLAYS
          : undefined
    }
  >
    {({ plays, untrusted }) => (
      <>
        <Chart name="播放时段" data={hoursData(plays ?? [], filter)} />
        {untrusted > 0 && <p className="kit-hint">{describeUntrustedPlays(untrusted)}</p>}
      </>
    )}
  </StatPanel>
)

const hoursData = (plays: readonly number[], filter: AdStatFilter): ChartData => ({
  kind: 'heat',
  categoryTitle: '时段',
  categories: HOURS.map((hour) => ({
    label: String(hour).padStart(2, '0'),
    title: formatHour(hour),
  })),
  series: Object.entries(AD_WEEKDAY).map(([weekday, name]) => ({
    name,
    color: SERIES_COLORS.created,
    values: HOURS.map((hour) => plays[(Number(weekday) - 1) * 24 + hour] ?? 0),
    links: HOURS.map((hour) => detailPath(filter, { weekday, hour })),
  })),
})

/** Returns the URL of the table of a bar; undefined for ads without an advertiser or contract number, whose id is 0. */
const rankLink = (filter: AdStatFilter, field: string, value: string | number) =>
  value === 0 ? undefined : detailPath(filter, { [field]: value })

/** Maximum number of rows in a ranking. */
const TOP = 10
const RANKS = {
  1: { title: '广告前 10', field: 'adId', color: SERIES_COLORS.created },
  2: { title: '节目单前 10', field: 'programId', color: getChartColor(1) },
  3: { title: '屏幕前 10', field: 'sn', color: getChartColor(3) },
  4: { title: '客户前 10', field: 'tenantId', color: getChartColor(2) },
  5: { title: '广告主前 10', field: 'advertiser', color: getChartColor(5) },
  6: { title: '合同编号前 10', field: 'contractNo', color: getChartColor(4) },
} as const

/** Bars of the ten ads, programs, screens, tenants, advertisers or contract numbers with the most plays. */
export function PlayRank({ filter, by }: { filter: AdStatFilter; by: keyof typeof RANKS }) {
  const { title, field, color } = RANKS[by]
  return (
    <StatPanel
      title={title}
      hint="按播放次数"
      to={adStats.rank}
      chart={computeRowChartHeight(TOP)}
      input={{ ...filter, by }}
      emptyText={({ list }) => (list.length === 0 ? NO_PLAYS : undefined)}
    >
      {({ list }) => (
        <Chart
          name={title}
          data={{
            kind: 'row',
            categoryTitle: title.slice(0, -4),
            categories: list.map(({ name }) => ({ label: name })),
            series: [
              {
                name: '播放次数',
                color,
                values: list.map(({ plays }) => plays),
                links: list.map(({ id, value }) => rankLink(filter, field, value ?? id)),
              },
            ],
          }}
        />
      )}
    </StatPanel>
  )
}
