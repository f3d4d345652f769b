import { ENTITLEMENT_STATE, SERVICE_STATE } from '@oms/contract/storage/entitlement.ts'
import { Tag } from 'antd'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'

const STATE_COLOR: Readonly<Record<number, string>> = {
  0: 'warning',
  1: 'success',
  2: 'default',
  3: 'warning',
  4: 'error',
  5: 'processing',
}
const SERVICE_COLOR: Readonly<Record<number, string>> = { 1: 'success', 2: 'warning', 3: 'orange', 4: 'default' }

export const StateTag = ({ state }: { state: number }) => (
  <DictLabelTag type="oss_order_status" words={ENTITLEMENT_STATE} value={state} color={STATE_COLOR[state]} />
)
export const ServiceTag = ({ state }: { state: number }) => (
  <Tag color={SERVICE_COLOR[state] ?? 'default'}>{SERVICE_STATE[state as 1]}</Tag>
)

const UNITS = [
  [86_400, '天'],
  [3600, '小时'],
  [60, '分钟'],
] as const

/** Formats a length in the largest unit that fits, such as `21 天`. */
export function formatPeriod(seconds: number) {
  const [size, unit] = UNITS.find(([each]) => Math.abs(seconds) >= each) ?? [1, '秒']
  return `${Math.round((seconds / size) * 10) / 10} ${unit}`
}
