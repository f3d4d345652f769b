import { Alert, Button } from 'antd'
import { forgetSession } from '#kernel/session.tsx'
import { PasswordForm } from './password-form.tsx'
import { StrangerPage } from './stranger-page.tsx'

/** The first login, or one after an administrator's reset: nothing else is open until the password is one's own. */
export default function ForcedPasswordPage() {
  const leave = () => {
    forgetSession()
    location.replace('/login')
  }
  return (
    <StrangerPage title="修改密码" subtitle="为了账号安全，请先设置新密码">
      <Alert
        type="warning"
        showIcon
        style={{ marginBottom: 20 }}
        title="当前使用的是初始密码或已被重置的密码，修改后才能继续使用系统。"
      />
      <PasswordForm extra={<Button onClick={leave}>退出</Button>} />
    </StrangerPage>
  )
}
