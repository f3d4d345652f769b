import { Alert, Button } from 'antd'
import { clearSession } from '#core/auth/session.tsx'
import { PasswordForm, PublicPageLayout } from './account-form.tsx'

/** Forces a new password after the first login or an administrator's reset; no other page is available. */
export default function ForcedPasswordPage() {
  const leave = () => {
    clearSession()
    location.replace('/login')
  }
  return (
    <PublicPageLayout title="修改密码" subtitle="为了账号安全，请先设置新密码">
      <Alert
        type="warning"
        showIcon
        style={{ marginBottom: 20 }}
        title="当前使用的是初始密码或已被重置的密码，修改后才能继续使用系统。"
      />
      <PasswordForm extra={<Button onClick={leave}>退出</Button>} />
    </PublicPageLayout>
  )
}
