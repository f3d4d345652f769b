import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceDetail } from '@oms/contract/device/device-row.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { VideoCameraOutlined } from '@ant-design/icons'
import { Skeleton, Tabs } from 'antd'
import { useState, type ComponentType, lazy, type ReactNode, Suspense, useRef } from 'react'
import { useParams } from 'react-router'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead } from '#core/api/query.ts'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { createDescriptions, GroupedDescriptions } from '#kit/record/descriptions.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { HeadActions, RecordHead } from '#kit/record/record-head.tsx'
import { listPath, ModelLink, TenantLink } from '#kit/record/record-links.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { Time, time } from '#kit/record/time.tsx'
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

const { item } = createDescriptions(DeviceDetail)
const GROUPS = [
  {
    title: '设备',
    items: [
      item('sn', (sn) => <CopyText text={sn} />),
      item('modelName', (_, { modelName, modelCode }) => (
        <ModelLink code={modelCode} name={`${modelName}（${modelCode}）`} />
      )),
      item('typeName'),
      item('uid'),
      item('mac', (mac) => formatMac(mac)),
      item('imei'),
      item('hasToken', (has) => (has ? '已生成' : '未生成')),
    ],
  },
  {
    title: '系统与网络',
    items: [item('unknownVersion'), item('osVer'), item('appVer'), item('hwVer'), item('ip'), item('region')],
  },
  {
    title: '记录',
    items: [
      item('activateTime', time),
      item('warrantyEnd'),
      item('createTime', (at, { createByName }) => <Signed at={at} by={createByName} />),
      item('updateTime', (at, { updateByName }) => <Signed at={at} by={updateByName} />),
      item('tags', (tags) => <DeviceTags tags={tags} />),
      item('remark'),
    ],
  },
]

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
  return (
    <Page>
      <RecordHead
        name={formatDeviceName(device)}
        icon={<VideoCameraOutlined />}
        picture={device.picture}
        state={<OnlineStatus row={device} />}
        facts={[
          ['固件', <Firmware key="firmware" device={device} />],
          ['客户', <TenantLink key="tenant" id={device.tenantId} name={device.tenantName} />],
          ['状态', <DeviceStatus key="status" row={device} />],
        ]}
        actions={<HeadActions items={[edit, ...actionsOf(device)]} />}
      />
      <Panel>
        <GroupedDescriptions row={device} groups={GROUPS} />
      </Panel>
      <DeviceTabs deviceId={device.id} sn={device.sn} />
      {editing && <DeviceEditForm row={device} onClose={() => setEditing(false)} />}
      {dialog}
    </Page>
  )
}

/** Firmware version of a device, and how many enabled versions are newer. */
const Firmware = ({ device }: { device: DeviceDetail }) => (
  <span className="kit-row">
    {formatFirmware(device) || '未上报'}
    {device.versionsBehind > 0 && (
      <PermittedLink className="kit-warning" to={listPath('/upgrade/ota', { modelId: device.modelId })}>
        版本落后 {device.versionsBehind} 个版本
      </PermittedLink>
    )}
  </span>
)

/** A time and the person who made the change. */
const Signed = ({ at, by }: { at: string; by: string }) => (
  <>
    <Time at={at} short /> {by}
  </>
)

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
  const { data: attributes } = useRead(devices.attributes, { id: deviceId }, { quiet: true })
  // A device that has reported no attributes opens with its versions.
  const first = attributes?.list.length === 0 ? 'versions' : 'attributes'
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
