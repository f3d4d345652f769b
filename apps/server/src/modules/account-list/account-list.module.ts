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
  searchColleagues,
  unlockAccounts,
} from './account-list.service.ts'
import { getAccountOverview } from './account-overview.ts'

export const accountListModule = implement(
  accounts,
  {
    list,
    tenants: listTenants,
    search: searchColleagues,
    detail: getAccountOverview,
    enable,
    disable,
    resetPasswd,
    resetCode,
    removeMfa,
    unlock: unlockAccounts,
    endSessions,
    export: exportAccounts,
  },
  { outsideTransaction: ['resetPasswd', 'resetCode'] },
)
