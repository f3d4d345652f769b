import { Button, Modal } from 'antd'
import { useState } from 'react'
import { relogin } from '#core/auth/relogin.ts'
import { useStore } from '#core/events/store.ts'
import { hasUnsavedTabs, logInAgain, logInInNewTab } from './leave.ts'

/** The specification's dialog for an ended session: stay on the page, or log in again. */
export function ReloginDialog() {
  const asked = useStore(relogin)
  const [wanted, setWanted] = useState(false)
  if (asked && !wanted) setWanted(true)
  // Loads the dialog on demand, because most sessions never need it.
  if (!wanted) return null
  return (
    <Modal
      open={asked !== undefined}
      title="系统提示"
      width={416}
      centered
      okText="重新登录"
      // Hidden by style: the CSS of the buttons overrides the attribute `hidden`.
      footer={(_, { OkBtn }) => <OkBtn />}
      onOk={logInAgain}
      onCancel={() => relogin.set(undefined)}
    >
      {asked?.message}
      {asked && hasUnsavedTabs() && <LoginInNewTab />}
    </Modal>
  )
}

/** Explains that leaving discards input, while a login in a new tab keeps this page. */
const LoginInNewTab = () => (
  <p style={{ margin: '8px 0 0' }}>
    有未保存的内容：
    <Button type="link" size="small" style={{ padding: 0 }} onClick={logInInNewTab}>
      在新标签页登录
    </Button>
    后回到此页，即可继续保存。
  </p>
)
