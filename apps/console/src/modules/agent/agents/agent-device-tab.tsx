import { AgentDeviceRow, agentDevices } from '@oms/contract/agent/devices/device.ts'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { DeviceStateCell, DeviceConnections } from '../devices/device-cells.tsx'

const MoveForm = lazyAfterRender(() => import('../devices/device-forms.tsx'), 'MoveForm')
const AgentDeviceDrawer = lazyAfterRender(() => import('../devices/device-drawer.tsx'), 'AgentDeviceDrawer', {
  when: ({ row }) => row !== undefined,
})

/** Calls of the row actions. */
const CALLS = [agentDevices.get, agentDevices.move, agentDevices.unbind]
const { col, actions } = createColumns(AgentDeviceRow)
const COLUMNS = [
  col('name', { width: 150 }),
  col('state', (_, row) => <DeviceStateCell row={row} />, { width: 120 }),
  col('mac', { width: 150 }),
  col('board', { width: 160 }),
  col('appVersion', { width: 100 }),
  col('turnTime', time, { width: 170, sort: true }),
]

/** Tab of an agent's page: the devices that are bound to it. */
export default function AgentDeviceTab({ agentId }: { readonly agentId: number }) {
  const list = useInnerList(agentDevices.list, { agentId })
  const [moved, setMoved] = useState<AgentDeviceRow>()
  const [shown, setShown] = useState<AgentDeviceRow>()
  const unbind = useWrite(agentDevices.unbind)
  const rowActions = (row: AgentDeviceRow) => (
    <RowActions
      items={[
        { label: '详情', to: agentDevices.get, onClick: () => setShown(row) },
        { label: '更换智能体', to: agentDevices.move, onClick: () => setMoved(row) },
        {
          label: '解绑',
          to: agentDevices.unbind,
          danger: true,
          confirm: `解绑设备「${row.name}」？设备资料保留，设备下次启动时重新播报验证码。`,
          onClick: () => unbind.mutateAsync({ ids: [row.id] }),
        },
      ]}
    />
  )
  return (
    <DeviceConnections rows={list.table.rows}>
      <DataTable
        {...list.table}
        name="agent-devices"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        empty={{ text: '还没有设备', hint: '在「语音设备」中绑定设备，或把其他设备更换为该智能体' }}
        onOpen={setShown}
      />
      <AgentDeviceDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {moved && <MoveForm rows={[moved]} onClose={() => setMoved(undefined)} />}
    </DeviceConnections>
  )
}
