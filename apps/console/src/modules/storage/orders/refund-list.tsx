import { RefundRow, storageOrders } from '@oms/contract/storage/order.ts'
import { useState } from 'react'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { RefundActions, RefundDialogs, type RefundDialog } from './refund-dialogs.tsx'
import { RefundTag } from './sales-cells.tsx'

const QUERY = storageOrders.refunds.input
const { col, actions } = createColumns(RefundRow)
const COLUMNS = [
  col('refundNo', { width: 150 }),
  col('outOrderNo', { width: 140 }),
  col('sn', { width: 140 }),
  col('amount', { width: 100, align: 'right' }),
  col('state', (state) => <RefundTag state={state} />, { width: 90 }),
  col('origin', { width: 90 }),
  col('outRefundNo', { width: 140 }),
  col('stops', { width: 90, hidden: true }),
  col('createTime', time, { width: 150 }),
  col('doneTime', time, { width: 150, hidden: true }),
  col('operName', { width: 110, hidden: true }),
  col('reason', { width: 180, hidden: true }),
]

/** Refunds: requested by staff, reported by shops, recorded as paid offline. */
export function RefundList() {
  const list = useList(storageOrders.refunds)
  const [dialog, setDialog] = useState<RefundDialog>()
  const rowActions = (row: RefundRow) => <RefundActions row={row} onDialog={setDialog} />
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="outOrderNo" />
        <Filter of={QUERY} name="outRefundNo" />
        <Filter of={QUERY} name="refundNo" />
        <SelectFilter of={QUERY} name="state" />
        <SelectFilter of={QUERY} name="origin" />
        <DateRangeFilter label="申请时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="refunds"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 160, [storageOrders.recordRefund, storageOrders.rejectRefund])]}
        empty={{ text: '还没有退款', hint: '在订单详情里申请退款，或登记线下退款。' }}
      />
      <RefundDialogs dialog={dialog} onClose={() => setDialog(undefined)} />
    </>
  )
}
