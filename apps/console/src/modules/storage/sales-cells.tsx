import { EVENT_RESULT } from '@oms/contract/storage/hook.ts'
import { PAY_STATUS, REFUND_STATE } from '@oms/contract/storage/order.ts'
import { State } from '#kit/record/state.tsx'

const PAY_COLOR: Readonly<Record<number, string>> = {
  0: 'warning',
  1: 'success',
  2: 'processing',
  3: 'default',
  4: 'default',
}
const REFUND_COLOR: Readonly<Record<number, string>> = { 0: 'warning', 1: 'success', 2: 'default' }

export const PayTag = ({ status }: { status: number }) => (
  <State color={PAY_COLOR[status]}>{PAY_STATUS[status as keyof typeof PAY_STATUS]}</State>
)
export const RefundTag = ({ state }: { state: number }) => (
  <State color={REFUND_COLOR[state]}>{REFUND_STATE[state as keyof typeof REFUND_STATE]}</State>
)
export const ResultTag = ({ result }: { result: number }) => (
  <State color={result === 1 ? 'success' : 'error'}>{EVENT_RESULT[result as keyof typeof EVENT_RESULT]}</State>
)
