import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { isTransientError } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import type { StoredModel } from '../../../voice-servers/server-models.ts'
import { buildTokenEntries, recordCompletion } from '../../../usage/usage-view.ts'
import type { XiaozhiCall } from '../call.ts'
import { trackCompletion } from './relay-shutdown.ts'
import type { CountedTokens } from './relay-tally.ts'
import type { RelayTarget } from './relay-target.ts'

/** Seconds before each retry. The sum is longer than a restart of the database. */
export const RETRY_SECONDS = { delays: [1, 2, 5, 10, 30, 60, 60, 60, 60, 60] }
/** Maximum number of completions whose tokens wait for the database. The tokens of further completions are lost. */
const MAX_WAITING = 10_000
let waiting = 0

interface Uncounted {
  readonly services: Services
  readonly deviceId: number
  readonly completion: Parameters<typeof recordCompletion>[1]
  readonly entries: ReturnType<typeof buildTokenEntries>
}

/**
 * Counts the tokens of a completion for the device, its agent and the model that responded. The response has been sent,
 * so a failure of the database only delays the count: the tokens are kept and recorded again, also at a shutdown. After
 * a connection is lost during the commit, it is unknown whether the tokens were stored. The key of the completion
 * prevents a second count.
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
    completion: { id: randomUUID(), tenantId, at: services.now() },
    entries: buildTokenEntries(owner, model, usage, isEstimate),
  }
  const error = await tryToRecord(counted)
  if (error === undefined) return
  if (!isTransientError(error) || waiting >= MAX_WAITING) return logLost(counted, error)
  services.log.warn({ err: error, deviceId }, 'tokens of a relayed completion are counted later')
  void trackCompletion(recordLater(counted))
}

/** Records the tokens. Returns the error instead of throwing; undefined after a success. */
async function tryToRecord({ services, completion, entries }: Uncounted): Promise<unknown> {
  try {
    await recordCompletion(services.database.db, completion, entries)
    return undefined
  } catch (error) {
    return error
  }
}

/** Retries after growing delays. A shutdown ends the current delay, and the retry after it is the last one. */
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
      if (isLast || !isTransientError(error)) break
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
