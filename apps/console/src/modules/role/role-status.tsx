import { role } from '@oms/contract/role/role.ts'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import type { Role } from './use-role-actions.ts'

/** Enables or disables a role; built-in roles stay enabled. */
export const RoleStatus = ({ role: { id, roleName, status, userCount, isBuiltin, changeRefusal } }: { role: Role }) => (
  <EnableSwitch
    calls={role}
    id={id}
    on={status === 1}
    name={roleName}
    reason={isBuiltin === 1 ? '内置角色不能停用' : (changeRefusal ?? undefined)}
    warning={userCount > 0 ? `停用后，${userCount} 个用户立即失去该角色的权限。` : '停用后，该角色不再生效。'}
  />
)
