import { logs } from '@oms/contract/system/log.ts'
import { implement } from '#core/http/implement.ts'
import { exportLogins, listLogins, unlockAccount } from './login-log.ts'
import { endSession, endSessions, listOnlineSessions } from './online.ts'
import { exportOperationLog, listRecordHistory, getOperation, listOperations } from './oper-log.ts'

export const logModule = implement(logs, {
  operations: listOperations,
  operation: getOperation,
  exportOperationLog,
  history: listRecordHistory,
  logins: listLogins,
  exportLogins,
  unlock: unlockAccount,
  online: listOnlineSessions,
  forceOut: endSession,
  forceOutMany: endSessions,
})
