import { agentUsage } from '@oms/contract/agent/usage/usage.ts'
import { implement } from '#core/http/implement.ts'
import { listUsageByDay, exportUsage, listUsage } from './usage.ts'

export const agentUsageModule = implement(
  agentUsage,
  { days: listUsageByDay, list: listUsage, export: exportUsage },
  { outsideTransaction: ['export'] },
)
