import { role } from '@oms/contract/role/role.ts'
import { implement } from '#core/http/implement.ts'
import { explain } from './role-explain.service.ts'
import { compare, exportRoles, get, list, pickTenants } from './role-list.service.ts'
import { accountInRole, accountNotInRole, addUserRole, removeUserRole } from './role-member.service.ts'
import { allPerm, permission, permTree } from './role-permission.service.ts'
import { copy, create, disable, enable, remove, update } from './role-save.service.ts'

export const roleModule = implement(role, {
  list,
  get,
  create,
  update,
  remove,
  enable,
  disable,
  allPerm,
  permission,
  permTree,
  addUserRole,
  removeUserRole,
  accountInRole,
  accountNotInRole,
  copy,
  compare,
  explain,
  tenants: pickTenants,
  export: exportRoles,
})
