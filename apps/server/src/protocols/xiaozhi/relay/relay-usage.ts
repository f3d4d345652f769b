import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import type { StoredModel } from '#domain/agents/voice-servers/server-models.ts'
import { recordUsage, buildTokenEntries } from '#domain/agents/usage/usage.ts'
import type { XiaozhiCall } from '../call.ts'
import type { CountedTokens } from './relay-tally.ts'
import type { RelayTarget } from './relay-target.ts'

/**
 * Counts the tokens of a completion for the device, its agent and the model that responded. The response has been sent,
 * so a failure is only logged.
 */
export async function countRelayedTokens(
  { side }: XiaozhiCall,
  { deviceId, agentId, tenantId }: RelayTarget,
  model: StoredModel,
  { isEstimate, ...usage }: CountedTokens,
) {
  const { database, log } = side.services
  const owner = { deviceId, agentId, tenantId, source: USAGE_SOURCE.device }
  try {
    await recordUsage(database.db, buildTokenEntries(owner, model, usage, isEstimate))
  } catch (error) {
    log.error({ err: error, deviceId, ...usage }, 'tokens of a relayed completion not counted')
  }
}
