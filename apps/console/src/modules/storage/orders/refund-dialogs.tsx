import { RefundInput, RefundRecord, type RefundRow, storageOrders } from '@oms/contract/storage/order.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Form, Modal } from 'antd'
import { MoneyField, NoteField, SwitchField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { RowActions } from '#kit/list/row-actions.tsx'

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
