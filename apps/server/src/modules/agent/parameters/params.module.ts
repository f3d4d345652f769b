import { agentParams } from '@oms/contract/agent/parameters/params.ts'
import { implement } from '#core/http/implement.ts'
import {
  endPreviousSecret,
  getParameters,
  renewSecret,
  resetParameter,
  revealParameter,
  updateParameters,
} from './params.ts'
import { sendAction, checkServerReachable, listServers } from './params-servers.ts'

export const agentParamsModule = implement(
  agentParams,
  {
    get: getParameters,
    update: updateParameters,
    reset: resetParameter,
    reveal: revealParameter,
    renewSecret,
    endPreviousSecret,
    servers: listServers,
    reach: checkServerReachable,
    act: sendAction,
  },
  { outsideTransaction: ['reveal', 'reach', 'act'] },
)
