import { ORDER_STATE_CODE, ORDER_STATE } from '@oms/contract/agent/orders/order-entities.ts'

interface Step {
  readonly from: readonly number[]
  readonly to: number
  /** Name of the step in refusals. */
  readonly name: string
}

/** Steps of an order. No other change of state exists. */
export const ORDER_STEP = {
  confirm: { from: [ORDER_STATE_CODE.pending], to: ORDER_STATE_CODE.paid, name: '确认收款' },
  edit: { from: [ORDER_STATE_CODE.pending], to: ORDER_STATE_CODE.pending, name: '编辑' },
  close: { from: [ORDER_STATE_CODE.pending], to: ORDER_STATE_CODE.closed, name: '关闭' },
  refund: { from: [ORDER_STATE_CODE.paid], to: ORDER_STATE_CODE.refunding, name: '退款' },
  approve: { from: [ORDER_STATE_CODE.refunding], to: ORDER_STATE_CODE.refunded, name: '审批退款' },
  reject: { from: [ORDER_STATE_CODE.refunding], to: ORDER_STATE_CODE.paid, name: '审批退款' },
  finish: { from: [ORDER_STATE_CODE.paid], to: ORDER_STATE_CODE.finished, name: '完成' },
} as const satisfies Record<string, Step>

const nameOf = (state: number) => ORDER_STATE[state as keyof typeof ORDER_STATE]

/** Returns why an order in this state cannot take the step, or undefined. */
export function findOrderStepProblem(state: number, { from, name }: Step): string | undefined {
  if (from.includes(state)) return undefined
  return `订单${nameOf(state)}，只有${from.map(nameOf).join('、')}的订单可以${name}`
}
