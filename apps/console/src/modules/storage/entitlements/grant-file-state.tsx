import { GRANT_FILE_STATE } from '@oms/contract/storage/grant-file.ts'
import { Tag } from 'antd'

const COLOR: Readonly<Record<number, string>> = {
  0: 'warning',
  1: 'processing',
  2: 'success',
  3: 'default',
  4: 'error',
}

/** State of a batch. */
export const GrantFileState = ({ state }: { state: number }) => (
  <Tag color={COLOR[state] ?? 'default'}>{GRANT_FILE_STATE[state as keyof typeof GRANT_FILE_STATE]}</Tag>
)
