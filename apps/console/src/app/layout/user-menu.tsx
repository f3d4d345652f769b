import { DownOutlined, UserOutlined } from '@ant-design/icons'
import { Dropdown, type MenuProps } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { useRead } from '#kernel/query.ts'
import { loadChunk } from '#kernel/load-chunk.ts'
import { useCan, useSession } from '#kernel/session.tsx'
import { shell } from '../calls.ts'
import { JobCenter } from '../jobs/job-center.tsx'
import { logOut } from '../leave.ts'
import { useFileUrl } from '#kernel/file-url.ts'

const SwitchTenant = lazy(() =>
  loadChunk(() => import('#modules/tenant/switch-tenant.tsx')).then(({ SwitchTenant: dialog }) => ({
    default: dialog,
  })),
)

/** Avatar, account name, and what one does with one's own account. */
export function UserMenu() {
  const navigate = useNavigate()
  const session = useSession()
  const own = useRead(shell.detail, { id: session?.uid ?? 0 }, { enabled: session !== undefined, quiet: true })
  const avatar = useFileUrl(own.data?.avatar)
  const items: MenuProps['items'] = [
    { key: '/account/profile', label: '编辑资料' },
    { key: '/account/password', label: '修改密码' },
    { key: '/account/sessions', label: '我的会话' },
    { key: '/account/mfa', label: '两步验证' },
    { key: 'jobs', label: '我的任务' },
    ...(useCan()('tenantManage:tenant:switch') ? [{ key: 'switch', label: '切换客户' }] : []),
    { type: 'divider' },
    { key: 'logout', label: '退出登录', danger: true },
  ]
  const [jobs, setJobs] = useState(false)
  const [away, setAway] = useState(false)
  const onClick: MenuProps['onClick'] = ({ key }) => {
    if (key === 'logout') void logOut()
    else if (key === 'jobs') setJobs(true)
    else if (key === 'switch') setAway(true)
    else void navigate(key)
  }
  return (
    <>
      <Dropdown menu={{ items, onClick }} trigger={['click']} placement="bottomRight">
        <button type="button" className="user" aria-label={`账号 ${session?.account ?? ''}`} aria-haspopup="menu">
          <span className="user-face">{avatar ? <img src={avatar} alt="" /> : <UserOutlined aria-hidden />}</span>
          <span className="user-name wide-only">{session?.account}</span>
          <DownOutlined className="wide-only user-arrow" />
        </button>
      </Dropdown>
      {away && (
        <Suspense>
          <SwitchTenant onClose={() => setAway(false)} />
        </Suspense>
      )}
      <JobCenter open={jobs} onOpen={() => setJobs(true)} onClose={() => setJobs(false)} />
    </>
  )
}
