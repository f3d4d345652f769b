import { account } from '@oms/contract/account.ts'
import { Button, Card, Empty, Skeleton } from 'antd'
import { useRead } from '#kernel/query.ts'
import { useSession } from '#kernel/session.tsx'
import { AvatarField } from './avatar-field.tsx'
import { ProfileForm } from './profile-form.tsx'
import './account.css'

export default function ProfilePage() {
  const id = useSession()?.uid ?? 0
  const { data, isError, refetch } = useRead(account.detail, { id })
  if (isError) {
    return (
      <Empty description="资料加载失败">
        <Button onClick={() => void refetch()}>重试</Button>
      </Empty>
    )
  }
  if (!data) return <Skeleton active avatar paragraph={{ rows: 8 }} />
  const facts = [
    ['账号', data.account],
    ['所属客户', data.tenantName || '-'],
    ['角色', data.roles.join('、') || '-'],
    ['上次登录', data.lastLoginTime ?? '-'],
    ['登录地址', data.lastLoginIp ?? '-'],
    ['创建时间', data.createTime],
  ]
  return (
    <Card title="编辑资料">
      <div className="profile">
        <div className="profile-side">
          <AvatarField profile={data} />
          <dl className="profile-facts">
            {facts.map(([title, value]) => [<dt key={title}>{title}</dt>, <dd key={`${title}:`}>{value}</dd>])}
          </dl>
        </div>
        <ProfileForm profile={data} />
      </div>
    </Card>
  )
}
