import { Card } from 'antd'
import { PasswordForm } from './account-form.tsx'

export default function PasswordPage() {
  return (
    <Card title="修改密码">
      <PasswordForm />
    </Card>
  )
}
