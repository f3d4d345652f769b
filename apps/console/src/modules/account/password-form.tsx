import { account } from '@oms/contract/account/account.ts'
import { Button, Form, Space } from 'antd'
import type { ReactNode } from 'react'
import { computeMd5 } from '#core/auth/md5.ts'
import { expectLogout } from '#core/auth/relogin.ts'
import { clearSession } from '#core/auth/session.tsx'
import { publishToTabs } from '#core/events/tab-channel.ts'
import { navigateAway } from '#core/routing/leave-page.ts'
import { PasswordField, RepeatField } from './fields.tsx'
import { useSubmit } from './use-submit.ts'

interface Values {
  oldPassword: string
  newPassword: string
}
const FIELD_OF = { oldPswdMd5: 'oldPassword', newPswdMd5: 'newPassword' }
/** Milliseconds between the toast and the login page, as specified. */
const LEAVE_MS = 500

/** Changes the user's password; all sessions end, including the current one. */
export function PasswordForm({ extra }: { extra?: ReactNode }) {
  const [form] = Form.useForm<Values>()
  const { submit, busy } = useSubmit(account.modifyPassword, form, FIELD_OF)
  const leave = () => {
    setTimeout(() => {
      clearSession()
      publishToTabs({ type: 'logout' })
      navigateAway('/login', account.modifyPassword.done)
    }, LEAVE_MS)
  }
  const onFinish = ({ oldPassword, newPassword }: Values) => {
    if (oldPassword.trim() === newPassword.trim())
      return form.setFields([{ name: 'newPassword', errors: ['新密码不能与旧密码相同'] }])
    // Suppresses the login dialog: the server may report the ended session before the response arrives.
    expectLogout(true)
    const input = { oldPswdMd5: computeMd5(oldPassword.trim()), newPswdMd5: computeMd5(newPassword.trim()) }
    submit(input, leave, () => expectLogout(false))
  }
  return (
    <Form name="password" form={form} layout="vertical" onFinish={onFinish} style={{ maxWidth: 400 }}>
      <PasswordField name="oldPassword" label="旧密码" missing="请输入旧密码" kind="current" />
      <PasswordField name="newPassword" label="新密码" missing="请输入新密码" kind="new" />
      <RepeatField of="newPassword" />
      <Space>
        <Button type="primary" htmlType="submit" loading={busy}>
          确认修改
        </Button>
        {extra}
      </Space>
    </Form>
  )
}
