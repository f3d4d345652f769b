import { ENABLED_WORDS } from '@oms/contract/core/status-words.ts'
import { Tag } from 'antd'

/** Shows the status of a record that the account cannot switch here. */
export const EnabledTag = ({ on }: { on: boolean }) => (
  <Tag color={on ? 'success' : 'default'}>{on ? ENABLED_WORDS.on : ENABLED_WORDS.off}</Tag>
)
