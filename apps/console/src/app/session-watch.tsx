import { useEffect, useRef } from 'react'
import { listen } from '#kernel/channel.ts'
import { readCredentials } from '#kernel/credentials.ts'
import { dialogs } from '#kernel/overlays.ts'
import { relogin } from '#kernel/relogin.ts'
import { currentSession, forgetSession, loadCredentials } from '#kernel/session.tsx'
import { leaveTo } from './leave.ts'

interface Props {
  /** The same person logged in anew in another browser tab. */
  readonly onRenewed: () => void
}

/** Keeps this browser tab in step with the others: log-out, new login, another account. */
export function SessionWatch({ onRenewed }: Props) {
  const told = useRef(false)
  useEffect(() => {
    const tell = (what: '账号' | '客户') => {
      if (!told.current) tellSwitched(what)
      told.current = true
    }
    const compare = () => {
      const [ours, now] = [currentSession(), readCredentials()]
      if (!ours || !now) return
      if (now.uid !== ours.uid) return tell('账号')
      if (now.ownerId !== ours.ownerId) return tell('客户')
      if (now.token === ours.token) return
      loadCredentials()
      relogin.set(undefined)
      onRenewed()
    }
    const stop = listen(({ type }) => {
      if (type === 'logout') {
        forgetSession()
        leaveTo('/login')
      } else compare()
    })
    // A tab that was asleep missed the message.
    document.addEventListener('visibilitychange', compare)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', compare)
    }
  }, [onRenewed])
  return null
}

/** What this page shows belongs to nobody any more: the rest of the browser is somebody, or somewhere, else. */
function tellSwitched(what: '账号' | '客户') {
  dialogs.info({
    title: `${what}已切换`,
    icon: null,
    centered: true,
    keyboard: false,
    content: `此浏览器已${what === '客户' ? '切换到另一个客户' : '登录另一个账号'}，当前页面不再有效，请重新加载后继续。`,
    okText: '重新加载',
    onOk: () => {
      sessionStorage.removeItem('tabs')
      leaveTo('/')
    },
  })
}
