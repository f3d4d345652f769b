import { useEffect, useRef } from 'react'
import { listenToTabs } from '#core/events/tab-channel.ts'
import { readCredentials } from '#core/auth/credentials.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { relogin, requestRelogin } from '#core/auth/relogin.ts'
import { getSession, clearSession, loadCredentials } from '#core/auth/session.tsx'
import { hasUnsavedTabs, leaveTo } from './leave.ts'

interface Props {
  /** The same user logged in again in another browser tab. */
  readonly onRenewed: () => void
}

/** Synchronises this browser tab with the others: logout, new login, another account. */
export function SessionWatch({ onRenewed }: Props) {
  const dialog = useRef<ReturnType<typeof showSwitchedDialog>>(undefined)
  useEffect(() => {
    const showOnce = (what: '账号' | '客户') => {
      dialog.current ??= showSwitchedDialog(what)
    }
    const compare = () => {
      const [ours, now] = [getSession(), readCredentials()]
      if (!ours || !now) return
      if (now.uid !== ours.uid) return showOnce('账号')
      if (now.ownerId !== ours.ownerId) return showOnce('客户')
      // The browser uses the account and the tenant of this page again.
      dialog.current?.destroy()
      dialog.current = undefined
      if (now.token === ours.token) return
      loadCredentials()
      relogin.set(undefined)
      onRenewed()
    }
    const stop = listenToTabs(({ type }) => {
      if (type !== 'logout') return compare()
      // A page with unsaved input is kept, so that the user can log in again in another tab and save.
      if (hasUnsavedTabs())
        return dialog.current ?? requestRelogin('ended', '你已在另一个标签页退出登录。', getSession()?.token ?? '')
      clearSession()
      leaveTo('/login')
    })
    // A suspended tab missed the message, so the cookies are compared.
    document.addEventListener('visibilitychange', compare)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', compare)
    }
  }, [onRenewed])
  return null
}

/** Shown when this page's session is no longer valid: the browser uses another account or tenant. */
function showSwitchedDialog(what: '账号' | '客户') {
  const isTenant = what === '客户'
  return dialogs.info({
    title: `${what}已切换`,
    icon: null,
    centered: true,
    keyboard: false,
    content: `此浏览器已${isTenant ? '切换到另一个客户' : '登录另一个账号'}，当前页面不再有效，请重新加载后继续。${
      hasUnsavedTabs()
        ? `此页有未保存的内容：在另一个标签页${isTenant ? '切换回原客户' : '登录原账号'}后，此页即可继续保存。`
        : ''
    }`,
    okText: '重新加载',
    onOk: () => {
      sessionStorage.removeItem('tabs')
      leaveTo('/')
    },
  })
}
