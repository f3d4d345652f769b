import type { UsageRow } from '@oms/contract/agent/usage/usage.ts'
import { Drawer } from 'antd'
import { HistoryPanel } from '../history/history-panel.tsx'

interface Props {
  readonly row: UsageRow
  readonly isDevice: boolean
  /** Period whose conversations are listed. */
  readonly period: { readonly startDate: string; readonly endDate: string }
  onClose(): void
}

/** Drawer with the conversations of an agent or a device in a period. */
export const UsageTalks = ({ row: { id, name }, isDevice, period, onClose }: Props) => (
  <Drawer open size="min(720px, 100vw)" title={`${name || '已删除'}的对话`} onClose={onClose}>
    <HistoryPanel
      of={isDevice ? { deviceId: id } : { agentId: id }}
      start={{ beginTime: period.startDate, endTime: period.endDate }}
    />
  </Drawer>
)
