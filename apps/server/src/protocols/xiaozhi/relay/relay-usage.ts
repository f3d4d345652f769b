import { setTimeout as wait } from 'node:timers/promises'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { isTransient } from '#core/jobs/transient.ts'
import type { Services } from '#core/services.ts'
import type { StoredModel } from '#domain/agents/voice-servers/server-models.ts'
import { recordUsage, buildTokenEntries } from '#domain/agents/usage/usage.ts'
import type { XiaozhiCall } from '../call.ts'
import { trackCompletion } from './relay-shutdown.ts'
import type { CountedTokens } from './relay-tally.ts'
import type { RelayTarget } from './relay-target.ts'

/** Seconds before each new try. Together they outlast a restart of the database. */
export const RETRY_SECONDS = { delays: [1, 2, 5, 10, 30, 60, 60, 60, 60, 60] }
/** Maximum number of completions whose tokens wait for the database. The tokens of further completions are lost. */
const MAX_WAITING = 10_000
let waiting = 0

interface Uncounted {
  readonly services: Services
  readonly deviceId: number
  readonly entries: ReturnType<typeof buildTokenEntries>
  readonly at: Date
}

/**
 * Counts the tokens of a completion for the device, its agent and the model that responded. The response has been sent,
 * so a failure of the database only delays the count: the tokens are kept and recorded again, also at a shutdown.
 */
export async function countRelayedTokens(
  { side }: XiaozhiCall,
  { deviceId, agentId, tenantId }: RelayTarget,
  model: StoredModel,
  { isEstimate, ...usage }: CountedTokens,
) {
  const { services } = side
  const owner = { deviceId, agentId, tenantId, source: USAGE_SOURCE.device }
  const counted = {
    services,
    deviceId,
    entries: buildTokenEntries(owner, model, usage, isEstimate),
    at: services.now(),
  }
  const error = await tryToRecord(counted)
  if (error === undefined) return
  if (!isTransient(error) || waiting >= MAX_WAITING) return logLost(counted, error)
  services.log.warn({ err: error, deviceId }, 'tokens of a relayed completion are counted later')
  void trackCompletion(recordLater(counted))
}

/** Records the tokens. Returns the error of a failure. */
async function tryToRecord({ services, entries, at }: Uncounted): Promise<unknown> {
  try {
    await recordUsage(services.database.db, entries, at)
    return undefined
  } catch (error) {
    return error
  }
}

/** Tries again after growing delays. A shutdown ends the delay, and the next try is the last one. */
async function recordLater(counted: Uncounted) {
  const { shutdown } = counted.services
  const stopping = new AbortController()
  const forget = shutdown.onBegin(() => stopping.abort())
  if (shutdown.hasBegun) stopping.abort()
  waiting += 1
  try {
    let error: unknown
    for (const seconds of RETRY_SECONDS.delays) {
      await wait(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => {})
      const isLast = stopping.signal.aborted
      error = await tryToRecord(counted)
      if (error === undefined) return
      if (isLast || !isTransient(error)) break
    }
    logLost(counted, error)
  } finally {
    waiting -= 1
    forget()
  }
}

const logLost = ({ services, deviceId, entries }: Uncounted, error: unknown) =>
  services.log.error(
    { err: error, deviceId, tokens: entries.map(({ unit, n }) => ({ unit, n })) },
    'tokens of a relayed completion not counted',
  )
