import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceDetail } from '@oms/contract/device/device-row.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { Space } from 'antd'
import { useState } from 'react'
import { useParams } from 'react-router'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { formatFirmware, formatDeviceName, OnlineStatus, DeviceTags } from './device-cells.tsx'
import { DeviceStatus } from './device-status.tsx'
import { DeviceTabs } from './device-tabs.tsx'
import { useDeviceActions } from './use-device-actions.tsx'

const DeviceEditForm = lazyAfterRender(() => import('./device-form.tsx'), 'DeviceEditForm')

const { item, wide } = createDescriptions(DeviceDetail)
const ITEMS = [
  item('sn', (sn) => <CopyText text={sn} />),
  item('devName'),
  item('online', (_, row) => <OnlineStatus row={row} />),
  item('modelName', (name, { modelCode }) => `${name}（${modelCode}）`),
  item('typeName'),
  item('tenantName'),
  { ...item('verCode', (_, row) => formatFirmware(row)), title: '固件版本' },
  item('unknownVersion'),
  item('osVer'),
  item('appVer'),
  item('hwVer'),
  item('uid'),
  item('mac', (mac) => formatMac(mac)),
  item('imei'),
  item('ip'),
  item('region'),
  item('activateTime', time),
  item('warrantyEnd'),
  item('hasToken', (has) => (has ? '已生成' : '未生成')),
  wide('tags', (tags) => <DeviceTags tags={tags} />),
  item('createTime', time),
  item('createByName'),
  item('updateTime', time),
  item('updateByName'),
  wide('remark'),
]

/**
 * Returns whether a field has a value. Fields without a value are hidden, so that the tabs are visible without
 * scrolling.
 */
const hasValue = (value: unknown) => value !== '' && value != null && !(Array.isArray(value) && value.length === 0)
const listKnown = (device: DeviceDetail) => ITEMS.filter(({ key }) => hasValue(device[key as keyof DeviceDetail]))

/** Device page: details, and tabs with its history. */
export default function DeviceDetailPage() {
  const id = Number(useParams()['id'])
  const read = useRead(devices.get, { id }, { quiet: true, keepPrevious: false })
  useTabTitle(read.data && `设备 ${read.data.sn}`)
  return (
    <RecordPage read={read} list="/device/apkManage">
      {(device) => <Shown device={device} />}
    </RecordPage>
  )
}

function Shown({ device }: { device: DeviceDetail }) {
  const tab = useTab()
  const [editing, setEditing] = useState(false)
  const { actionsOf, dialog } = useDeviceActions({ onRemoved: () => tab.close('/device/apkManage') })
  const edit = { label: '编辑', to: devices.update, onClick: () => setEditing(true) }
  const extra = (
    <Space wrap>
      <DeviceStatus row={device} />
      <RowActions items={[edit, ...actionsOf(device)]} shown={4} />
    </Space>
  )
  return (
    <Page title={formatDeviceName(device)} extra={extra}>
      <Panel title="基本信息">
        <div className="kit-many">
          <Descriptions row={device} items={listKnown(device)} />
        </div>
      </Panel>
      <DeviceTabs deviceId={device.id} sn={device.sn} />
      {editing && <DeviceEditForm row={device} onClose={() => setEditing(false)} />}
      {dialog}
    </Page>
  )
}
