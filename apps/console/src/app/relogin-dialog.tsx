import { Button, Modal } from 'antd'
import { useState } from 'react'
import { relogin } from '#kernel/relogin.ts'
import { useStore } from '#kernel/store.ts'
import { hasUnsaved, logInAgain, logInBeside } from './leave.ts'

/** The specification's dialog: one may stay where one is, or log in again by its single button. */
export function ReloginDialog() {
  const asked = useStore(relogin)
  const [wanted, setWanted] = useState(false)
  if (asked && !wanted) setWanted(true)
  // A dialog is dear to draw even closed, and most sessions never see this one.
  if (!wanted) return null
  return (
    <Modal
      open={asked !== undefined}
      title="系统提示"
      width={416}
      centered
      mask={{ closable: false }}
      okText="重新登录"
      // Hidden by an attribute it would stay: the buttons' own rules are stronger.
      footer={(_, { OkBtn }) => <OkBtn />}
      onOk={logInAgain}
      onCancel={() => relogin.set(undefined)}
    >
      {asked?.message}
      {asked && hasUnsaved() && <Beside />}
    </Modal>
  )
}

/** Leaving would lose what is typed; a login beside it brings this page back to life as it is. */
const Beside = () => (
  <p style={{ margin: '8px 0 0' }}>
    有未保存的内容：
    <Button type="link" size="small" style={{ padding: 0 }} onClick={logInBeside}>
      在新标签页登录
    </Button>
    后回到此页，即可继续保存。
  </p>
)
