import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { isTransientError } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { readChatEvents, type LlmUsage, type VendorJson } from '../../models/llm-chat.ts'
import { buildTokenEntries, recordCompletion, estimateTokens } from '../../usage/usage-record.ts'
import type { StoredModel } from '../../voice-servers/server-config.ts'
import type { XiaozhiCall } from './call.ts'
import type { RelayTarget } from './relay-target.ts'
import type { RelayBody } from './relay-vendor.ts'

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

/** Tokens of a completion. `isEstimate`: the vendor sent no usage, so the tokens are estimated from the texts. */
interface CountedTokens extends LlmUsage {
  readonly isEstimate: boolean
}

/** Counts the tokens of one completion. */
export class TokenTally {
  #usage: LlmUsage | undefined
  #wide = 0
  #output: string[] = []

  /**
   * Adds one document of the vendor. The last usage counts, because some vendors send a growing usage in each chunk.
   */
  add(document: VendorJson) {
    for (const event of readChatEvents(document)) {
      if (event.type === 'usage') this.#usage = event.usage
      else if (event.type === 'tool') this.#output.push(event.name, event.args)
      else if (event.type !== 'finish') this.#output.push(event.text)
    }
    if (this.#output.length > 100) this.#fold()
  }

  /**
   * Returns the token counts. `body` is the request, from which its tokens are estimated when the vendor reports none.
   */
  tokens({ messages, tools }: RelayBody): CountedTokens {
    if (this.#usage) return { ...this.#usage, isEstimate: false }
    this.#fold()
    const input = messages.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0)
    return {
      input: input + (tools ? estimateTokens(JSON.stringify(tools)) : 0),
      output: Math.ceil(this.#wide),
      cached: 0,
      isEstimate: true,
    }
  }

  /** Replaces the collected texts by their estimated tokens, so that a long completion does not fill the memory. */
  #fold() {
    this.#wide += estimateTokens(this.#output.join(''))
    this.#output = []
  }
}

function textOf({ content, tool_calls }: Readonly<Record<string, unknown>>): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
  return tool_calls === undefined ? text : text + JSON.stringify(tool_calls)
}

/** Milliseconds that a running completion gets after a shutdown begins. Most spoken answers are shorter. */
const FINISH_MS = 5_000
/**
 * Milliseconds that a completion gets when it arrives after the shutdown began. A proxy still sends such requests until
 * it notices the shutdown.
 */
const LATE_FINISH_MS = 2_500

/** Completions whose tokens are not counted yet. */
const unfinished = new Set<Promise<unknown>>()

/** Makes a stopping process wait until a completion has ended and its tokens are counted. */
export function trackCompletion<T>(completion: Promise<T>): Promise<T> {
  const settled = completion.then(
    () => {},
    () => {},
  )
  unfinished.add(settled)
  void settled.then(() => unfinished.delete(settled))
  return completion
}

/** Resolves when the tokens of all current completions are counted, also by a retry. */
export async function awaitCompletions() {
  while (unfinished.size > 0) await Promise.all(unfinished)
}

/** Calls `end` some seconds after a shutdown begins. Returns the function that cancels the call. */
export function scheduleShutdownEnd({ shutdown }: Pick<Services, 'shutdown'>, end: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const wait = (ms: number) => {
    timer = setTimeout(end, ms)
  }
  if (shutdown.hasBegun) wait(LATE_FINISH_MS)
  const forget = shutdown.onBegin(() => wait(FINISH_MS))
  return () => {
    forget()
    clearTimeout(timer)
  }
}
