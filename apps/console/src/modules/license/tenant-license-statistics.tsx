import { licenseCerts } from '@oms/contract/license/license.ts'
import { licenseStats, TenantStatRow } from '@oms/contract/license/license-statistics.ts'
import { Checkbox, Tag } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { formatPercentage } from '#core/text/format.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { GrantQuota } from './grant-cells.tsx'
import { CountLink, licenseListPath } from './license-cells.tsx'

const TenantThreshold = lazyAfterRender(() => import('./threshold-dialog.tsx'), 'TenantThreshold')

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
export function TenantLicenseStatistics({ asked }: { asked: Asked }) {
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
