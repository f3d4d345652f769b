import { storageHooks } from '@oms/contract/storage/hook.ts'
import { OrderRow, storageOrders } from '@oms/contract/storage/order.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { PayTag } from './sales-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const OrderDrawer = lazyAfterRender(() => import('./order-drawer.tsx'), 'OrderDrawer', {
  when: ({ row }) => row !== undefined,
})

const QUERY = storageOrders.list.input
const { col, actions } = createColumns(OrderRow)
const COLUMNS = [
  col('outOrderNo', { width: 128 }),
  col('orderNo', { width: 160, hidden: true }),
  col('hookName', { width: 96 }),
  col('tenantName', { width: 140, hidden: true }),
  col('sn', (sn, { itemCount }) => renderPlainCell(itemCount > 1 ? `${sn} 等${itemCount}项` : sn), { width: 140 }),
  col('packageName', { width: 146 }),
  col('amount', { width: 100, align: 'right', sort: true }),
  col('refunded', { width: 86, align: 'right' }),
  col('payStatus', (status) => <PayTag status={status} />, { width: 84 }),
  col('pendingRefunds', { width: 100, align: 'right', hidden: true }),
  col('payTime', time, { width: 150, sort: true }),
  col('createTime', time, { width: 150, sort: true, hidden: true }),
]

/** Orders that shops reported. */
export function OrderList() {
  const list = useList(storageOrders.list)
  const [shown, setShown] = useState<OrderRow>()
  const rowActions = (row: OrderRow) => (
    <RowActions items={[{ label: '详情', to: storageOrders.get, onClick: () => setShown(row) }]} />
  )
  return (
    <>
      <OrderSearch {...list.search} />
      <DataTable
        {...list.table}
        name="orders"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 70)]}
        tools={<ExportButton to={storageOrders.export} query={list.query} name="云存订单" />}
        empty={{
          text: '还没有订单',
          hint: '在「回调与密钥」新增商城后，商城的订单会自动出现在这里。',
          needs: storageHooks.create,
          otherwise: '商城的订单会自动出现在这里；商城由有「回调与密钥」权限的管理员配置。',
        }}
        onOpen={setShown}
      />
      <OrderDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </>
  )
}

function OrderSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="outOrderNo" />
      <Filter of={QUERY} name="sn" />
      <SelectFilter of={QUERY} name="payStatus" />
      <Filter of={QUERY} name="orderNo" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}
