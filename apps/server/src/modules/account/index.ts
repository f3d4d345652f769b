import { accounts } from '@oms/contract/account/account-list.ts'
import { account } from '@oms/contract/account/account.ts'
import { role } from '@oms/contract/account/role.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { tokens } from '@oms/contract/account/tokens.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  exportAccounts,
  disableAccount,
  enableAccount,
  endSessions,
  listAccounts,
  removeAccountMfa,
  createAccountResetCode,
  resetAccountPassword,
  searchColleagues,
  unlockAccounts,
  getAccountOverview,
} from './account.ts'
import { logIn, logOut, registerAccount } from './login.ts'
import {
  createCaptcha,
  changePassword,
  resetForgottenPassword,
  mailResetCode,
  bindMfa,
  unbindMfa,
  verifyMfa,
} from './password.ts'
import {
  getProfile,
  endSession,
  listPreferences,
  updateProfile,
  listOwnSessions,
  getPermissions,
  setPreference,
} from './profile.ts'
import {
  listRoleMembers,
  listAccountsOutsideRole,
  addRoleMembers,
  removeRoleMembers,
  getRolePermissions,
  setRolePermissions,
} from './role-member.ts'
import { exportRoles, getRole, listRoles, createRole, disableRole, enableRole, removeRole, updateRole } from './role.ts'
import { createToken, listTokenPermissions, listTokens, revokeToken, rotateToken } from './tokens.ts'
import { exportStaff, importStaff, createStaffTemplate } from './staff-import.ts'
import {
  assignStaffRoles,
  createStaff,
  disableStaff,
  enableStaff,
  listStaff,
  removeStaff,
  removeStaffMfa,
  createStaffResetCode,
  resetStaffPassword,
  listRoleOptions,
  listStaffSessions,
  setStaffStatus,
  unlockStaff,
  updateStaff,
} from './staff.ts'
import { viewModule } from './views.ts'

const accountModule = implement(
  account,
  {
    login: logIn,
    captcha: createCaptcha,
    register: registerAccount,
    resetCode: mailResetCode,
    reset: resetForgottenPassword,
    modifyPassword: changePassword,
    detail: getProfile,
    modify: updateProfile,
    logout: logOut,
    perms: getPermissions,
    sessions: listOwnSessions,
    endSession,
    mfaBind: bindMfa,
    mfaVerify: verifyMfa,
    mfaUnbind: unbindMfa,
    preferences: listPreferences,
    setPreference,
  },
  // Outside a transaction: password hashing takes long, and failures must stay counted when the request is refused.
  {
    outsideTransaction: [
      'login',
      'captcha',
      'register',
      'resetCode',
      'reset',
      'modifyPassword',
      'mfaBind',
      'mfaUnbind',
    ],
  },
)

const accountListModule = implement(
  accounts,
  {
    list: listAccounts,
    search: searchColleagues,
    detail: getAccountOverview,
    enable: enableAccount,
    disable: disableAccount,
    resetPasswd: resetAccountPassword,
    resetCode: createAccountResetCode,
    removeMfa: removeAccountMfa,
    unlock: unlockAccounts,
    endSessions,
    export: exportAccounts,
  },
  { outsideTransaction: ['resetPasswd', 'resetCode'] },
)

const roleModule = implement(role, {
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

const staffModule = implement(
  staff,
  {
    list: listStaff,
    roleOptions: listRoleOptions,
    create: createStaff,
    update: updateStaff,
    remove: removeStaff,
    disable: disableStaff,
    enable: enableStaff,
    setStatus: setStaffStatus,
    resetPasswd: resetStaffPassword,
    resetCode: createStaffResetCode,
    removeMfa: removeStaffMfa,
    unlock: unlockStaff,
    assignRole: assignStaffRoles,
    sessions: listStaffSessions,
    export: exportStaff,
    template: createStaffTemplate,
    import: importStaff,
  },
  { outsideTransaction: ['create', 'resetPasswd', 'resetCode', 'import'] },
)

const tokenModule = implement(
  tokens,
  {
    list: listTokens,
    permissions: listTokenPermissions,
    create: createToken,
    rotate: rotateToken,
    revoke: revokeToken,
  },
  { outsideTransaction: ['create'] },
)

/** All calls of this module. */
export const accountModules: readonly Module[] = [
  accountModule,
  accountListModule,
  roleModule,
  staffModule,
  viewModule,
  tokenModule,
]

// What later modules use.
export { listAccountsWithPermission, listPlatformStaff, listAccountsForRecord } from './permission-holders.ts'
export { clearSessionsAfterCommit, isOpenAccountSession } from './account-actions.ts'
export {
  listAssignableRoles,
  assertMayAssign,
  addChangeRefusals,
  assertMayChangeAccounts,
  assertMayChangeOtherAccount,
  findChangeRefusals,
} from './account-guard.ts'
export { assertAccountQuota, insertAccount, requireTenant } from './new-account.ts'
export { isLoggedRecordInScope } from './logged-records.ts'
export { createView, shareView } from './views.ts'
export { buildLockedFilter, buildRolelessFilter } from './account-roles.ts'
