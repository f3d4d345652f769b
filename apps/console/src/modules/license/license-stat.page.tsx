import { LicenseStatQuery, licenseStats, TenantStatRow } from '@oms/contract/license/license-statistics.ts'
import { formatPercentage } from '#core/text/format.ts'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { Page } from '#kit/record/page.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { Alert, Checkbox, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { MetricRow, MetricSkeleton } from '#kit/chart/metric.tsx'
import { Allowed } from '#core/auth/session.tsx'
import {
  licenseListPath,
  STATE_CHART_COLOURS,
  useLicenseStateLabels,
  useVendorLabels,
  GrantQuota,
  CountLink,
} from './license.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { LicenseBatchPanel, ModelPanel, VendorPanel, ExpiringPanel, StockPanel, TrendPanel } from './stat-panels.tsx'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'

export interface LicenseStatFilter {
  readonly vendor?: string
  readonly tenantId?: string
  readonly typeCode?: string
}

/** Licence statistics: stock, distribution, consumption and expiry. */
export default function LicenseStatPage() {
  const [params, setParams] = useSearchParams()
  const many = useHasManyTenants()
  const vendors = useVendorLabels().options
  const asked: LicenseStatFilter = Object.fromEntries(
    [...params].filter(([key, value]) => ['vendor', 'tenantId', 'typeCode'].includes(key) && value !== ''),
  )
  const isLow = params.get('lowVendors') === '1'
  const search = (values: object) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '')
    setParams(new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])).toString())
  }
  return (
    <Page title="授权统计">
      <SearchForm initial={{ ...asked } as never} onSearch={search}>
        <SelectFilter of={LicenseStatQuery} name="vendor" options={vendors} />
        {many && (
          <Filter of={LicenseStatQuery} name="tenantId">
            <TenantPicker />
          </Filter>
        )}
        <Filter of={LicenseStatQuery} name="typeCode" />
      </SearchForm>
      <OwnStock />
      {isLow && <StockPanel asked={asked} onShowAll={() => search(asked)} />}
      <Cards asked={asked} />
      <TrendPanel asked={asked} />
      <div className="kit-halves">
        {!isLow && <StockPanel asked={asked} />}
        <ExpiringPanel asked={asked} />
      </div>
      <Allowed to={licenseStats.tenants}>
        <TenantLicenseStatistics asked={asked} />
        <Distribution asked={asked} />
      </Allowed>
    </Page>
  )
}

const Distribution = ({ asked }: { asked: LicenseStatFilter }) => (
  <>
    <div className="kit-halves">
      <VendorPanel asked={asked} />
      <ModelPanel asked={asked} />
    </div>
    <LicenseBatchPanel asked={asked} />
  </>
)

/** Low-stock warning for accounts of a tenant, shown first. */
function OwnStock() {
  const { data } = useRead(licenseStats.summary, {}, { quiet: true })
  if (data?.own?.isLow)
    return (
      <Alert
        type="warning"
        showIcon
        title={`未使用的证书剩余 ${data.own.left} 个，低于预警数量 ${data.own.warnBelow} 个，请及时申请授权`}
      />
    )
  if (data && !data.own && data.lowTenants > 0)
    return (
      <Alert type="warning" showIcon title={`${data.lowTenants} 个客户未使用的证书低于预警数量，见下方「按客户」`} />
    )
  return null
}

const KEYS = ['stock', 'allotted', 'bound', 'activated', 'suspended', 'expired', 'scrapped'] as const

/** States that the tiles show: in stock and activated. */
const TILES: ReadonlySet<number> = new Set([0, 3])

function Cards({ asked }: { asked: LicenseStatFilter }) {
  const { label } = useLicenseStateLabels()
  const { data, error, refetch } = useRead(licenseStats.summary, asked as never, { quiet: true })
  if (!data && error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <MetricSkeleton hasFacts />
  const states = KEYS.map((key, state) => ({
    title: label(state),
    value: data.states[key].toLocaleString(),
    to: licenseListPath({ ...asked, state }),
    color: STATE_CHART_COLOURS[state],
  }))
  return (
    <MetricRow
      metrics={[
        { title: '证书总数', value: data.states.total.toLocaleString(), to: licenseListPath({ ...asked }) },
        ...states.filter((_, state) => TILES.has(state)),
        { title: '激活率', value: formatPercentage(data.rate), note: '占客户持有证书的比例' },
        ...states.filter((_, state) => !TILES.has(state)),
      ]}
    />
  )
}

const TenantThreshold = lazyAfterRender(() => import('./license-dialogs.tsx'), 'TenantThreshold')

const { col, actions } = createColumns(TenantStatRow)
interface Asked {
  readonly vendor?: string
  readonly tenantId?: string
  readonly typeCode?: string
}
const right = { width: 80, align: 'right' } as const

/** Columns whose figures link to their certificates with the filters of the statistics. */
function columnsWith(asked: Asked) {
  const figure = (state?: number) => (n: number, row: TenantStatRow) => (
    <CountLink to={n > 0 ? licenseListPath({ ...asked, tenantId: row.tenantId, state }) : undefined}>
      {n.toLocaleString()}
    </CountLink>
  )
  return [
    col('tenantName', { width: 160 }),
    col('received', figure(), { ...right, width: 100, sort: true }),
    col(
      'allotted',
      (n: number, row) => (
        <>
          {row.isLow && (
            <Tag color="warning" title={`未使用的证书低于预警数量 ${row.warnBelow} 个`}>
              不足
            </Tag>
          )}
          {figure(1)(n, row)}
        </>
      ),
      { ...right, width: 100 },
    ),
    col('bound', figure(2), right),
    col('activated', figure(3), { ...right, width: 90, sort: true }),
    col('suspended', figure(4), { ...right, hidden: true }),
    col('expired', figure(5), { ...right, hidden: true }),
    col('scrapped', figure(6), { ...right, hidden: true }),
    col('rate', formatPercentage, { ...right, width: 100, sort: true, title: '激活率' }),
    { ...col('quota', (_, row) => <GrantQuota row={row} />, { width: 180 }), title: '授权使用' },
    col('remaining', { ...right, width: 100, sort: true }),
    col('warnBelow', (n: number, { threshold }) => (threshold === 0 ? '不预警' : `低于 ${n.toLocaleString()}`), {
      ...right,
      width: 100,
    }),
  ]
}

/** Tenants with their certificates, activation rate and remaining grants. */
function TenantLicenseStatistics({ asked }: { asked: Asked }) {
  const [isLow, setLow] = useState(false)
  const [setting, setSetting] = useState<TenantStatRow>()
  const list = useInnerList(licenseStats.tenants, { ...asked, ...(isLow && { low: '1' }) } as never)
  const rowActions = (row: TenantStatRow) => (
    <RowActions items={[{ label: '预警', to: licenseCerts.saveTenantThreshold, onClick: () => setSetting(row) }]} />
  )
  return (
    <>
      <DataTable
        {...list.table}
        name="tenants"
        rowKey="tenantId"
        columns={[...columnsWith(asked), actions(rowActions, 80, [licenseCerts.saveTenantThreshold])]}
        actions={
          <>
            <h2 className="kit-card-title">按客户</h2>
            <Checkbox checked={isLow} onChange={({ target }) => setLow(target.checked)}>
              只看库存不足
            </Checkbox>
          </>
        }
        tools={<ExportButton to={licenseStats.export} query={list.query} name="授权统计" />}
        empty={{ text: isLow ? '没有库存不足的客户' : '还没有客户持有证书或授权' }}
      />
      {setting && <TenantThreshold row={setting} onClose={() => setSetting(undefined)} />}
    </>
  )
}
