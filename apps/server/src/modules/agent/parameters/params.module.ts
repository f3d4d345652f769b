import { agentParams } from '@oms/contract/agent/parameters/params.ts'
import { implement } from '#core/http/implement.ts'
import { endPreviousSecret, get, renewSecret, reset, reveal, update } from './params.service.ts'
import { act, reach, servers } from './params-servers.ts'

export const agentParamsModule = implement(
  agentParams,
  { get, update, reset, reveal, renewSecret, endPreviousSecret, servers, reach, act },
  { outsideTransaction: ['reveal', 'reach', 'act'] },
)
