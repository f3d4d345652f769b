import type { AgentDeviceRow } from '@oms/contract/agent/devices/device.ts'
import { agentContacts } from '@oms/contract/agent/devices/contact.ts'
import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { agentReminders } from '@oms/contract/agent/history/reminder.ts'
import { agentDeviceTools } from '@oms/contract/agent/devices/device-tool.ts'
import { Tabs, type TabsProps } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { Descriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer, type RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { ContactPanel } from './contact-panel.tsx'
import { listDeviceItems } from './device-cells.tsx'
import { DeviceDiagnosis } from './device-diagnosis.tsx'
import { DeviceGrants } from '../orders/grant-list.tsx'
import { HistoryPanel } from '../history/history-panel.tsx'
import { MemoryPanel } from '../history/memory-panel.tsx'
import { ReminderPanel } from '../history/reminder-panel.tsx'
import { DeviceToolPanel } from './device-tool-panel.tsx'

interface ShownTab {
  /** Key of the shown tab, when the caller stores it, for example in the URL. */
  readonly tab?: string | undefined
  onTab?(tab: string): void
}

/**
 * Drawer of a voice device: details, diagnosis, packages, address book, tools, conversations, memory, reminders and
 * history.
 */
export const AgentDeviceDrawer = ({ tab, onTab, ...props }: RecordNavigation<AgentDeviceRow> & ShownTab) => (
  <DetailDrawer {...props} rowKey="id" title={({ name }) => name}>
    {(row) => <DeviceTabs row={row} shown={onTab && { activeKey: tab ?? 'details', onChange: onTab }} />}
  </DetailDrawer>
)

interface DeviceTabsProps {
  readonly row: AgentDeviceRow
  readonly shown: Pick<TabsProps, 'activeKey' | 'onChange'> | undefined
}

function DeviceTabs({ row, shown }: DeviceTabsProps) {
  const mayCall = useMayCall()
  const mayRead = mayCall(agentHistory.sessions)
  const enabled = mayCall(agentContacts.feature)
  const { data } = useRead(agentContacts.feature, { deviceId: row.id }, { enabled, quiet: true })
  const hasTools = useHasTools(row.id)
  return (
    <Tabs
      {...shown}
      items={[
        { key: 'details', label: '基本信息', children: <Descriptions row={row} items={listDeviceItems(row)} /> },
        { key: 'diagnosis', label: '接入诊断', children: <DeviceDiagnosis key={row.mac} mac={row.mac} /> },
        ...(mayCall(agentGrants.list)
          ? [{ key: 'grants', label: '套餐', children: <DeviceGrants key={row.id} deviceId={row.id} /> }]
          : []),
        ...(data?.isEnabled
          ? [{ key: 'contacts', label: '通讯录', children: <ContactPanel key={row.id} deviceId={row.id} /> }]
          : []),
        ...(hasTools
          ? [{ key: 'tools', label: '固件工具', children: <DeviceToolPanel key={row.id} deviceId={row.id} /> }]
          : []),
        ...(mayRead
          ? [
              { key: 'talk', label: '对话', children: <HistoryPanel of={{ deviceId: row.id }} /> },
              { key: 'memory', label: '记忆', children: <MemoryPanel key={row.id} of={{ deviceId: row.id }} /> },
            ]
          : []),
        ...(mayCall(agentReminders.list)
          ? [{ key: 'reminders', label: '提醒', children: <ReminderPanel key={row.id} deviceId={row.id} /> }]
          : []),
        createHistoryTab('agentDevice', row.id),
      ]}
    />
  )
}

/** Returns true when the account may call tools and the parameters of the device's tenant name an MQTT gateway. */
function useHasTools(deviceId: number): boolean {
  const enabled = useMayCall()(agentDeviceTools.feature)
  const { data } = useRead(agentDeviceTools.feature, { deviceId }, { enabled, quiet: true })
  return data?.isEnabled === true
}
