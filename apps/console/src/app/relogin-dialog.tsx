import { Modal } from 'antd'
import { relogin } from '#kernel/relogin.ts'
import { useStore } from '#kernel/store.ts'
import { logInAgain } from './leave.ts'

/** The specification's dialog: one may stay where one is, or log in again by its single button. */
export function ReloginDialog() {
  const asked = useStore(relogin)
  return (
    <Modal
      open={asked !== undefined}
      title="系统提示"
      width={416}
      centered
      mask={{ closable: false }}
      okText="重新登录"
      cancelButtonProps={{ hidden: true }}
      onOk={logInAgain}
      onCancel={() => relogin.set(undefined)}
    >
      {asked?.message}
    </Modal>
  )
}
