import { licenseStats, TenantStatRow } from '@oms/contract/license-stat.ts'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { ExportButton } from '#kit/export-button.tsx'
import { useInnerList } from '#kit/use-list.ts'
import { Leading } from './charts.tsx'
import { Quota } from './grant-cells.tsx'
import { listAddress } from './license-cells.tsx'

const { col } = columnsOf(TenantStatRow)
const figure = (state?: number) => (n: number, row: TenantStatRow) => (
  <Leading to={n > 0 ? listAddress({ tenantId: row.tenantId, state }) : undefined}>{n.toLocaleString()}</Leading>
)
const right = { width: 90, align: 'right' } as const
const COLUMNS = [
  col('tenantName', { width: 160 }),
  col('received', figure(), { ...right, width: 110, sort: true }),
  col('allotted', figure(1), right),
  col('bound', figure(2), right),
  col('activated', figure(3), { ...right, width: 100, sort: true }),
  col('suspended', figure(4), { ...right, hidden: true }),
  col('expired', figure(5), { ...right, hidden: true }),
  col('scrapped', figure(6), { ...right, hidden: true }),
  col('rate', (rate) => `${rate}%`, { ...right, width: 120, sort: true, title: '激活率' }),
  { ...col('quota', (_, row) => <Quota row={row} />, { width: 190 }), title: '授权使用' },
  col('remaining', { ...right, width: 110, sort: true }),
]

/** The customers with what they hold, how much of it is active, and what their grants still allow. */
export function StatTenants({ asked }: { asked: { vendor?: string; tenantId?: string; typeCode?: string } }) {
  const list = useInnerList(licenseStats.tenants, asked as never)
  return (
    <DataTable
      {...list.table}
      name="tenants"
      rowKey="tenantId"
      columns={COLUMNS}
      actions={
        <h2 className="kit-card-title" style={{ margin: 0 }}>
          按客户
        </h2>
      }
      tools={<ExportButton to={licenseStats.export} query={list.query} name="授权统计" />}
      empty={{ text: '还没有客户持有证书或授权' }}
    />
  )
}
