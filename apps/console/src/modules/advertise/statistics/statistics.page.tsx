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
import { AdStatCards } from './statistics-cards.tsx'
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
} from './statistics-filter.ts'
import { StatPicker, TextPicker } from './statistics-pickers.tsx'

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
      title="统计分析"
      extra={
        <ExportButton to={adStats.exportPlays} query={filter} name="广告播放明细" label="导出播放明细" columns={[]} />
      }
    >
      <StatSearch filter={filter} isMany={isMany} onSearch={onSearch} />
      <Tabs
        activeKey={view}
        onChange={(next) => void navigate(statisticsPath({ ...filter, ...(next !== 'overview' && { view: next }) }))}
        items={views.map(([key, label]) => ({ key, label }))}
        tabBarStyle={{ margin: 0 }}
      />
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
