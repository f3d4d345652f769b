import type { UsageRow } from '@oms/contract/agent/usage/usage.ts'
import { Drawer } from 'antd'
import { HistoryPanel } from '../history/history-panel.tsx'

interface Props {
  readonly row: UsageRow
  readonly isDevice: boolean
  onClose(): void
}

/** Drawer with the conversations of an agent or a device. */
export const UsageTalks = ({ row: { id, name }, isDevice, onClose }: Props) => (
  <Drawer open size="min(720px, 100vw)" title={`${name || '已删除'}的对话`} onClose={onClose}>
    <HistoryPanel of={isDevice ? { deviceId: id } : { agentId: id }} />
  </Drawer>
)
