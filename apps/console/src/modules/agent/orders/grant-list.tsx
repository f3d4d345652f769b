import { AgentGrantRow, agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { LIMIT_ACCURACY_TEXT } from '@oms/contract/agent/usage/usage-limit.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useInnerList, useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { GrantBalance, GrantTag } from './order-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const LedgerDrawer = lazyAfterRender(() => import('./ledger-list.tsx'), 'LedgerDrawer')

const QUERY = agentGrants.list.input
const { col, actions } = createColumns(AgentGrantRow)
const ORDER_COLUMNS = [
  col('orderNo', { width: 140 }),
  col('tenantName', { width: 130 }),
  col('packageName', { width: 130 }),
]
const GRANT_COLUMNS = [
  col('packNo', { width: 60, align: 'right' }),
  col('unit', { width: 80 }),
  col('left', (_, row) => <GrantBalance row={row} />, { width: 108, title: '剩余 / 总量' }),
  col('state', (_, row) => <GrantTag row={row} />, { width: 76 }),
]
const TIME_COLUMNS = [
  col('activateUntil', time, { width: 150, sort: true, hidden: true }),
  col('beginTime', time, { width: 150, hidden: true }),
  col('validUntil', time, { width: 148, sort: true }),
  col('spent', { width: 90, align: 'right', hidden: true }),
  col('lapsed', { width: 90, align: 'right', hidden: true }),
  col('refunded', { width: 90, align: 'right', hidden: true }),
]
const LIST_COLUMNS = [
  ...ORDER_COLUMNS,
  col('targetName', { width: 140 }),
  ...GRANT_COLUMNS,
  ...TIME_COLUMNS,
  col('scope', { width: 88, hidden: true }),
  col('createTime', time, { width: 150, sort: true, hidden: true }),
]
const ORDER_GRANT_COLUMNS = [col('targetName', { width: 112 }), ...GRANT_COLUMNS, ...TIME_COLUMNS]
const DEVICE_COLUMNS = [
  col('packageName', { width: 130 }),
  col('scope', { width: 88 }),
  ...GRANT_COLUMNS,
  ...TIME_COLUMNS,
  col('orderNo', { width: 140, hidden: true }),
]

/** Grants of all orders that the account may see. */
export function GrantTab() {
  const list = useList(agentGrants.list)
  return (
    <>
      <GrantSearch {...list.search} />
      <GrantTable list={list} name="grants" columns={LIST_COLUMNS} emptyText="还没有权益" />
      <LimitNote />
    </>
  )
}

/** Grants of one order. */
export const OrderGrants = ({ orderId }: { readonly orderId: number }) => (
  <GrantTable
    list={useInnerList(agentGrants.list, { orderId })}
    name="order-grants"
    columns={ORDER_GRANT_COLUMNS}
    emptyText="确认收款后发放"
  />
)

/** Lists the grants that a device may spend: its own, those of its agent and those of its customer. */
export const DeviceGrants = ({ deviceId }: { readonly deviceId: number }) => (
  <>
    <GrantTable
      list={useInnerList(agentGrants.list, { deviceId })}
      name="device-grants"
      columns={DEVICE_COLUMNS}
      emptyText="该设备没有套餐"
    />
    <LimitNote />
  </>
)

const LimitNote = () => <p className="kit-hint">{LIMIT_ACCURACY_TEXT}。</p>

interface TableProps {
  readonly list: ReturnType<typeof useInnerList<typeof agentGrants.list>>
  readonly name: string
  readonly columns: typeof LIST_COLUMNS
  readonly emptyText: string
}

function GrantTable({ list, name, columns, emptyText }: TableProps) {
  const [shown, setShown] = useState<AgentGrantRow>()
  const rowActions = (row: AgentGrantRow) => (
    <RowActions items={[{ label: '流水', to: agentGrants.ledger, onClick: () => setShown(row) }]} />
  )
  return (
    <>
      <DataTable
        {...list.table}
        name={name}
        rowKey="id"
        columns={[...columns, actions(rowActions, 56)]}
        tools={<ExportButton to={agentGrants.export} query={list.query} name="套餐权益" columns={[]} />}
        empty={{ text: emptyText, hint: '权益规定使用对象还可以使用多少、到什么时候' }}
      />
      {shown && <LedgerDrawer grant={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

function GrantSearch(search: SearchProps) {
  const hasBuyers = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="target" />
      <SelectFilter of={QUERY} name="state" />
      <SelectFilter of={QUERY} name="unit" />
      <DateRangeFilter label="到期日期" begin="validFrom" end="validTo" />
      {hasBuyers && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}
