import { staff } from '@oms/contract/account/staff.ts'
import { implement } from '#core/http/implement.ts'
import { exportStaff } from './staff-export.ts'
import { importStaff, createStaffTemplate } from './staff-import.ts'
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

export const staffModule = implement(
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
