import { DownloadOutlined, SettingOutlined } from '@ant-design/icons'
import { storageSettings } from '@oms/contract/storage/setting.ts'
import { storageStats, StorageStatQuery, TroubleRow } from '@oms/contract/storage/statistics.ts'
import { Button, Dropdown } from 'antd'
import { useState, type ReactNode } from 'react'
import { download } from '#core/api/download.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { Page } from '#kit/record/page.tsx'
import { ForecastChart, PackageArea, SourceChart, TrendChart, UsageChart } from './stat-charts.tsx'
import { parseRange, type StatRange, addDays, FLOW_KIND, flowPath, queueEndPath, NO_SALES_TEXT } from './stat-range.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { DASH, formatBytes, formatPercentage } from '#core/text/format.ts'
import { type Metric, MetricRow, MetricSkeleton } from '#kit/chart/metric.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { entitlementListPath } from '../entitlements/entitlement.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import { CountLink } from '../package-cells.tsx'

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

/** Figures of today. A click on a card opens the counted entitlements. */
export function StatCards({ tenantId }: { tenantId: number | undefined }) {
  const { data, error, refetch } = useRead(storageStats.summary, { tenantId }, { quiet: true })
  if (!data && error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <MetricSkeleton hasFacts />
  return <MetricRow metrics={buildMetrics(data, tenantId)} />
}

function buildMetrics(data: ResultOf<typeof storageStats.summary>, tenantId: number | undefined): Metric[] {
  const { today, monthBegin } = data
  const inForce = entitlementListPath({ tenantId, state: 1 })
  const videos = (kind: number) => entitlementListPath({ tenantId, videos: kind })
  const due = (days: number) => queueEndPath(tenantId, today, addDays(today, days - 1))
  const soldThisMonth = { startDate: monthBegin, endDate: today, ...(tenantId && { tenantId }) }
  return [
    {
      title: '使用中通道',
      value: data.inForce.toLocaleString(),
      note: `支持云存储 ${data.capable.toLocaleString()} 个通道`,
      to: inForce,
    },
    { title: '30 天内到期', value: data.due30.toLocaleString(), note: '按通道最后一个套餐', to: due(30) },
    {
      title: '本月净收入',
      value: formatCurrency(data.revenue),
      note: `售出 ${data.sold.toLocaleString()} 份，退款 ${formatCurrency(data.gross - data.revenue)}`,
      to: flowPath(soldThisMonth, FLOW_KIND.sold),
    },
    { title: '已用空间', value: formatBytes(data.storedBytes), note: '未过保存期的录像', to: videos(1) },
    { title: '开通率', value: data.capable > 0 ? formatPercentage(data.rate) : DASH, to: inForce },
    { title: '待生效', value: data.waiting.toLocaleString(), to: entitlementListPath({ tenantId, state: 0 }) },
    { title: '已暂停', value: data.suspended.toLocaleString(), to: entitlementListPath({ tenantId, state: 3 }) },
    { title: '7 天内到期', value: data.due7.toLocaleString(), to: due(7) },
    { title: '今日上传', value: formatBytes(data.todayBytes), to: videos(2) },
  ]
}

const { col } = createColumns(TroubleRow)
const COLUMNS = [
  col('sn', (sn, { deviceId }) => <PermittedLink to={`/device/apkManage/detail/${deviceId}`}>{sn}</PermittedLink>, {
    width: 150,
  }),
  col('channel', String, { width: 60, align: 'right' }),
  col('modelName', { width: 130 }),
  col('tenantName', { width: 170 }),
  col('packageName', { width: 160 }),
  col('uploadTime', time, { width: 150 }),
  col('askTime', time, { width: 150 }),
  col('troubleText', { width: 160 }),
]

/** Channels that should record continuously and are online, but uploaded nothing for two hours. */
function SilentChannelTable({ tenantId }: { tenantId: number | undefined }) {
  const list = useInnerList(storageStats.trouble, { ...(tenantId !== undefined && { tenantId }) })
  return (
    <DataTable
      {...list.table}
      name="storage-trouble"
      rowKey="id"
      columns={COLUMNS}
      actions={
        <h2 className="kit-card-title">
          上传异常设备 <small>连续录像套餐生效、设备在线，但超过 2 小时没有上传</small>
        </h2>
      }
      empty={{ text: '没有上传异常的设备' }}
    />
  )
}

interface FigureTableProps {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: number; readonly cells: readonly ReactNode[] }[]
}

/** Table whose first column names the row; all other columns are figures. */
const FigureTable = ({ label, head, rows }: FigureTableProps) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable for scrolling by keyboard
  <div className="kit-scroll" tabIndex={0} role="region" aria-label={`${label}数据`}>
    <table className="kit-table" aria-label={label}>
      <thead>
        <tr>
          {head.map((title, at) => (
            <th key={title} scope="col" className={at > 0 ? 'kit-number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, at) => (
              <td key={head[at]} className={at > 0 ? 'kit-number' : undefined}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Explains the columns 份数 and 均价. */
const SOLD_HINT = '份数含赠送，均价＝金额÷份数'

/** Sales of each package, with the entitlements in force now. */
const PackageTable = ({ range }: { range: StatRange }) => (
  <StatPanel
    title="套餐销售"
    hint={SOLD_HINT}
    to={storageStats.packages}
    input={range}
    emptyText={({ list }) => (list.length === 0 ? NO_SALES_TEXT : undefined)}
  >
    {({ list }) => (
      <FigureTable
        label="套餐销售"
        head={['套餐', '份数', '金额（未减退款）', '均价', '当前使用中']}
        rows={list.map(({ packageId, packageName, n, amount, average, inForce }) => ({
          key: packageId,
          cells: [
            packageName,
            <CountLink key="n" n={n} to={flowPath(range, FLOW_KIND.sold, { packageId })} />,
            formatCurrency(amount),
            n > 0 ? formatCurrency(average) : '-',
            <CountLink
              key="inForce"
              n={inForce}
              to={entitlementListPath({ tenantId: range.tenantId, packageId, state: 1 })}
            />,
          ],
        }))}
      />
    )}
  </StatPanel>
)

/** The ten tenants with the highest amount. */
const TopTenants = ({ range }: { range: StatRange }) => (
  <StatPanel
    title="客户前 10"
    hint={`按金额（未减退款）；${SOLD_HINT}`}
    to={storageStats.tenants}
    input={range}
    emptyText={({ list }) => (list.length === 0 ? NO_SALES_TEXT : undefined)}
  >
    {({ list }) => (
      <FigureTable
        label="客户前 10"
        head={['客户', '份数', '金额（未减退款）', '均价']}
        rows={list.map(({ tenantId, tenantName, n, amount, average }) => ({
          key: tenantId,
          cells: [
            tenantName,
            <CountLink key="n" n={n} to={flowPath({ ...range, tenantId }, FLOW_KIND.sold)} />,
            formatCurrency(amount),
            formatCurrency(average),
          ],
        }))}
      />
    )}
  </StatPanel>
)

/** The ten tenants with the most channels whose service ends soon. */
const ExpiringTenants = ({ tenantId: chosen }: { tenantId: number | undefined }) => (
  <StatPanel
    title="待续费客户"
    hint="90 天内到期的通道"
    to={storageStats.expiring}
    input={{ tenantId: chosen }}
    emptyText={({ list }) => (list.length === 0 ? '90 天内没有通道到期' : undefined)}
  >
    {({ today, list }) => (
      <FigureTable
        label="待续费客户"
        head={['客户', '7 天内', '30 天内', '90 天内']}
        rows={list.map(({ tenantId, tenantName, days7, days30, days90 }) => ({
          key: tenantId,
          cells: [
            tenantName,
            ...(
              [
                [7, days7],
                [30, days30],
                [90, days90],
              ] as const
            ).map(([days, n]) => (
              <CountLink key={days} n={n} to={queueEndPath(tenantId, today, addDays(today, days - 1))} />
            )),
          ],
        }))}
      />
    )}
  </StatPanel>
)
