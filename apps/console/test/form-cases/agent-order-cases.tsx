import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { ORDER_STATE_CODE } from '@oms/contract/agent/orders/order-entities.ts'
import { OrderDialog, type OrderStep } from '#modules/agent/orders/order-dialogs.tsx'
import { OrderEditForm, GiftAddForm, OrderAddForm } from '#modules/agent/orders/order-form.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const PACKAGES = [
  agentOrders.packages,
  buildOptions({ packageCode: 'ZN30', content: '30 天', scope: 3, price: 900, isTrial: 0 }),
] as const

/** A dialog that changes the state of an order. */
const step = (of: OrderStep, name: string, field: string, values: object): FormCase => ({
  name,
  file: 'agent/orders/order-dialogs.tsx',
  save: agentOrders[of],
  field,
  record: { read: agentOrders.get, isShown: false, values: { payWay: 1, refunds: [], ...values } },
  form: (close, row) => <OrderDialog step={of} row={row as never} onClose={close} />,
})

/** Forms of orders of voice packages. */
export const AGENT_ORDER_CASES: readonly FormCase[] = [
  {
    name: '新增智能体订单',
    file: 'agent/orders/order-form.tsx',
    save: agentOrders.create,
    field: 'remark',
    choose: ['packageId'],
    reads: [PACKAGES],
    form: (close) => <OrderAddForm onClose={close} />,
  },
  {
    name: '赠送智能体套餐',
    file: 'agent/orders/order-form.tsx',
    save: agentOrders.gift,
    field: 'remark',
    choose: ['packageId'],
    reads: [PACKAGES],
    form: (close) => <GiftAddForm onClose={close} />,
  },
  {
    name: '编辑智能体订单',
    file: 'agent/orders/order-form.tsx',
    save: agentOrders.update,
    field: 'remark',
    reads: [PACKAGES],
    record: {
      read: agentOrders.get,
      isShown: false,
      values: { payWay: 0, scope: 3, targetCount: 0, packageId: 1, copies: 1, discount: 0, discountReason: '' },
    },
    form: (close, row) => <OrderEditForm row={row as never} onClose={close} />,
  },
  step('confirm', '确认智能体订单收款', 'voucherNo', { state: ORDER_STATE_CODE.pending, isMine: false, amount: 900 }),
  step('close', '关闭智能体订单', 'reason', { state: ORDER_STATE_CODE.pending, isMine: true }),
  step('refund', '申请智能体订单退款', 'reason', { state: ORDER_STATE_CODE.paid, proposal: 900 }),
  {
    ...step('refundAudit', '审批智能体订单退款', 'auditRemark', { state: ORDER_STATE_CODE.refunding }),
    choose: ['pass'],
  },
]
