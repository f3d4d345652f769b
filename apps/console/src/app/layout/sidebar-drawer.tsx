import { Drawer } from 'antd'
import type { MenuEntry } from '#app/menu-tree.ts'
import { Sidebar } from './sidebar.tsx'

interface Props {
  readonly entries: readonly MenuEntry[]
  readonly current: string
  readonly open: boolean
  readonly onClose: () => void
}

/** Sidebar of a narrow window, as a drawer. */
export default function SidebarDrawer({ entries, current, open, onClose }: Props) {
  return (
    <Drawer
      open={open}
      onClose={onClose}
      placement="left"
      size={232}
      closable={false}
      title={null}
      aria-label="主菜单"
      rootClassName="sidebar-drawer"
    >
      <Sidebar entries={entries} current={current} collapsed={false} onNavigate={onClose} />
    </Drawer>
  )
}
