import { Suspense } from 'react'
import { useSession } from '#core/auth/session.tsx'
import { ActionButton } from '#app/action-button.tsx'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { logOut } from '#app/leave.ts'
import { ErrorPage } from './error-page.tsx'

const JoinPage = lazyAntd(() => import('#modules/tenant/join-page.tsx'), 'JoinPage')

const TITLE = '暂无可用菜单，请联系管理员'
const LogOut = () => <ActionButton onClick={logOut}>退出登录</ActionButton>

/** Page for an account without any permission: explains the state and offers joining a tenant and logging out. */
export function NoMenus() {
  if (useSession()?.ownerId !== '')
    return (
      <ErrorPage title={TITLE} drawing="denied">
        <LogOut />
      </ErrorPage>
    )
  return (
    <div className="center-page">
      <div className="error-page">
        <h1 role="status">{TITLE}</h1>
        <Suspense>
          <JoinPage />
        </Suspense>
        <div className="error-actions">
          <LogOut />
        </div>
      </div>
    </div>
  )
}
