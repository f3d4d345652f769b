import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import {
  NOT_CREATOR,
  ORDER_STATE_CODE,
  type OrderRow,
  OWN_ORDER_MESSAGE,
  OWN_REFUND_MESSAGE,
} from '@oms/contract/agent/orders/order-entities.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { nameConfirmation, useIsVendor } from './order-cells.tsx'
import type { OrderStep } from './order-dialogs.tsx'

/** An open dialog: a step of the order, the form of the order, or the form of a new order with the same goods. */
export interface OpenOrder {
  readonly step: OrderStep | 'renew' | 'edit'
  readonly row: OrderRow
}

interface Props {
  readonly row: OrderRow
  readonly onOpen: (open: OpenOrder) => void
  /** Opens the details. Absent in the drawer, which already shows them. */
  readonly onShow?: (row: OrderRow) => void
}

type Open = (step: OpenOrder['step']) => () => void
type Steps = readonly (RowAction | false)[]
interface Allowed {
  readonly isVendor: boolean
  readonly mayReadTargets: boolean
}

/** Returns the steps of a pending order. The creator edits and closes the order, and another person confirms it. */
const pendingSteps = (row: OrderRow, open: Open, { isVendor, mayReadTargets }: Allowed): Steps => [
  isVendor && {
    label: nameConfirmation(row),
    to: agentOrders.confirm,
    reason: row.isMine ? OWN_ORDER_MESSAGE : undefined,
    onClick: open('confirm'),
  },
  mayReadTargets && {
    label: '编辑',
    to: agentOrders.update,
    reason: row.isMine ? undefined : NOT_CREATOR.edit,
    onClick: open('edit'),
  },
  {
    label: '关闭',
    to: agentOrders.close,
    danger: true,
    reason: row.isMine ? undefined : NOT_CREATOR.close,
    onClick: open('close'),
  },
]

/** Returns the steps after the payment. */
const paidSteps = (
  { state, isMyRefund, isTrial }: OrderRow,
  open: Open,
  { isVendor, mayReadTargets }: Allowed,
): Steps => [
  isVendor &&
    state === ORDER_STATE_CODE.refunding && {
      label: '审批退款',
      to: agentOrders.refundAudit,
      reason: isMyRefund ? OWN_REFUND_MESSAGE : undefined,
      onClick: open('refundAudit'),
    },
  mayReadTargets &&
    isTrial === 0 &&
    (state === ORDER_STATE_CODE.paid || state === ORDER_STATE_CODE.finished) && {
      label: '续购',
      to: agentOrders.create,
      onClick: open('renew'),
    },
  isVendor &&
    state === ORDER_STATE_CODE.paid && {
      label: '申请退款',
      to: agentOrders.refund,
      danger: true,
      onClick: open('refund'),
    },
]

/** Calls of the actions on an order. */
export const ORDER_ACTION_CALLS = [
  agentOrders.get,
  agentOrders.confirm,
  agentOrders.update,
  agentOrders.close,
  agentOrders.refundAudit,
  agentOrders.create,
  agentOrders.refund,
]

/** Shows the actions for the state of an order. Disables a step that needs another person, and gives the reason. */
export function OrderActions({ row, onOpen, onShow }: Props) {
  const allowed = { isVendor: useIsVendor(), mayReadTargets: useMayCall()(agentOrders.targets) }
  const open: Open = (step) => () => onOpen({ step, row })
  const steps = row.state === ORDER_STATE_CODE.pending ? pendingSteps : paidSteps
  return (
    <RowActions
      items={[
        onShow && { label: '详情', to: agentOrders.get, onClick: () => onShow(row) },
        ...steps(row, open, allowed),
      ]}
    />
  )
}
