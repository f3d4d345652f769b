import { ListSwitch } from './list-switch.tsx'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { OrderRow, storageOrders, RefundRow, RefundInput, RefundRecord } from '@oms/contract/storage/order.ts'
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
import { PayTag, RefundTag } from './sales-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Form, Modal } from 'antd'
import { MoneyField, NoteField, SwitchField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

const LISTS = [
  { value: 'orders', label: '订单', panel: OrderList },
  { value: 'refunds', label: '退款', panel: RefundList },
]

/** Orders of shops and their refunds. */
export const OrderTab = () => <ListSwitch lists={LISTS} />

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
  col('sn', (sn, { itemCount }) => renderPlainCell(itemCount > 1 ? `${sn} 等 ${itemCount} 项` : sn), { width: 140 }),
  col('packageName', { width: 146 }),
  col('amount', { width: 100, align: 'right', sort: true }),
  col('refunded', { width: 86, align: 'right' }),
  col('payStatus', (status) => <PayTag status={status} />, { width: 84 }),
  col('pendingRefunds', { width: 100, align: 'right', hidden: true }),
  col('payTime', time, { width: 150, sort: true }),
  col('createTime', time, { width: 150, sort: true, hidden: true }),
]

/** Orders that shops reported. */
function OrderList() {
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

const REFUND_QUERY = storageOrders.refunds.input
const { col: refundColumn, actions: refundActions } = createColumns(RefundRow)
const REFUND_COLUMNS = [
  refundColumn('refundNo', { width: 150 }),
  refundColumn('outOrderNo', { width: 140 }),
  refundColumn('sn', { width: 140 }),
  refundColumn('amount', { width: 100, align: 'right' }),
  refundColumn('state', (state) => <RefundTag state={state} />, { width: 90 }),
  refundColumn('origin', { width: 90 }),
  refundColumn('outRefundNo', { width: 140 }),
  refundColumn('stops', { width: 90, hidden: true }),
  refundColumn('createTime', time, { width: 150 }),
  refundColumn('doneTime', time, { width: 150, hidden: true }),
  refundColumn('operName', { width: 110, hidden: true }),
  refundColumn('reason', { width: 180, hidden: true }),
]

/** Refunds: requested by staff, reported by shops, recorded as paid offline. */
function RefundList() {
  const list = useList(storageOrders.refunds)
  const [dialog, setDialog] = useState<RefundDialog>()
  const rowActions = (row: RefundRow) => <RefundActions row={row} onDialog={setDialog} />
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={REFUND_QUERY} name="outOrderNo" />
        <Filter of={REFUND_QUERY} name="outRefundNo" />
        <Filter of={REFUND_QUERY} name="refundNo" />
        <SelectFilter of={REFUND_QUERY} name="state" />
        <SelectFilter of={REFUND_QUERY} name="origin" />
        <DateRangeFilter label="申请时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="refunds"
        rowKey="id"
        columns={[
          ...REFUND_COLUMNS,
          refundActions(rowActions, 160, [storageOrders.recordRefund, storageOrders.rejectRefund]),
        ]}
        empty={{ text: '还没有退款', hint: '在订单详情里申请退款，或登记线下退款。' }}
      />
      <RefundDialogs dialog={dialog} onClose={() => setDialog(undefined)} />
    </>
  )
}

/** The item that a refund belongs to, and the pending request that an offline refund completes. */
interface Target {
  readonly itemId: number
  readonly outOrderNo: string
  readonly sn: string
  /** Amount of the pending refund request. An offline refund completes this request. */
  readonly amount?: number
  readonly stops?: number
  readonly refundId?: number
  /** Highest amount that can be refunded; absent when the dialog records the payment of a pending request. */
  readonly refundable?: number
}
export type RefundDialog =
  | { readonly kind: 'request' | 'record'; readonly target: Target }
  | { readonly kind: 'reject'; readonly row: RefundRow }

interface DialogProps {
  readonly dialog: RefundDialog | undefined
  readonly onClose: () => void
}

export function RefundDialogs({ dialog, onClose }: DialogProps) {
  if (!dialog) return null
  if (dialog.kind === 'reject') return <RejectDialog row={dialog.row} onClose={onClose} />
  const Dialog = dialog.kind === 'request' ? RequestDialog : RecordDialog
  return <Dialog target={dialog.target} onClose={onClose} />
}

const STOPS_HINT = '停止后剩余时间作废，排在后面的套餐提前生效'
const Facts = ({ target: { outOrderNo, sn, refundable } }: { target: Target }) => (
  <p className="kit-hint">
    订单 {outOrderNo} · {sn}
    {refundable !== undefined && ` · 可退 ${formatCurrency(refundable)}`}
  </p>
)

interface FormProps {
  readonly target: Target
  readonly onClose: () => void
}

function RequestDialog({ target, onClose }: FormProps) {
  const initial = { itemId: target.itemId, stops: 1 } as never
  const { modal, form } = useFormModal(storageOrders.requestRefund, { onClose, initial })
  const of = RefundInput
  return (
    <Modal title="申请退款" {...modal} okText="提交申请">
      <Facts target={target} />
      <Form {...form}>
        <MoneyField of={of} name="amount" hint="商城完成退款并回调后生效" />
        <SwitchField of={of} name="stops" on="停止" off="不停止" hint={STOPS_HINT} />
        <NoteField of={of} name="reason" rows={2} />
      </Form>
    </Modal>
  )
}

function RecordDialog({ target, onClose }: FormProps) {
  const { itemId, amount, stops = 1, refundId } = target
  const initial = { itemId, refundId, amount, stops } as never
  const { modal, form } = useFormModal(storageOrders.recordRefund, { onClose, initial })
  const of = RefundRecord
  return (
    <Modal title="登记线下退款" {...modal} okText="登记">
      <Facts target={target} />
      <Form {...form}>
        <TextField of={of} name="outRefundNo" hint="银行流水号或支付平台的退款单号" />
        <MoneyField of={of} name="amount" hint="已经退给用户的金额" />
        <SwitchField of={of} name="stops" on="停止" off="不停止" hint={STOPS_HINT} />
        <NoteField of={of} name="reason" rows={2} />
      </Form>
    </Modal>
  )
}

function RejectDialog({ row, onClose }: { row: RefundRow; onClose: () => void }) {
  const to = storageOrders.rejectRefund
  const { modal, form } = useFormModal(to, { onClose, initial: { id: row.id } as never })
  return (
    <Modal title={`驳回退款 ${row.refundNo}`} {...modal} okText="驳回">
      <p className="kit-hint">
        订单 {row.outOrderNo} · {row.sn} · {formatCurrency(row.amount)}
      </p>
      <Form {...form}>
        <NoteField of={to.input} name="reason" rows={2} />
      </Form>
    </Modal>
  )
}

/** Actions on a pending refund. */
export function RefundActions({ row, onDialog }: { row: RefundRow; onDialog(dialog: RefundDialog): void }) {
  const { id: refundId, itemId, outOrderNo, sn, amount, stops } = row
  const isPending = row.state === 0
  const target = { refundId, itemId, outOrderNo, sn, amount, stops }
  return (
    <RowActions
      items={[
        isPending && {
          label: '登记退款',
          to: storageOrders.recordRefund,
          onClick: () => onDialog({ kind: 'record', target }),
        },
        isPending && {
          label: '驳回',
          to: storageOrders.rejectRefund,
          danger: true,
          onClick: () => onDialog({ kind: 'reject', row }),
        },
      ]}
    />
  )
}
