import { agentParams } from '@oms/contract/agent/parameters/params.ts'
import { implement } from '#core/http/implement.ts'
import { endPreviousSecret, get, renewSecret, resetParameter, revealParameter, update } from './params.service.ts'
import { sendAction, checkServerReachable, listServers } from './params-servers.ts'

export const agentParamsModule = implement(
  agentParams,
  {
    get,
    update,
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
