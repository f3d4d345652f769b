import { LinkOutlined } from '@ant-design/icons'
import { AgentDeviceRow, agentDevices } from '@oms/contract/agent/devices/device.ts'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useRecordInUrl } from '#kit/list/use-address-record.ts'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import {
  DeviceAgentCell,
  DeviceBoardTypeCell,
  DevicePackageCell,
  DeviceStateCell,
  DeviceConnections,
  OtaAddress,
} from './device-cells.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'
import { AgentPicker } from '../agent-picker.tsx'

const BindForm = lazyAfterRender(() => import('./device-forms.tsx'), 'BindForm')
const BindMacForm = lazyAfterRender(() => import('./device-forms.tsx'), 'BindMacForm')
const AgentDeviceForm = lazyAfterRender(() => import('./device-forms.tsx'), 'AgentDeviceForm')
const MoveForm = lazyAfterRender(() => import('./device-forms.tsx'), 'MoveForm')
const DiagnosisDrawer = lazyAfterRender(() => import('./device-diagnosis.tsx'), 'DiagnosisDrawer')
const ImportModal = lazyAfterRender(() => import('#kit/jobs/import-modal.tsx'), 'ImportModal')
const AgentDeviceDrawer = lazyAfterRender(() => import('./device-drawer.tsx'), 'AgentDeviceDrawer', {
  when: ({ row }) => row !== undefined,
})

/** Calls of the row actions. */
const CALLS = [agentDevices.get, agentDevices.update, agentDevices.move, agentDevices.reset, agentDevices.unbind]
const { col, actions } = createColumns(AgentDeviceRow)
const QUERY = agentDevices.list.input
/** The default columns fit a window of 1440 px. */
const COLUMNS = [
  col('name', { width: 100 }),
  col('state', (_, row) => <DeviceStateCell row={row} />, { width: 124 }),
  col('mac', { width: 134 }),
  col('agentName', (_, row) => <DeviceAgentCell row={row} />, { width: 96 }),
  col('packageName', (_, row) => <DevicePackageCell row={row} />, { width: 156 }),
  col('board', (_, row) => <DeviceBoardTypeCell row={row} />, { title: '开发板 · 固件', width: 110 }),
  col('appVersion', { width: 90, hidden: true }),
  col('turnTime', time, { width: 148, sort: true }),
  col('bootTime', time, { width: 170, sort: true, hidden: true }),
  col('tenantName', { width: 100 }),
  col('autoUpdate', { width: 90, hidden: true }),
  col('sn', { width: 170, hidden: true }),
  col('modelName', { width: 140, hidden: true }),
  col('sessionTime', time, { width: 170, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
]

type Dialog = 'bind' | 'mac' | 'import' | 'diagnose'
interface Open {
  readonly dialog?: Dialog
  readonly edit?: AgentDeviceRow
  readonly move?: readonly AgentDeviceRow[]
}

const VIEWS: readonly BuiltInView[] = [
  { name: '对话中', filters: { state: '2' } },
  { name: '从未启动', filters: { state: '0' } },
  { name: '额度已停止', filters: { limit: '2' } },
]

/** Voice devices that are bound to agents. */
export default function AgentDeviceListPage() {
  const list = useList(agentDevices.list)
  const [open, setOpen] = useState<Open>({})
  const shown = useRecordInUrl(agentDevices.get, list.table.rows)
  const rowActions = useRowActions(setOpen, shown.show)
  const buttons = <Buttons onOpen={(dialog) => setOpen({ dialog })} />
  return (
    <Page>
      <DeviceSearch {...list.search} />
      <DeviceConnections rows={list.table.rows}>
        <DataTable
          {...list.table}
          views={VIEWS}
          rowKey="id"
          columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
          actions={buttons}
          tools={<ExportButton to={agentDevices.export} query={list.query} name="语音设备" />}
          batch={(picked) => <Batch picked={picked} onMove={(rows) => setOpen({ move: rows })} />}
          empty={describeEmptyList(buttons)}
          onOpen={shown.show}
        />
        <AgentDeviceDrawer
          rows={list.table.rows}
          row={shown.row}
          onRow={shown.show}
          tab={shown.tab}
          onTab={shown.setTab}
        />
      </DeviceConnections>
      <Dialogs open={open} onClose={() => setOpen({})} />
    </Page>
  )
}

const describeEmptyList = (buttons: ReactNode) => ({
  text: '还没有语音设备',
  hint: '先把设备的 OTA 地址设为下面的地址，再输入设备播报的验证码',
  action: (
    <>
      <OtaAddress />
      {buttons}
    </>
  ),
})

const Buttons = ({ onOpen }: { onOpen(dialog: Dialog): void }) => (
  <>
    <Allowed to={agentDevices.bind}>
      <Button type="primary" icon={<LinkOutlined />} onClick={() => onOpen('bind')}>
        按验证码绑定
      </Button>
      <Button onClick={() => onOpen('mac')}>按 MAC 绑定</Button>
    </Allowed>
    <Allowed to={agentDevices.import}>
      <Button onClick={() => onOpen('import')}>导入绑定</Button>
    </Allowed>
    <Allowed to={agentDevices.diagnose}>
      <Button onClick={() => onOpen('diagnose')}>接入诊断</Button>
    </Allowed>
  </>
)

function Dialogs({ open, onClose }: { readonly open: Open; onClose(): void }) {
  const { dialog, edit, move } = open
  return (
    <>
      {dialog === 'bind' && <BindForm onClose={onClose} />}
      {dialog === 'mac' && <BindMacForm onClose={onClose} />}
      {dialog === 'diagnose' && <DiagnosisDrawer onClose={onClose} />}
      {dialog === 'import' && (
        <ImportModal
          title="导入绑定"
          intro="智能体编码在智能体详情页的标题下方，也可以在智能体表格中显示“智能体编码”一列后导出。"
          to={agentDevices.import}
          template={agentDevices.template}
          onClose={onClose}
        />
      )}
      {edit && <AgentDeviceForm row={edit} onClose={onClose} />}
      {move && <MoveForm rows={move} onClose={onClose} />}
    </>
  )
}

const idsOf = ({ id }: AgentDeviceRow) => ({ ids: [id] })
const nameOf = ({ name }: AgentDeviceRow) => name

const Batch = (props: { picked: Picked<AgentDeviceRow>; onMove(rows: readonly AgentDeviceRow[]): void }) => (
  <>
    <Allowed to={agentDevices.move}>
      <Button size="small" onClick={() => props.onMove(props.picked.rows)}>
        更换智能体
      </Button>
    </Allowed>
    <BatchAction
      label="解绑"
      danger
      to={agentDevices.unbind}
      picked={props.picked}
      input={idsOf}
      nameOf={nameOf}
      effect="设备资料保留，这些设备下次启动时重新播报验证码。"
    />
  </>
)

function DeviceSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="name" />
      <Filter of={QUERY} name="mac" />
      <SelectFilter of={QUERY} name="state" />
      <Filter of={QUERY} name="agentId">
        <AgentPicker from={agentDevices.agents} />
      </Filter>
      <Filter of={QUERY} name="board" />
      <SelectFilter of={QUERY} name="identity" />
      <SelectFilter of={QUERY} name="packageState" />
      <SelectFilter of={QUERY} name="limit" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

/** Returns a function that renders the actions on a device. */
function useRowActions(onOpen: (open: Open) => void, onShow: (row: AgentDeviceRow) => void) {
  const unbind = useWrite(agentDevices.unbind)
  const reset = useWrite(agentDevices.reset)
  return (row: AgentDeviceRow) => (
    <RowActions
      items={[
        { label: '详情', to: agentDevices.get, onClick: () => onShow(row) },
        { label: '编辑', to: agentDevices.update, onClick: () => onOpen({ edit: row }) },
        { label: '更换智能体', to: agentDevices.move, onClick: () => onOpen({ move: [row] }) },
        {
          label: '重置身份',
          to: agentDevices.reset,
          confirm: resetText(row),
          onClick: () => reset.mutateAsync({ id: row.id, otherClientId: row.otherClientId }),
        },
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
}

const resetText = ({ name, otherClientId }: AgentDeviceRow) =>
  otherClientId === ''
    ? `重置设备「${name}」的身份？下次以该 MAC 启动的设备成为该设备。`
    : `接受设备「${name}」的新身份 ${otherClientId}？请先确认设备曾擦除存储或更换主板。`
