import { accounts } from '@oms/contract/account/account-list.ts'
import { implement } from '#core/http/implement.ts'
import { exportAccounts } from './account-export.ts'
import {
  disableAccount,
  enableAccount,
  endSessions,
  listAccounts,
  removeAccountMfa,
  createAccountResetCode,
  resetAccountPassword,
  searchColleagues,
  unlockAccounts,
} from './account-list.ts'
import { getAccountOverview } from './account-overview.ts'

export const accountListModule = implement(
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
