import { Drawer } from 'antd'
import { UsagePanel } from './usage-panel.tsx'

/** Drawer with the usage of all agents. */
export const UsageDrawer = ({ onClose }: { onClose(): void }) => (
  <Drawer open size="min(1160px, 100vw)" title="用量" onClose={onClose}>
    <UsagePanel />
  </Drawer>
)
