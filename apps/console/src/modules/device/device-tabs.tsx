import { Skeleton, Tabs } from 'antd'
import { type ComponentType, lazy, type ReactNode, Suspense, useRef } from 'react'
import { type DeviceTab, listDeviceTabs } from '#core/routing/device-tabs.ts'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { useView } from '#core/routing/view.ts'
import { useCan } from '#core/auth/session.tsx'
import { Panel } from '#kit/record/page.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { AttributesTab, GroupsTab, PackagesTab, VersionsTab } from './device-facts.tsx'

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
