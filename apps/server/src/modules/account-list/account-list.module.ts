import { accounts } from '@oms/contract/account-list.ts'
import { implement } from '#kernel/implement.ts'
import { exportAccounts } from './account-export.ts'
import {
  disable,
  enable,
  endSessions,
  list,
  listTenants,
  resetCode,
  resetPasswd,
  search,
  unlock,
} from './account-list.service.ts'
import { detail } from './account-overview.ts'

export const accountListModule = implement(
  accounts,
  {
    list,
    tenants: listTenants,
    search,
    detail,
    enable,
    disable,
    resetPasswd,
    resetCode,
    unlock,
    endSessions,
    export: exportAccounts,
  },
  { outsideTransaction: ['resetPasswd', 'resetCode'] },
)
