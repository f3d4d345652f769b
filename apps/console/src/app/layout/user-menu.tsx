import { DownOutlined, UserOutlined } from '@ant-design/icons'
import { Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useCan, useSession } from '#core/auth/session.tsx'
import { MenuButton, type DropdownMenuItem } from '#kit/feedback/dropdown-menu.tsx'
import { shellCalls } from '#app/calls.ts'
import { JobCenter } from '#app/jobs/job-center.tsx'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { logOut } from '#app/leave.ts'
import { useFileUrl } from '#core/api/file-url.ts'

const SwitchTenant = lazyAntd(() => import('#modules/tenant/switch-tenant.tsx'), 'SwitchTenant')

/** Avatar and name with the menu of the user's own account. */
export function UserMenu() {
  const navigate = useNavigate()
  const session = useSession()
  const own = useRead(shellCalls.detail, { id: session?.uid ?? 0 }, { enabled: session !== undefined, quiet: true })
  const avatar = useFileUrl(own.data?.avatar)
  const [jobs, setJobs] = useState(false)
  const [away, setAway] = useState(false)
  const page = (label: string, to: string): DropdownMenuItem => ({ key: to, label, onClick: () => navigate(to) })
  const items: DropdownMenuItem[] = [
    page('编辑资料', '/account/profile'),
    page('修改密码', '/account/password'),
    page('我的会话', '/account/sessions'),
    page('两步验证', '/account/mfa'),
    page('访问令牌', '/account/tokens'),
    { key: 'jobs', label: '我的任务', onClick: () => setJobs(true) },
    ...(useCan()('tenantManage:tenant:switch')
      ? [{ key: 'switch', label: '切换客户', onClick: () => setAway(true) }]
      : []),
    { key: 'logout', label: '退出登录', danger: true, parted: true, onClick: () => logOut() },
  ]
  return (
    <>
      <MenuButton items={items} align="end" buttonClass="user" label={`账号 ${session?.account ?? ''}`}>
        <span className="user-face">{avatar ? <img src={avatar} alt="" /> : <UserOutlined aria-hidden />}</span>
        <span className="user-name wide-only">{session?.account}</span>
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
