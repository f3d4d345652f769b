import { account } from '@oms/contract/account/account.ts'
import { Card } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { AvatarField } from './avatar-field.tsx'
import { ProfileForm } from './profile-form.tsx'
import './account.css'

const TITLE = '编辑资料'

export default function ProfilePage() {
  const id = useSession()?.uid ?? 0
  const read = useRead(account.detail, { id }, { quiet: true })
  const { data } = read
  if (!data) {
    return (
      <Card title={TITLE}>
        <Waiting reads={[read]} />
      </Card>
    )
  }
  const facts = [
    ['账号', data.account],
    ['所属客户', data.tenantName || '-'],
    ['角色', data.roles.join('、') || '-'],
    ['最近登录', data.lastLoginTime ?? '-'],
    ['最近登录 IP 地址', data.lastLoginIp ?? '-'],
    ['创建时间', data.createTime],
  ]
  return (
    <Card title={TITLE}>
      <div className="profile">
        <div className="profile-side">
          <AvatarField profile={data} />
          <dl className="kit-facts">
            {facts.map(([title, value]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
        <ProfileForm profile={data} />
      </div>
    </Card>
  )
}
