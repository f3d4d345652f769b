import { staff } from '@oms/contract/staff.ts'
import { implement } from '#kernel/implement.ts'
import { exportStaff } from './staff-export.ts'
import { importStaff, template } from './staff-import.ts'
import {
  assignRole,
  create,
  disable,
  enable,
  list,
  remove,
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
    unlock,
    assignRole,
    sessions,
    export: exportStaff,
    template,
    import: importStaff,
  },
  { outsideTransaction: ['create', 'resetPasswd', 'resetCode', 'import'] },
)
