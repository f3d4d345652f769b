import { RoleForm } from './role-form.tsx'
import { RoleMembers } from './role-members.tsx'
import { RolePermission } from './role-permission.tsx'
import type { Role } from './use-role-actions.ts'

/** The dialog that is open above the list. At most one dialog is open. */
export type RoleDialogState =
  | { readonly what: 'add' }
  | { readonly what: 'edit' | 'permission' | 'members'; readonly role: Role }

export function RoleDialog({ shown, onClose }: { shown: RoleDialogState; onClose(): void }) {
  switch (shown.what) {
    case 'add':
      return <RoleForm onClose={onClose} />
    case 'edit':
      return <RoleForm role={shown.role} onClose={onClose} />
    case 'permission':
      return <RolePermission role={shown.role} onClose={onClose} />
    default:
      return <RoleMembers role={shown.role} onClose={onClose} />
  }
}
