import { agentUsage } from '@oms/contract/agent/usage/usage.ts'
import { implement } from '#core/http/implement.ts'
import { days, exportUsage, list } from './usage.service.ts'

export const agentUsageModule = implement(
  agentUsage,
  { days, list, export: exportUsage },
  { outsideTransaction: ['export'] },
)
