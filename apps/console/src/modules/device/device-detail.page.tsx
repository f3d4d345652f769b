import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceDetail } from '@oms/contract/device/device-row.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { Space, Skeleton, Tabs } from 'antd'
import { useState, type ComponentType, lazy, type ReactNode, Suspense, useRef } from 'react'
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
import {
  formatFirmware,
  formatDeviceName,
  OnlineStatus,
  DeviceTags,
  DeviceStatus,
  useDeviceActions,
} from './device.tsx'
import { type DeviceTab, listDeviceTabs } from '#core/routing/device-tabs.ts'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { useView } from '#core/routing/view.ts'
import { useCan } from '#core/auth/session.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { AttributesTab, GroupsTab, PackagesTab, VersionsTab } from './device-facts.tsx'

const DeviceEditForm = lazyAfterRender(() => import('./device-forms.tsx'), 'DeviceEditForm')

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

interface Of {
  readonly deviceId: number
  readonly sn: string
}
interface Item {
  readonly key: string
  readonly label: string
  readonly order: number
  readonly children: ReactNode
}

const foreign = new Map<string, ComponentType<Of>>()

/** Loads the code of another module's tab when the tab is opened. */
function panelOf({ key, panel }: DeviceTab) {
  const known = foreign.get(key)
  if (known) return known
  const made = lazy(() => loadChunk(panel))
  foreign.set(key, made)
  return made
}

/** Fraction of the window height. Below this position, the content of a chosen tab is hardly visible. */
const LOW = 0.5

/** Moves tabs in the lower half of the window to the top, where the content of the chosen tab is visible. */
function showTabs(tabs: HTMLElement | null) {
  if (tabs && tabs.getBoundingClientRect().top > innerHeight * LOW) tabs.scrollIntoView({ block: 'start' })
}

/** Tabs of a device, loaded when opened; other modules register further tabs (`#core/routing/device-tabs.ts`). */
export function DeviceTabs({ deviceId, sn }: Of) {
  const can = useCan()
  const own: Item[] = [
    { key: 'attributes', label: '设备属性', order: 10, children: <AttributesTab id={deviceId} /> },
    { key: 'versions', label: '版本历史', order: 20, children: <VersionsTab id={deviceId} /> },
    { key: 'packages', label: '软件包', order: 30, children: <PackagesTab id={deviceId} /> },
    { key: 'groups', label: '所属分组', order: 70, children: <GroupsTab id={deviceId} /> },
    { key: 'history', label: '操作记录', order: 90, children: <RecordHistory bizType="device" bizId={deviceId} /> },
  ]
  const added = listDeviceTabs()
    .filter(({ access }) => can(access))
    .map((tab): Item => {
      const Content = panelOf(tab)
      return { ...tab, children: <Content deviceId={deviceId} sn={sn} /> }
    })
  const items = [...own, ...added].sort((a, b) => a.order - b.order)
  const first = items[0]?.key ?? ''
  const [view, setView] = useView(first)
  const tabs = useRef<HTMLDivElement>(null)
  const choose = (key: string) => {
    setView(key)
    showTabs(tabs.current)
  }
  return (
    <Panel>
      <div ref={tabs} className="device-tabs">
        <Tabs
          activeKey={items.some(({ key }) => key === view) ? view : first}
          onChange={choose}
          items={items.map(({ key, label, children }) => ({
            key,
            label,
            children: <Suspense fallback={<Skeleton active title={false} />}>{children}</Suspense>,
          }))}
        />
      </div>
    </Panel>
  )
}
