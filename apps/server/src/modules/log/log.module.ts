import { logs } from '@oms/contract/log/log.ts'
import { implement } from '#core/http/implement.ts'
import { exportLogins, listLogins, unlockAccount } from './login-log.service.ts'
import { endSession, endSessions, listOnlineSessions } from './online.service.ts'
import { exportOperationLog, listRecordHistory, getOperation, listOperations } from './oper-log.service.ts'

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
