import { DownloadOutlined, SettingOutlined } from '@ant-design/icons'
import { storageSettings } from '@oms/contract/storage/setting.ts'
import { storageStats, StorageStatQuery } from '@oms/contract/storage/statistics.ts'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { download } from '#core/api/download.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { Page } from '#kit/record/page.tsx'
import { StatCards } from './stat-cards.tsx'
import { ForecastChart, PackageArea, SourceChart, TrendChart, UsageChart } from './stat-charts.tsx'
import { parseRange, type StatRange } from './stat-range.ts'
import { SilentChannelTable } from './stat-trouble.tsx'
import { ExpiringTenants, PackageTable, TopTenants } from './stat-tables.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const SettingDrawer = lazyAfterRender(() => import('../setting-drawer.tsx'), 'SettingDrawer')

/** Cloud-storage statistics. Every figure opens the entitlements that it counts. */
export default function StorageStatPage() {
  const [params, setParams] = useSearchParams()
  const range = parseRange(params)
  const onSearch = (values: object) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '')
    setParams(new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])).toString())
  }
  return (
    <Page title="云存统计" extra={<PageActions range={range} />}>
      <StatSearch range={range} onSearch={onSearch} />
      <StatCards tenantId={range.tenantId} />
      <TrendChart range={range} />
      <PackageArea range={range} />
      <div className="kit-halves">
        <SourceChart range={range} />
        <PackageTable range={range} />
      </div>
      <ForecastChart tenantId={range.tenantId} />
      <UsageChart range={range} />
      <Allowed to={storageStats.tenants}>
        <div className="kit-halves">
          <TopTenants range={range} />
          <ExpiringTenants tenantId={range.tenantId} />
        </div>
      </Allowed>
      <SilentChannelTable tenantId={range.tenantId} />
    </Page>
  )
}

function StatSearch({ range, onSearch }: { range: StatRange; onSearch(values: object): void }) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm initial={{ ...range } as never} onSearch={onSearch}>
      <DateRangeFilter label="统计日期" begin="startDate" end="endDate" />
      {isMany && (
        <Filter of={StorageStatQuery} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

function PageActions({ range }: { range: StatRange }) {
  const [isSetting, setSetting] = useState(false)
  return (
    <>
      <Allowed to={storageSettings.save}>
        <Button icon={<SettingOutlined />} onClick={() => setSetting(true)}>
          云存参数
        </Button>
      </Allowed>
      <ExportStats range={range} />
      {isSetting && <SettingDrawer onClose={() => setSetting(false)} />}
    </>
  )
}

function ExportStats({ range }: { range: StatRange }) {
  const [isBusy, setBusy] = useState(false)
  const run = async (format: 'xlsx' | 'csv') => {
    setBusy(true)
    await download(storageStats.export, { ...range, format } as never, `云存统计.${format}`)
    setBusy(false)
  }
  return (
    <Allowed to={storageStats.export}>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'xlsx', label: 'Excel（.xlsx）', onClick: () => run('xlsx') },
            { key: 'csv', label: 'CSV（.csv）', onClick: () => run('csv') },
          ],
        }}
      >
        <Button icon={<DownloadOutlined />} loading={isBusy}>
          导出
        </Button>
      </Dropdown>
    </Allowed>
  )
}
