import { role } from '@oms/contract/account/role.ts'
import { implement } from '#core/http/implement.ts'
import { exportRoles, getRole, listRoles } from './role-list.ts'
import { listRoleMembers, listAccountsOutsideRole, addRoleMembers, removeRoleMembers } from './role-member.ts'
import { getRolePermissions, setRolePermissions } from './role-permission.ts'
import { createRole, disableRole, enableRole, removeRole, updateRole } from './role-save.ts'

export const roleModule = implement(role, {
  list: listRoles,
  get: getRole,
  create: createRole,
  update: updateRole,
  remove: removeRole,
  enable: enableRole,
  disable: disableRole,
  allPerm: getRolePermissions,
  permission: setRolePermissions,
  addUserRole: addRoleMembers,
  removeUserRole: removeRoleMembers,
  accountInRole: listRoleMembers,
  accountNotInRole: listAccountsOutsideRole,
  export: exportRoles,
})
