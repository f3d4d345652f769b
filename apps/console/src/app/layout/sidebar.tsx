import { Menu, type MenuProps } from 'antd'
import { memo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { MenuEntry } from '../menu-tree.ts'
import { trailOf } from '../menu-tree.ts'
import { Brand } from './brand.tsx'
import { MenuIcon } from './menu-icon.tsx'

interface Props {
  readonly entries: readonly MenuEntry[]
  /** Address of the entry to highlight. */
  readonly current: string
  readonly collapsed: boolean
  readonly onNavigate?: () => void
}

/** Directories always have a drawing: it is all one sees of them when folded. Pages only one the server names. */
const itemOf = ({ name, url, icon, children }: MenuEntry, isTop: boolean): NonNullable<MenuProps['items']>[number] => ({
  key: url,
  label: name,
  title: name,
  ...((isTop || icon) && { icon: <MenuIcon name={icon} url={url} /> }),
  ...(children.length && { children: children.map((child) => itemOf(child, false)) }),
})

/** The menus of the server, home first. Remembered, as each change of a tab would draw all of it again. */
export const Sidebar = memo(function Sidebar({ entries, current, collapsed, onNavigate }: Props) {
  const navigate = useNavigate()
  const above = trailOf(entries, current)?.above.map(({ url }) => url) ?? []
  const [opened, setOpened] = useState<readonly string[]>(above)
  const [seen, setSeen] = useState(current)
  // A page opened from elsewhere unfolds its group, once; after that the person decides.
  if (seen !== current) {
    setSeen(current)
    setOpened([...new Set([...opened, ...above])])
  }
  const go: MenuProps['onClick'] = ({ key }) => {
    onNavigate?.()
    if (key.startsWith('http')) open(key, '_blank', 'noopener')
    else navigate(key)
  }
  return (
    <>
      <Brand compact={collapsed} />
      <nav className="sidebar-menu" aria-label="主菜单">
        <Menu
          mode="inline"
          inlineCollapsed={collapsed}
          inlineIndent={16}
          items={entries.map((entry) => itemOf(entry, true))}
          selectedKeys={[current]}
          {...(!collapsed && { openKeys: [...opened], onOpenChange: setOpened })}
          onClick={go}
        />
      </nav>
    </>
  )
})
