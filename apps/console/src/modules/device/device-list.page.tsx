import { ApiOutlined, ImportOutlined, PlusOutlined, UnorderedListOutlined } from '@ant-design/icons'
import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceRow, DeviceQuery } from '@oms/contract/device/device-row.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Link } from '#core/routing/router.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { useTabState } from '#core/routing/tab.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { minutes, time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { BatchMenu, FoundSerials } from './batch-menu.tsx'
import {
  OnlineDot,
  formatFirmware,
  formatDeviceName,
  DeviceTags,
  DeviceStatus,
  DEVICE_ACTION_CALLS,
  useDeviceActions,
  GroupPicker,
} from './device.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const DeviceAddForm = lazyAfterRender(() => import('./device-forms.tsx'), 'DeviceAddForm')
const DeviceEditForm = lazyAfterRender(() => import('./device-forms.tsx'), 'DeviceEditForm')
const ImportModal = lazyAfterRender(() => import('#kit/jobs/import-modal.tsx'), 'ImportModal')
const PasteSerials = lazyAfterRender(() => import('./device-forms.tsx'), 'PasteSerials')

const { col, actions } = createColumns(DeviceRow)
const COLUMNS = [
  col('sn', (sn, row) => <Serial sn={sn} id={row.id} />, { width: 128, sort: true }),
  col('devName', { width: 95 }),
  col('online', (_, row) => <OnlineDot row={row} />, { width: 80 }),
  col('status', (_, row) => <DeviceStatus row={row} />, { width: 76 }),
  {
    ...col('verCode', (_, row) => renderPlainCell(formatFirmware(row)), { width: 145, sort: true, title: '固件版本' }),
  },
  // These two keep their width: with one line a row, the longest list of the console shows more rows.
  col('modelName', { width: 118 }),
  col('tenantName', { width: 200 }),
  col('tags', (tags) => <DeviceTags tags={tags} />, { width: 130, hidden: true }),
  col('typeName', { width: 110, hidden: true }),
  col('lastOnlineTime', minutes, { width: 126 }),
  col('activateTime', time, { width: 170, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('modelCode', { width: 110, hidden: true }),
  col('uid', { width: 190, hidden: true }),
  col('mac', (mac) => renderPlainCell(formatMac(mac)), { width: 134, hidden: true }),
  col('imei', { width: 150, hidden: true }),
  col('osVer', { width: 120, hidden: true }),
  col('appVer', { width: 120, hidden: true }),
  col('hwVer', { width: 120, hidden: true }),
  col('ip', { width: 130, hidden: true }),
  col('region', { width: 120, hidden: true }),
  col('warrantyEnd', { width: 120, hidden: true }),
  col('hasToken', { width: 100, hidden: true }),
  col('remark', { width: 180, hidden: true }),
]

export const deviceDetailPath = (id: number) => `/device/apkManage/detail/${id}`

function Serial({ sn, id }: { sn: string; id: number }) {
  const text = <Ellipsis text={sn} />
  if (!useCan()(devices.get.access)) return text
  return (
    <Link to={deviceDetailPath(id)} className="device-serial">
      {text}
    </Link>
  )
}

/** Open dialog or drawer of the page. */
interface Open {
  readonly add?: true
  readonly import?: true
  readonly paste?: true
  readonly edit?: DeviceRow
}

const EMPTY = {
  drawing: 'device',
  text: '还没有设备',
  hint: '可以逐台新增、批量导入，或凭网关令牌在首次联网时自动登记。',
} as const

const VIEWS: readonly BuiltInView[] = [
  { name: '在线', filters: { online: '1' } },
  { name: '离线', filters: { online: '0', activated: '1' } },
  { name: '未激活', filters: { activated: '0' } },
  { name: '已停用', filters: { status: '0' } },
]

/** Lists all visible devices. */
export default function DeviceListPage() {
  const { sns, setSns, pasted, list, findSerials, clear } = useDeviceList()
  const { actionsOf, dialog } = useDeviceActions()
  const [open, setOpen] = useState<Open>({})
  const close = () => setOpen({})
  const go = useNavigate()
  const rowActions = useRowActions(actionsOf, (row) => setOpen({ edit: row }))
  const { pageNum, pageSize } = list.table
  return (
    <Page>
      {pasted && (
        <FoundSerials
          sns={sns}
          asked={{ ...list.query, pageNum, pageSize }}
          onEdit={() => setOpen({ paste: true })}
          onClear={() => setSns([])}
        />
      )}
      <DeviceSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        filtered={list.table.filtered || pasted}
        onClear={clear}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, [devices.get, devices.update, ...DEVICE_ACTION_CALLS])]}
        actions={<Buttons onOpen={setOpen} />}
        tools={<ExportButton to={devices.export} query={list.query} name="设备" />}
        batch={(picked) => <Batch picked={picked} />}
        empty={{ ...EMPTY, action: <Buttons onOpen={setOpen} /> }}
        onOpen={(row) => go(deviceDetailPath(row.id))}
      />
      <Dialogs open={open} sns={sns} onFind={findSerials} onClose={close} />
      {dialog}
    </Page>
  )
}

/** Lists all visible devices, or only the devices with the pasted serial numbers. */
function useDeviceList() {
  const [sns, setSns] = useTabState<readonly string[]>('sns', [])
  const pasted = sns.length > 0
  const list = useList(
    pasted ? (devices.find as never as typeof devices.list) : devices.list,
    pasted ? { sns: [...sns] } : {},
  )
  const findSerials = (next: readonly string[]) => {
    setSns(next)
    if (list.table.pageNum > 1) list.table.onPage?.(1, list.table.pageSize)
  }
  const clear = () => {
    setSns([])
    list.table.onClear()
  }
  return { sns, setSns, pasted, list, findSerials, clear }
}

type ActionsOf = ReturnType<typeof useDeviceActions>['actionsOf']

/** Returns a function that renders the actions on a device. */
function useRowActions(actionsOf: ActionsOf, onEdit: (row: DeviceRow) => void) {
  const go = useNavigate()
  return (row: DeviceRow) => (
    <RowActions
      items={[
        { label: '详情', to: devices.get, onClick: () => go(deviceDetailPath(row.id)) },
        { label: '编辑', to: devices.update, onClick: () => onEdit(row) },
        ...actionsOf(row),
      ]}
    />
  )
}

interface DialogsProps {
  readonly open: Open
  readonly sns: readonly string[]
  onFind(sns: readonly string[]): void
  onClose(): void
}

function Dialogs({ open, sns, onFind, onClose }: DialogsProps) {
  return (
    <>
      {open.add && <DeviceAddForm onClose={onClose} />}
      {open.edit && <DeviceEditForm row={open.edit} onClose={onClose} />}
      {open.import && (
        <ImportModal title="导入设备" to={devices.import} template={devices.template} onClose={onClose} />
      )}
      {open.paste && (
        <PasteSerials
          initial={sns}
          onFind={(found) => {
            onFind(found)
            onClose()
          }}
          onClose={onClose}
        />
      )}
    </>
  )
}

function Buttons({ onOpen }: { onOpen(open: Open): void }) {
  return (
    <>
      <Allowed to={devices.create}>
        <Button type="primary" icon={<PlusOutlined />} onClick={() => onOpen({ add: true })}>
          新增设备
        </Button>
      </Allowed>
      <Allowed to={devices.import}>
        <Button icon={<ImportOutlined />} onClick={() => onOpen({ import: true })}>
          导入
        </Button>
      </Allowed>
      <Button icon={<UnorderedListOutlined />} onClick={() => onOpen({ paste: true })}>
        批量查找
      </Button>
      <AccessLink />
    </>
  )
}

/** Link to the device access settings. */
function AccessLink() {
  if (!useCan()('device:apkManage:access')) return null
  return (
    <Link to="/device/apkManage/access" className="kit-row">
      <ApiOutlined aria-hidden /> 接入设置
    </Link>
  )
}

function Batch({ picked }: { picked: Picked<DeviceRow> }) {
  const each = { picked, nameOf: (row: DeviceRow) => formatDeviceName(row) }
  const one = ({ id }: DeviceRow) => ({ ids: [id] })
  return (
    <>
      <BatchAction
        label={ENABLED_LABELS.enable}
        to={devices.setStatus}
        input={(row) => ({ ...one(row), status: 1 })}
        {...each}
      />
      <BatchAction
        label={ENABLED_LABELS.disable}
        to={devices.setStatus}
        input={(row) => ({ ...one(row), status: 0 })}
        {...each}
        danger
        effect="停用后这些设备连接时将被拒绝，不能检查升级，也不会收到指令。"
      />
      <BatchAction
        label="删除"
        to={devices.remove}
        input={one}
        {...each}
        danger
        effect="删除后不能恢复，这些设备将不能再连接。"
      />
      <BatchMenu ids={picked.rows.map(({ id }) => id)} label="更多操作" onDone={picked.clear} />
    </>
  )
}

/** The filters of the device list, the common ones first. */
function DeviceSearch(search: SearchProps) {
  const many = useHasManyTenants()
  const of = DeviceQuery
  return (
    <SearchForm {...search}>
      <Filter of={of} name="sn" />
      <Filter of={of} name="devName" />
      <Filter of={of} name="modelId">
        <DeviceModelPicker />
      </Filter>
      <SelectFilter of={of} name="online" />
      <Filter of={of} name="groupId">
        <GroupPicker />
      </Filter>
      <Filter of={of} name="tag" />
      {many && (
        <Filter of={of} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={of} name="typeId">
        <DeviceTypePicker />
      </Filter>
      <SelectFilter of={of} name="status" />
      <SelectFilter of={of} name="activated" />
      <SelectFilter of={of} name="appBound" />
      <Filter of={of} name="verCodeMin" />
      <Filter of={of} name="verCodeMax" />
      <Filter of={of} name="mac" />
      <Filter of={of} name="imei" />
      <Filter of={of} name="uid" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}
