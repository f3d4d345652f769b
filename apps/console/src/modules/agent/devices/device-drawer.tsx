import type { AgentDeviceRow } from '@oms/contract/agent/devices/device.ts'
import { agentContacts, ContactRow } from '@oms/contract/agent/devices/contact.ts'
import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { agentReminders } from '@oms/contract/agent/history/reminder.ts'
import {
  agentDeviceTools,
  type DeviceTool,
  REBOOT_TOOL,
  TOOL_NAMES,
  findToolName,
} from '@oms/contract/agent/devices/device-tool.ts'
import { Tabs, type TabsProps, Button, Empty } from 'antd'
import { useRead, useWrite, useFormRecord } from '#core/api/query.ts'
import { useMayCall, Allowed } from '#core/auth/session.tsx'
import { Descriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer, type RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { listDeviceItems } from './device-cells.tsx'
import { DeviceDiagnosis } from './device-diagnosis.tsx'
import { DeviceGrants } from '../orders/grant-list.tsx'
import { HistoryPanel } from '../history/history-panel.tsx'
import { MemoryPanel, ReminderPanel } from '../history/memory-panel.tsx'
import { PlusOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { call } from '#core/api/client.ts'
import { LoadFailed, RowsSkeleton } from '#kit/table/table-state.tsx'

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

const ContactForm = lazyAfterRender(() => import('./device-forms.tsx'), 'ContactForm')

const { col, actions } = createColumns(ContactRow)
const COLUMNS = [
  col('alias', { width: 120, sort: true }),
  col('targetName', (name) => name || '已解绑', { width: 130 }),
  col('targetMac', { width: 150 }),
  col('allowed', { width: 122 }),
]

/** Address book of a voice device. */
function ContactPanel({ deviceId }: { readonly deviceId: number }) {
  const list = useInnerList(agentContacts.list, { deviceId })
  const [edited, setEdited] = useState<ContactRow | 'new'>()
  const remove = useWrite(agentContacts.remove)
  const rowActions = (row: ContactRow) => (
    <RowActions
      items={[
        { label: '编辑', to: agentContacts.update, onClick: () => setEdited(row) },
        {
          label: '删除',
          to: agentContacts.remove,
          danger: true,
          confirm: `删除联系人「${row.alias}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  const add = (
    <Allowed to={agentContacts.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
        新增联系人
      </Button>
    </Allowed>
  )
  return (
    <>
      <DataTable
        {...list.table}
        name="contacts"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 110, [agentContacts.update, agentContacts.remove])]}
        actions={add}
        empty={{ text: '通讯录是空的', hint: '添加同一客户的设备后，可以对设备说出称呼来呼叫' }}
      />
      {edited && <ContactForm row={edited} deviceId={deviceId} onClose={() => setEdited(undefined)} />}
    </>
  )
}

const DeviceToolDialog = lazyAfterRender(() => import('./device-forms.tsx'), 'DeviceToolDialog')

/** Tools that a connected device offers through the MQTT gateway. Read once, because each read wakes the device. */
function DeviceToolPanel({ deviceId }: { readonly deviceId: number }) {
  const [chosen, setChosen] = useState<DeviceTool>()
  const { data, error, refetch } = useFormRecord(() => call(agentDeviceTools.list, { id: deviceId }, { quiet: true }))
  if (error) return <LoadFailed refusal={error} onRetry={refetch} />
  if (!data) return <RowsSkeleton rows={4} />
  if (data.list.length === 0) return <Empty description="设备没有提供可以调用的工具" />
  return (
    <>
      <p className="kit-hint">
        由设备的固件提供，经 MQTT 网关调用，每次调用记入操作日志。设备在启动时检查升级，可用“重启设备”让它立即检查。
      </p>
      <ul className="kit-items">
        {data.list.map((tool) => (
          <li key={tool.name} className="kit-row">
            <span className="kit-main">
              <strong>{findToolName(tool.name)}</strong>
              <small>{tool.name in TOOL_NAMES ? <code>{tool.name}</code> : tool.description}</small>
            </span>
            <RowActions
              items={[
                {
                  label: '调用',
                  to: agentDeviceTools.call,
                  onClick: () => setChosen(tool),
                  ...(tool.name === REBOOT_TOOL && { danger: true }),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      {chosen && <DeviceToolDialog deviceId={deviceId} tool={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}
