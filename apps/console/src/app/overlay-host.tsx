import { message as antdMessage, Modal, notification as antdNotification } from 'antd'
import { useEffect } from 'react'
import { registerOverlays } from '#core/loading/overlays.ts'
import { bindToaster } from '#core/loading/toast.ts'
import { AntdRoot } from '#kit/antd/antd-root.tsx'
import { ReloginDialog } from './relogin-dialog.tsx'

/** Mounts dialogs, notifications, toasts and the login dialog. */
export const OverlayHost = () => (
  <AntdRoot>
    <Holders />
    <ReloginDialog />
  </AntdRoot>
)

/** Distance in pixels that keeps notifications above the buttons of a drawer and above the pager of a list. */
const ABOVE_FOOTERS = 64

/** A toast with more characters stays longer, because the user needs longer to read it. */
const SHORT_TEXT = 20
const SHORT_SECONDS = 3
const LONG_SECONDS = 8

function Holders() {
  const [message, messages] = antdMessage.useMessage({ maxCount: 5 })
  const [notification, notices] = antdNotification.useNotification({ bottom: ABOVE_FOOTERS })
  const [modal, questions] = Modal.useModal()
  useEffect(() => {
    bindToaster((level, text) => {
      const seconds = text.length > SHORT_TEXT ? LONG_SECONDS : SHORT_SECONDS
      void message[level](<span role={level === 'error' ? 'alert' : 'status'}>{text}</span>, seconds)
    })
    registerOverlays({ modal, notification })
  }, [message, modal, notification])
  return (
    <>
      {messages}
      {notices}
      {questions}
    </>
  )
}
