import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentReminders } from '@oms/contract/agent/history/reminder.ts'
import { agentUsage, USAGE_GROUP_CODE } from '@oms/contract/agent/usage/usage.ts'
import { Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions } from '#kit/record/descriptions.tsx'
import { listDeviceItems, DeviceConnections } from './device-cells.tsx'
import { DeviceDiagnosis } from './device-diagnosis.tsx'
import { DeviceGrants } from '../orders/grant-list.tsx'
import { ReminderPanel } from '../history/memory-panel.tsx'
import { UsagePanel } from '../usage-panel.tsx'

const GROUPS = [USAGE_GROUP_CODE.model] as const

/** Voice tab of the device page: its agent, diagnosis, packages, reminders and use. */
export default function DeviceVoiceTab({ deviceId }: { readonly deviceId?: number }) {
  const mayCall = useMayCall()
  const { data, error, refetch } = useRead(
    agentDevices.list,
    { deviceId, pageSize: 10 },
    { quiet: true, keepPrevious: false },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  const [row] = data.list
  if (!row) return <Empty description="该设备没有绑定智能体" />
  return (
    <>
      <DeviceConnections rows={data.list}>
        <Descriptions row={row} items={listDeviceItems(row)} />
      </DeviceConnections>
      <h3 className="kit-heading">接入诊断</h3>
      <DeviceDiagnosis mac={row.mac} />
      {mayCall(agentGrants.list) && (
        <>
          <h3 className="kit-heading">套餐</h3>
          <DeviceGrants deviceId={row.id} />
        </>
      )}
      {mayCall(agentReminders.list) && (
        <>
          <h3 className="kit-heading">提醒</h3>
          <ReminderPanel deviceId={row.id} />
        </>
      )}
      {mayCall(agentUsage.days) && (
        <>
          <h3 className="kit-heading">用量</h3>
          <UsagePanel of={{ deviceId: row.id }} groups={GROUPS} />
        </>
      )}
    </>
  )
}
