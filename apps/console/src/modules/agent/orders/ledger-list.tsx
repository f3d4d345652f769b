import { type AgentGrantRow, AgentLedgerRow, agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { ALLOWANCE_UNIT } from '@oms/contract/agent/packages/package-terms.ts'
import { Drawer } from 'antd'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useInnerList, useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { formatAllowance } from './order-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const QUERY = agentGrants.ledger.input
const UNIT: Readonly<Record<number, string>> = ALLOWANCE_UNIT
const { col } = createColumns(AgentLedgerRow)
const signed = (amount: number) => `${amount > 0 ? '+' : ''}${formatAllowance(amount)}`
const PLACE_COLUMNS = [
  col('orderNo', { width: 140 }),
  col('tenantName', { width: 130 }),
  col('packageName', { width: 130, hidden: true }),
  col('targetName', { width: 140 }),
]
const LINE_COLUMNS = [
  col('packNo', { width: 66, align: 'right' }),
  col('unit', { width: 88 }),
  col('kind', { width: 70 }),
  col('amount', signed, { width: 110, align: 'right' }),
  col('day', { width: 112, sort: true }),
  col('operName', { width: 96 }),
  col('reason', { width: 160 }),
  col('createTime', time, { width: 150, sort: true }),
]
const GRANT_LINE_COLUMNS = LINE_COLUMNS.filter(({ key }) => key !== 'packNo' && key !== 'unit')

/** Ledger of all grants that the account may see. */
export function LedgerTab() {
  const list = useList(agentGrants.ledger)
  return (
    <>
      <LedgerSearch {...list.search} />
      <DataTable
        {...list.table}
        name="ledger"
        rowKey="id"
        columns={[...PLACE_COLUMNS, ...LINE_COLUMNS]}
        tools={<LedgerExport query={list.query} />}
        empty={{ text: '还没有流水', hint: '发放、使用、失效、退款和调整各记一行，不能修改' }}
      />
      <p className="kit-hint">
        日期是使用或变动发生的那一天，用量页按日期的收入按同一天计算；记录时间是第一次记入的时间。
      </p>
    </>
  )
}

const LedgerExport = ({ query }: { readonly query: object }) => (
  <ExportButton to={agentGrants.exportLedger} query={query} name="套餐流水" columns={[]} />
)

function LedgerSearch(search: SearchProps) {
  const hasBuyers = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="target" />
      <SelectFilter of={QUERY} name="kind" />
      <SelectFilter of={QUERY} name="unit" />
      {hasBuyers && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <DateRangeFilter label="日期" begin="startDate" end="endDate" />
    </SearchForm>
  )
}

/** Ledger of one order. */
export const OrderLedger = ({ orderId }: { readonly orderId: number }) => {
  const list = useInnerList(agentGrants.ledger, { orderId })
  return (
    <DataTable
      {...list.table}
      name="order-ledger"
      rowKey="id"
      columns={[col('targetName', { width: 130 }), ...LINE_COLUMNS]}
      tools={<LedgerExport query={list.query} />}
      empty={{ text: '还没有流水', hint: '确认收款后开始记录' }}
    />
  )
}

/** Drawer with the ledger of one grant. */
export function LedgerDrawer({ grant, onClose }: { readonly grant: AgentGrantRow; onClose(): void }) {
  const list = useInnerList(agentGrants.ledger, { grantId: grant.id })
  return (
    <Drawer
      open
      size="min(720px, 100vw)"
      title={`流水 ${grant.targetName} · 第 ${grant.packNo} 份 · ${UNIT[grant.unit]}`}
      onClose={onClose}
    >
      <DataTable
        {...list.table}
        name="grant-ledger"
        rowKey="id"
        columns={GRANT_LINE_COLUMNS}
        tools={<LedgerExport query={list.query} />}
        empty={{ text: '还没有流水', hint: '每天的使用合为一行' }}
      />
    </Drawer>
  )
}
