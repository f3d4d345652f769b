import { PasswordForm } from './account-form.tsx'
import { AccountSettings } from './account-settings.tsx'

export default function PasswordPage() {
  return (
    <AccountSettings title="修改密码" intro="修改后所有会话都会退出，需要用新密码重新登录。">
      <PasswordForm />
    </AccountSettings>
  )
}
