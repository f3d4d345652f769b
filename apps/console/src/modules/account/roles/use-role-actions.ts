import { type RoleRow, role } from '@oms/contract/account/role.ts'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import type { RoleDialogState } from './role-dialog.tsx'

export type Role = z.output<typeof RoleRow>

/** Calls of the row actions of a role. */
export const ROLE_ACTION_CALLS = [role.allPerm, role.accountInRole, role.get, role.update, role.remove]

/**
 * Returns the row actions of a role. The super role can be read and its members can be changed, but it cannot be
 * edited.
 */
export function useRoleActions(onShow: (shown: RoleDialogState) => void, onOpen: (role: Role) => void) {
  const remove = useWrite(role.remove)
  return (row: Role): readonly (RowAction | false)[] => {
    const own = row.isBuiltin !== 1
    const reason = row.changeRefusal ?? undefined
    return [
      { label: '权限', to: role.allPerm, onClick: () => onShow({ what: 'permission', role: row }) },
      { label: '用户', to: role.accountInRole, onClick: () => onShow({ what: 'members', role: row }) },
      { label: '详情', to: role.get, onClick: () => onOpen(row) },
      own && { label: '编辑', to: role.update, reason, onClick: () => onShow({ what: 'edit', role: row }) },
      own && {
        label: '删除',
        to: role.remove,
        danger: true,
        reason: reason ?? (row.userCount > 0 ? `有 ${row.userCount} 个用户，不能删除` : undefined),
        confirm: `删除角色「${row.roleName}」？删除后不能恢复。`,
        onClick: () => remove.mutateAsync({ id: row.id }),
      },
    ]
  }
}
