import {
  ColumnHeightOutlined,
  FullscreenExitOutlined,
  FullscreenOutlined,
  ReloadOutlined,
  SettingOutlined,
} from '@ant-design/icons'
import { Button, Dropdown, Popover, Skeleton, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import type { TableDensity, ConfigurableColumn, TableSettings } from './table-settings.ts'

/** Rarely used; loads when opened. */
const ColumnPanel = lazyAfterRender(() => import('./column-panel.tsx'), 'default', {
  fallback: () => <PanelSkeleton />,
})

const DENSITIES: Readonly<Record<TableDensity, string>> = { large: '宽松', medium: '默认', small: '紧凑' }

const PanelSkeleton = () => <Skeleton active paragraph={{ rows: 5 }} title={false} style={{ width: 260 }} />

interface ToolbarProps {
  columns: readonly ConfigurableColumn[]
  settings: TableSettings
  density: TableDensity
  fetching: boolean
  full: boolean
  onSettings(next: TableSettings): void
  onRefresh(): void
  onFull(): void
}

/** Tool buttons above a table: refresh, density, columns, full screen. */
export function TableToolbar(props: ToolbarProps) {
  const { columns, settings, density, fetching, full, onSettings, onRefresh, onFull } = props
  return (
    <>
      <Tool name="刷新" icon={<ReloadOutlined spin={fetching} />} onClick={onRefresh} />
      <Dropdown
        trigger={['click']}
        menu={{
          selectable: true,
          selectedKeys: [density],
          items: Object.entries(DENSITIES).map(([key, label]) => ({ key, label })),
          onClick: ({ key }) => onSettings({ ...settings, density: key as TableDensity }),
        }}
      >
        <Button type="text" className="kit-wide-tool" aria-label="密度" title="密度" icon={<ColumnHeightOutlined />} />
      </Dropdown>
      <Popover
        trigger="click"
        placement="bottomRight"
        destroyOnHidden
        content={<ColumnPanel columns={columns} settings={settings} onChange={onSettings} />}
      >
        <Button type="text" aria-label="列设置" title="列设置" icon={<SettingOutlined />} />
      </Popover>
      <Tool
        className={full ? '' : 'kit-wide-tool'}
        name={full ? '退出全屏' : '全屏'}
        icon={full ? <FullscreenExitOutlined /> : <FullscreenOutlined />}
        onClick={onFull}
      />
    </>
  )
}

function Tool({ name, ...button }: { name: string; className?: string; icon: ReactNode; onClick(): void }) {
  return (
    <Tooltip title={name}>
      <Button type="text" aria-label={name} {...button} />
    </Tooltip>
  )
}
