import { staff } from '@oms/contract/staff/staff.ts'
import { implement } from '#core/http/implement.ts'
import { exportStaff } from './staff-export.ts'
import { importStaff, template } from './staff-import.ts'
import {
  assignRole,
  create,
  disable,
  enable,
  list,
  remove,
  removeMfa,
  resetCode,
  resetPasswd,
  roleOptions,
  sessions,
  setStatus,
  unlock,
  update,
} from './staff.service.ts'

export const staffModule = implement(
  staff,
  {
    list,
    roleOptions,
    create,
    update,
    remove,
    disable,
    enable,
    setStatus,
    resetPasswd,
    resetCode,
    removeMfa,
    unlock,
    assignRole,
    sessions,
    export: exportStaff,
    template,
    import: importStaff,
  },
  { outsideTransaction: ['create', 'resetPasswd', 'resetCode', 'import'] },
)
