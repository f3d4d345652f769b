import { EVENT_RESULT } from '@oms/contract/storage/hook.ts'
import { PAY_STATUS, REFUND_STATE } from '@oms/contract/storage/order.ts'
import { Tag } from 'antd'

const PAY_COLOR: Readonly<Record<number, string>> = {
  0: 'warning',
  1: 'success',
  2: 'processing',
  3: 'default',
  4: 'default',
}
const REFUND_COLOR: Readonly<Record<number, string>> = { 0: 'warning', 1: 'success', 2: 'default' }

export const PayTag = ({ status }: { status: number }) => (
  <Tag color={PAY_COLOR[status] ?? 'default'}>{PAY_STATUS[status as keyof typeof PAY_STATUS]}</Tag>
)
export const RefundTag = ({ state }: { state: number }) => (
  <Tag color={REFUND_COLOR[state] ?? 'default'}>{REFUND_STATE[state as keyof typeof REFUND_STATE]}</Tag>
)
export const ResultTag = ({ result }: { result: number }) => (
  <Tag color={result === 1 ? 'success' : 'error'}>{EVENT_RESULT[result as keyof typeof EVENT_RESULT]}</Tag>
)
