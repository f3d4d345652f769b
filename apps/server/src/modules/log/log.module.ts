import { logs } from '@oms/contract/log/log.ts'
import { implement } from '#core/http/implement.ts'
import { exportLogins, logins, unlock } from './login-log.service.ts'
import { forceOut, forceOutMany, online } from './online.service.ts'
import { exportOperations, history, operation, operations } from './oper-log.service.ts'

export const logModule = implement(logs, {
  operations,
  operation,
  exportOperations,
  history,
  logins,
  exportLogins,
  unlock,
  online,
  forceOut,
  forceOutMany,
})
