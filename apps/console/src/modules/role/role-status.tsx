import { role } from '@oms/contract/role.ts'
import { Tag } from 'antd'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { StatusSwitch } from '#kit/status-switch.tsx'
import type { Role } from './use-role-actions.ts'

/** On or off, changed in its row by those who may. */
export function RoleStatus({ role: { id, roleName, status, userCount, isBuiltin } }: { role: Role }) {
  const can = useCan()
  const enable = useWrite(role.enable)
  const disable = useWrite(role.disable)
  if (isBuiltin === 1 || !can(role.enable.access)) return status === 1 ? <Tag color="green">启用</Tag> : <Tag>停用</Tag>
  return (
    <StatusSwitch
      on={status === 1}
      name={roleName}
      warning={userCount > 0 ? `停用后，${userCount} 个用户立即失去该角色的权限。` : '停用后，该角色不再生效。'}
      onChange={(on) => (on ? enable : disable).mutateAsync({ id })}
    />
  )
}
