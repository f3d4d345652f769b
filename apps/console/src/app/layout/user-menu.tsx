import { DownOutlined, UserOutlined } from '@ant-design/icons'
import { Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useCan, useSession } from '#core/auth/session.tsx'
import { MenuButton, type DropdownMenuItem } from '#kit/feedback/dropdown-menu.tsx'
import { showShortcuts } from '#app/keys/shortcuts.tsx'
import { MenuIcon } from './menu-icon.tsx'
import { shellCalls } from '#app/calls.ts'
import { JobCenter } from '#app/jobs/job-center.tsx'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { logOut } from '#app/leave.ts'
import { useFileUrl } from '#core/api/file-url.ts'

const SwitchTenant = lazyAntd(() => import('#modules/tenant/switch-tenant.tsx'), 'SwitchTenant')

/** An entry of the menu with its icon. */
const entry = (label: string, icon: string, onClick: () => unknown): DropdownMenuItem => ({
  key: label,
  label: (
    <>
      <MenuIcon name={icon} url="" />
      {label}
    </>
  ),
  onClick,
})

/** Avatar and name with the menu of the user's own account. */
export function UserMenu() {
  const navigate = useNavigate()
  const session = useSession()
  const own = useRead(shellCalls.detail, { id: session?.uid ?? 0 }, { enabled: session !== undefined, quiet: true })
  const avatar = useFileUrl(own.data?.avatar)
  const [jobs, setJobs] = useState(false)
  const [away, setAway] = useState(false)
  const page = (label: string, icon: string, to: string) => entry(label, icon, () => navigate(to))
  const items: DropdownMenuItem[] = [
    page('编辑资料', 'user', '/account/profile'),
    page('修改密码', 'key', '/account/password'),
    page('两步验证', 'safety-certificate', '/account/mfa'),
    page('我的会话', 'desktop', '/account/sessions'),
    page('访问令牌', 'api', '/account/tokens'),
    page('外观', 'skin', '/account/looks'),
    { ...entry('我的任务', 'profile', () => setJobs(true)), parted: true },
    ...(useCan()('tenantManage:tenant:switch') ? [entry('切换客户', 'bank', () => setAway(true))] : []),
    entry('键盘快捷键', 'control', showShortcuts),
    { ...entry('退出登录', 'login', () => logOut()), danger: true, parted: true },
  ]
  const name = own.data?.realname || session?.account
  return (
    <>
      <MenuButton items={items} align="end" buttonClass="user" label={`账号 ${session?.account ?? ''}`}>
        <span className="user-face">{avatar ? <img src={avatar} alt="" /> : <UserOutlined aria-hidden />}</span>
        <span className="user-name wide-only">{name}</span>
        <DownOutlined className="wide-only user-arrow" />
      </MenuButton>
      {away && (
        <Suspense>
          <SwitchTenant onClose={() => setAway(false)} />
        </Suspense>
      )}
      <JobCenter open={jobs} onOpen={() => setJobs(true)} onClose={() => setJobs(false)} />
    </>
  )
}
