import { useQueryClient } from '@tanstack/react-query'
import { refreshReads } from '#core/api/query.ts'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { isPublicPath } from '#core/routing/addresses.ts'
import { useSession } from '#core/auth/session.tsx'
import { ActionButton } from './action-button.tsx'
import { Console } from './console.tsx'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { NewVersion } from './new-version.tsx'
import { ErrorPage } from './pages/error-page.tsx'
import { PageLoading } from './pages/page-loading.tsx'
import { loadPermissions, type Readiness } from './permissions.ts'
import { useSessionEvents } from './server-news.ts'
import { SessionWatch } from './session-watch.tsx'

const RegisterPage = lazyAntd(() => import('#modules/account/register.page.tsx'), 'default')
const ResetPage = lazyAntd(() => import('#modules/account/reset.page.tsx'), 'default')
const ForcedPage = lazyAntd(() => import('#modules/account/forced-password.page.tsx'), 'default')

/** Selects the root: public pages, the forced password change, or the console. */
export function Start({ ready }: { ready: Readiness }) {
  const { pathname } = useLocation()
  const session = useSession()
  // The login page is a separate document, so a link inside the console must load it.
  if (pathname === '/login') location.replace('/login')
  return (
    <Suspense fallback={<PageLoading />}>
      {isPublicPath(pathname) ? (
        pathname === '/reg/index' ? (
          <RegisterPage />
        ) : (
          <ResetPage />
        )
      ) : session?.mustChangePassword ? (
        <ForcedPage />
      ) : (
        <LoggedIn first={ready} />
      )}
    </Suspense>
  )
}

function LoggedIn({ first }: { first: Readiness }) {
  const [ready, setReady] = useState(first)
  const client = useQueryClient()
  const reload = useCallback(async () => {
    const next = await loadPermissions()
    // An open console stays open with its permissions and input when reloading the permissions fails; failed calls
    // show their own errors.
    setReady((before) => (before === 'ready' ? before : next))
    // The content depends on the permissions, so rendering waits for them.
    await refreshReads(client)
  }, [client])
  useSessionEvents(reload, ready === 'ready')
  useEffect(() => {
    document.documentElement.dataset.started = ''
  }, [])
  return (
    <>
      {ready === 'ready' ? <Console /> : <StartFailed onRetry={reload} />}
      <SessionWatch onRenewed={reload} />
      <NewVersion />
    </>
  )
}

const StartFailed = ({ onRetry }: { onRetry: () => void }) => (
  <ErrorPage title="菜单加载失败" hint="网络异常或服务器暂时不可用，请稍后重试。">
    <ActionButton primary onClick={onRetry}>
      重试
    </ActionButton>
  </ErrorPage>
)
