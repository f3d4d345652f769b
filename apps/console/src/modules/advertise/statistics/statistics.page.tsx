import { AdStatQuery, adStats } from '@oms/contract/advertise/statistics.ts'
import { Tabs } from 'antd'
import { useNavigate } from 'react-router'
import { useMayCall } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Page } from '#kit/record/page.tsx'
import { PlayHours, PlayRank, PlayTrend } from './statistics-charts.tsx'
import { StatDetail } from './statistics-detail.tsx'
import {
  type AdStatFilter,
  statisticsPath,
  parseFilter,
  parseInterval,
  keepViewParams,
  parseView,
  VIEW_TITLES,
  detailPath,
  formatShortShownTime,
  describeUntrustedPlays,
  isByAd,
} from './statistics-filter.ts'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { Select } from '#kit/form/select.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { formatPercentage } from '#core/text/format.ts'
import { type Metric, MetricRow, MetricSkeleton } from '#kit/chart/metric.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'

/** Statistics of plays. The URL contains filter and view. A click on a chart mark opens the table of its plays. */
export default function AdStatPage() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const mayCall = useMayCall()
  const isMany = useHasManyTenants()
  const filter = parseFilter(params)
  const views = Object.entries(VIEW_TITLES).filter(([key]) => key === 'overview' || mayCall(adStats.detail))
  const view = views.find(([key]) => key === parseView(params))?.[0] ?? 'overview'
  const onSearch = (values: object) => void navigate(statisticsPath({ ...values, ...keepViewParams(params, values) }))
  return (
    <Page
      title="广告统计"
      extra={
        <ExportButton to={adStats.exportPlays} query={filter} name="广告播放明细" label="导出播放明细" columns={[]} />
      }
      tabs={
        <Tabs
          activeKey={view}
          onChange={(next) => void navigate(statisticsPath({ ...filter, ...(next !== 'overview' && { view: next }) }))}
          items={views.map(([key, label]) => ({ key, label }))}
        />
      }
    >
      <StatSearch filter={filter} isMany={isMany} onSearch={onSearch} />
      {view === 'overview' && <Overview filter={filter} isMany={isMany} params={params} />}
      {view === 'detail' && <StatDetail filter={filter} />}
    </Page>
  )
}

interface SearchProps {
  readonly filter: AdStatFilter
  readonly isMany: boolean
  onSearch(values: object): void
}

const StatSearch = ({ filter, isMany, onSearch }: SearchProps) => (
  <SearchForm initial={{ ...filter }} onSearch={onSearch}>
    <DateRangeFilter label="统计日期" begin="startDate" end="endDate" />
    <Filter of={AdStatQuery} name="programId">
      <StatPicker from={adStats.programs} />
    </Filter>
    <Filter of={AdStatQuery} name="adId">
      <StatPicker from={adStats.ads} />
    </Filter>
    <Filter of={AdStatQuery} name="advertiser">
      <TextPicker from={adStats.advertisers} />
    </Filter>
    <Filter of={AdStatQuery} name="contractNo">
      <TextPicker from={adStats.contracts} />
    </Filter>
    <Filter of={AdStatQuery} name="sn" placeholder="请输入屏幕序列号" />
    {isMany && (
      <Filter of={AdStatQuery} name="tenantId">
        <TenantPicker />
      </Filter>
    )}
    <Filter of={AdStatQuery} name="groupId">
      <StatPicker from={adStats.groups} />
    </Filter>
    <Filter of={AdStatQuery} name="tag" placeholder="请输入屏幕标签" />
  </SearchForm>
)

function Overview({ filter, isMany, params }: { filter: AdStatFilter; isMany: boolean; params: URLSearchParams }) {
  const navigate = useNavigate()
  const onInterval = (interval: string) => void navigate(statisticsPath({ ...filter, interval }))
  return (
    <>
      <AdStatCards filter={filter} />
      <PlayTrend filter={filter} interval={parseInterval(params, filter)} onInterval={onInterval} />
      <PlayHours filter={filter} />
      <div className="kit-halves">
        <PlayRank filter={filter} by={1} />
        <PlayRank filter={filter} by={2} />
        <PlayRank filter={filter} by={3} />
        {isMany && <PlayRank filter={filter} by={4} />}
        <PlayRank filter={filter} by={5} />
        {isMany && <PlayRank filter={filter} by={6} />}
      </div>
    </>
  )
}

interface StatPickerProps extends RecordSelectProps {
  readonly from: typeof adStats.ads | typeof adStats.programs | typeof adStats.groups
}

/** Select for an ad, a program or a device group as a filter of the statistics. Offers deleted ads and programs too. */
function StatPicker({ from, ...props }: StatPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(from, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <RecordSelect placeholder="输入名称搜索" {...props} source={{ options, read, onSearch }} />
}

interface TextPickerProps {
  readonly from: typeof adStats.advertisers | typeof adStats.contracts
  /** Set by the form. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (text: string | undefined) => void
}

/** Select with the advertisers or the contract numbers of ads as options. */
function TextPicker({ from, id, value, onChange }: TextPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(from, { keyword }, { quiet: true })
  const found = (read.data?.list ?? []).map(({ name }) => ({ value: name, label: name }))
  const isMissing = value && keyword === '' && !found.some((option) => option.value === value)
  return (
    <Select
      {...(id && { id })}
      value={value || undefined}
      onChange={(next: string | undefined) => onChange?.(next)}
      allowClear
      placeholder="输入文字搜索"
      showSearch={{ filterOption: false, onSearch }}
      {...keepStaleOptions(read.isFetching)}
      onOpenChange={(isOpen) => !isOpen && onSearch('')}
      notFoundContent={renderNoOptions(read)}
      options={isMissing ? [{ value, label: value }, ...found] : found}
    />
  )
}

/** Figures of the filter. A click on a card opens the table in an order that explains the figure. */
function AdStatCards({ filter }: { filter: AdStatFilter }) {
  const { data, error, refetch } = useRead(adStats.summary, filter as never, { quiet: true })
  if (!data && error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <MetricSkeleton hasFacts />
  return (
    <>
      <MetricRow metrics={buildMetrics(data, filter)} />
      {/* Rejected reports are counted by screen, not by program or ad. */}
      {data.rejected > 0 && !isByAd(filter) && (
        <p className="kit-hint">
          另有 {data.rejected.toLocaleString()} 条上报未通过核对（节目单不符、时间重叠或过期等），未计入统计
        </p>
      )}
    </>
  )
}

function buildMetrics(data: ResultOf<typeof adStats.summary>, filter: AdStatFilter): Metric[] {
  const by = (orderByColumn: string, isAsc: 'asc' | 'desc') => detailPath(filter, { orderByColumn, isAsc })
  const screens = detailPath(filter, { groupBy: 1 })
  return [
    {
      title: '播放次数',
      value: data.plays.toLocaleString(),
      note: describeUntrustedPlays(data.untrusted) || `另有失败 ${data.failed.toLocaleString()} 次`,
      to: detailPath(filter),
    },
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
    { title: '播放时长', value: formatShortShownTime(data.ms), note: '实际播出的时间', to: by('ms', 'desc') },
  ]
}
