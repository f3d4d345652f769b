import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { loadChunk } from '#kernel/load-chunk.ts'
import { useSession } from '#kernel/session.tsx'
import { logOut } from './leave.ts'
import { NoticePage } from './notice-page.tsx'

const JoinPage = lazy(() =>
  loadChunk(() => import('#modules/tenant/join-page.tsx')).then(({ JoinPage: page }) => ({ default: page })),
)

const TITLE = '暂无可用菜单，请联系管理员'
const LogOut = () => <Button onClick={() => void logOut()}>退出登录</Button>

/** An account that may see nothing yet: said plainly, with the way in where it belongs to nobody, and the way out. */
export function NoMenus() {
  if (useSession()?.ownerId !== '')
    return (
      <NoticePage title={TITLE}>
        <LogOut />
      </NoticePage>
    )
  return (
    <div className="center-page">
      <div className="error-page">
        <h1 role="status">{TITLE}</h1>
        <Suspense>
          <JoinPage />
        </Suspense>
        <div className="notice-actions">
          <LogOut />
        </div>
      </div>
    </div>
  )
}
