import { accounts } from '@oms/contract/account-list/account-list.ts'
import { implement } from '#core/http/implement.ts'
import { exportAccounts } from './account-export.ts'
import {
  disable,
  enable,
  endSessions,
  list,
  listTenants,
  removeMfa,
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
    removeMfa,
    unlock,
    endSessions,
    export: exportAccounts,
  },
  { outsideTransaction: ['resetPasswd', 'resetCode'] },
)
