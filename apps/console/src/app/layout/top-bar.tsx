import {
  BellOutlined,
  FullscreenExitOutlined,
  FullscreenOutlined,
  MenuFoldOutlined,
  MenuUnfoldOutlined,
  MoonOutlined,
  QuestionCircleOutlined,
  SearchOutlined,
  SunOutlined,
} from '@ant-design/icons'
import { memo, type ReactNode, Suspense, useState } from 'react'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { isMac } from '#app/keys/shortcut-list.ts'
import { useUnreadCount } from '#app/notices/unread.ts'
import { findHelpUrl } from '#app/help-url.ts'
import { useTheme } from '#kit/antd/use-theme.ts'
import { useFullScreen } from './use-full-screen.ts'
import { UserMenu } from './user-menu.tsx'

const NoticeDrawer = lazyAntd(() => import('#app/notices/notice-drawer.tsx'), 'default')

interface Props {
  readonly collapsed: boolean
  readonly onCollapse: () => void
  readonly onSearch: () => void
  readonly children: ReactNode
}

/** Renders the collapse button, the breadcrumb (children), and the user's tools on the right. */
export function TopBar({ collapsed, onCollapse, onSearch, children }: Props) {
  return (
    <header className="top-bar">
      <Fold collapsed={collapsed} onCollapse={onCollapse} />
      {children}
      <Tools onSearch={onSearch} />
    </header>
  )
}

// Memoised: identical on every page.
const Fold = memo(function Fold({ collapsed, onCollapse }: Pick<Props, 'collapsed' | 'onCollapse'>) {
  return (
    <Tool label={collapsed ? '展开菜单' : '收起菜单'} onClick={onCollapse}>
      {collapsed ? <MenuUnfoldOutlined /> : <MenuFoldOutlined />}
    </Tool>
  )
})

const Tools = memo(function Tools({ onSearch }: Pick<Props, 'onSearch'>) {
  const full = useFullScreen()
  const theme = useTheme()
  return (
    <div className="top-tools">
      <button type="button" className="search-opener" onClick={onSearch}>
        <SearchOutlined aria-hidden />
        <span className="sr-only">搜索菜单和记录</span>
        <span className="wide-only" aria-hidden="true">
          搜索
        </span>
        <kbd className="wide-only" aria-hidden="true">
          {isMac ? '⌘' : 'Ctrl'} K
        </kbd>
      </button>
      <span className="wide-only">
        <Tool label={full.on ? '退出全屏' : '全屏'} onClick={full.toggle}>
          {full.on ? <FullscreenExitOutlined /> : <FullscreenOutlined />}
        </Tool>
      </span>
      <Tool label={theme.isDark ? '切换为浅色' : '切换为深色'} onClick={theme.toggle}>
        {theme.isDark ? <SunOutlined /> : <MoonOutlined />}
      </Tool>
      <Help />
      <Notices />
      <UserMenu />
    </div>
  )
})

const Tool = ({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) => (
  <button type="button" className="tool" aria-label={label} data-tip={label} onClick={onClick}>
    {children}
  </button>
)

/** Opens the guide of the shown page. The URL is computed on press, because the memoised tools do not follow the page. */
const Help = () => (
  <Tool label="帮助" onClick={() => void open(findHelpUrl(location.pathname + location.search), '_blank', 'noopener')}>
    <QuestionCircleOutlined />
  </Tool>
)

function Notices() {
  const unread = useUnreadCount()
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const show = () => {
    setWanted(true)
    setOpen(true)
  }
  return (
    <>
      <span className="with-count">
        <Tool label={unread ? `消息，${unread} 条未读` : '消息'} onClick={show}>
          <BellOutlined />
        </Tool>
        {unread > 0 && (
          <span className="count" aria-hidden="true">
            {unread > 99 ? '99+' : unread}
          </span>
        )}
      </span>
      {wanted && (
        <Suspense>
          <NoticeDrawer open={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
