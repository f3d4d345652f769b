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
import { FirmwareMatrix, ModelBars } from './stat-model.tsx'
import { ProblemCharts } from './stat-problem.tsx'
import { TicketFigures, TrendChart } from './stat-summary.tsx'
import { AgeBars, HandlerStatsTable, HeatMap } from './stat-people.tsx'
import { parseRange, type StatRange } from './stat-range.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import '#kit/chart/stat-panel.css'

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
