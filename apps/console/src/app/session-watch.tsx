import { Modal } from 'antd'
import { useEffect, useState } from 'react'
import { listen } from '#kernel/channel.ts'
import { readCredentials } from '#kernel/credentials.ts'
import { relogin } from '#kernel/relogin.ts'
import { currentSession, forgetSession, loadCredentials } from '#kernel/session.tsx'
import { leaveTo } from './leave.ts'

interface Props {
  /** The same person logged in anew in another browser tab. */
  readonly onRenewed: () => void
}

/** Keeps this browser tab in step with the others: log-out, new login, another account. */
export function SessionWatch({ onRenewed }: Props) {
  const [stranger, setStranger] = useState<'账号' | '客户'>()
  useEffect(() => {
    const compare = () => {
      const [ours, now] = [currentSession(), readCredentials()]
      if (!ours || !now) return
      if (now.uid !== ours.uid) return setStranger('账号')
      if (now.ownerId !== ours.ownerId) return setStranger('客户')
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
  if (!stranger) return null
  return (
    <Modal
      open
      title={`${stranger}已切换`}
      centered
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      okText="重新加载"
      cancelButtonProps={{ hidden: true }}
      onOk={() => {
        sessionStorage.removeItem('tabs')
        leaveTo('/')
      }}
    >
      此浏览器已{stranger === '客户' ? '切换到另一个客户' : '登录另一个账号'}，当前页面不再有效，请重新加载后继续。
    </Modal>
  )
}
