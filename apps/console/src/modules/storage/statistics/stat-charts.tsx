import { ENTITLEMENT_SOURCE } from '@oms/contract/storage/entitlement.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { CHART_HEIGHT } from '#kit/chart/chart-height.ts'
import { getChartColor, SERIES_COLORS } from '#kit/chart/palette.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import { FLOW_KIND, flowPath, NO_SALES_TEXT, queueEndPath, type StatRange } from './stat-range.ts'

interface RangeProps {
  readonly range: StatRange
}
interface TenantProps {
  readonly tenantId: number | undefined
}
const categoriesOf = (days: readonly string[]) => days.map((day) => ({ label: day.slice(5), title: day }))

/** Line chart of entitlements opened, renewed and expired by day. */
export const TrendChart = ({ range }: RangeProps) => (
  <StatPanel
    title="开通与到期"
    to={storageStats.trend}
    chart={CHART_HEIGHT}
    input={range}
    emptyText={({ days }) =>
      days.some(({ opened, renewed, expired }) => opened + renewed + expired > 0) ? undefined : '这段时间没有开通和到期'
    }
  >
    {({ days }) => {
      const series = (name: string, key: 'opened' | 'renewed' | 'expired', color: string) => ({
        name,
        color,
        values: days.map((one) => one[key]),
        links: days.map(({ day }) => flowPath({ ...range, startDate: day, endDate: day }, FLOW_KIND[key])),
      })
      return (
        <Chart
          name="开通与到期"
          data={{
            kind: 'line',
            categoryTitle: '日期',
            categories: categoriesOf(days.map(({ day }) => day)),
            series: [
              series('开通', 'opened', SERIES_COLORS.created),
              series('续期', 'renewed', SERIES_COLORS.done),
              series('到期', 'expired', SERIES_COLORS.open),
            ],
          }}
        />
      )
    }}
  </StatPanel>
)

/** Stacked chart of entitlements sold by day and package. */
export const PackageArea = ({ range }: RangeProps) => (
  <StatPanel
    title="按套餐的开通量"
    hint="开通和续期"
    to={storageStats.packages}
    chart={CHART_HEIGHT}
    input={range}
    emptyText={({ series }) => (series.length === 0 ? NO_SALES_TEXT : undefined)}
  >
    {({ days, series }) => (
      <Chart
        name="按套餐的开通量"
        data={{
          kind: 'area',
          categoryTitle: '日期',
          categories: categoriesOf(days),
          series: series.map(({ packageId, packageName, values }, at) => ({
            name: packageName,
            color: getChartColor(at),
            values,
            // The list has no filter for "all other packages".
            ...(packageId > 0 && {
              links: days.map((day) =>
                flowPath({ ...range, startDate: day, endDate: day }, FLOW_KIND.sold, { packageId }),
              ),
            }),
          })),
        }}
      />
    )}
  </StatPanel>
)

/** Ring chart of entitlements sold by source. */
export const SourceChart = ({ range }: RangeProps) => (
  <StatPanel
    title="开通来源"
    to={storageStats.sources}
    chart={CHART_HEIGHT}
    input={range}
    emptyText={({ list }) => (list.length === 0 ? NO_SALES_TEXT : undefined)}
  >
    {({ list }) => (
      <Chart
        name="开通来源"
        data={{
          kind: 'ring',
          categoryTitle: '来源',
          categories: list.map(({ source }) => ({
            label: ENTITLEMENT_SOURCE[source as 1] ?? String(source),
            color: getChartColor(source - 1),
          })),
          series: [
            {
              name: '份数',
              color: SERIES_COLORS.created,
              values: list.map(({ n }) => n),
              links: list.map(({ source }) => flowPath(range, FLOW_KIND.sold, { source })),
            },
          ],
        }}
      />
    )}
  </StatPanel>
)

/** Number of channels whose service ends, for each of the next 90 days. */
export const ForecastChart = ({ tenantId }: TenantProps) => (
  <StatPanel
    title="90 天到期预测"
    hint="按通道最后一个套餐的到期日"
    to={storageStats.forecast}
    chart={CHART_HEIGHT}
    input={{ tenantId }}
    emptyText={({ list }) => (list.every(({ n }) => n === 0) ? '90 天内没有通道到期' : undefined)}
  >
    {({ list }) => (
      <Chart
        name="90 天到期预测"
        data={{
          kind: 'column',
          categoryTitle: '日期',
          categories: categoriesOf(list.map(({ day }) => day)),
          series: [
            {
              name: '到期通道',
              color: SERIES_COLORS.open,
              values: list.map(({ n }) => n),
              links: list.map(({ day }) => queueEndPath(tenantId, day, day)),
            },
          ],
        }}
      />
    )}
  </StatPanel>
)

const GIGABYTE = 1e9

const gigabytes = (bytes: number) => Math.round((bytes / GIGABYTE) * 1000) / 1000

/** Line chart of the bytes uploaded per day of recording. */
export const UsageChart = ({ range }: RangeProps) => (
  <StatPanel
    title="每日上传"
    hint="按录像日期，单位 GB"
    to={storageStats.usage}
    chart={CHART_HEIGHT}
    input={range}
    emptyText={({ days }) => (days.every(({ bytes }) => bytes === 0) ? '这段时间没有录像上传' : undefined)}
  >
    {({ days }) => (
      <Chart
        name="每日上传"
        data={{
          kind: 'line',
          categoryTitle: '日期',
          categories: categoriesOf(days.map(({ day }) => day)),
          series: [
            { name: '上传量（GB）', color: SERIES_COLORS.created, values: days.map(({ bytes }) => gigabytes(bytes)) },
          ],
        }}
      />
    )}
  </StatPanel>
)
