import type { Services } from '#core/services.ts'
import { sendOutbound } from '#core/outbound/outbound.ts'
import { LlmError, toLlmError, parseVendorError } from '../../../llm/llm-error.ts'
import { readErrorBody, readVendorJson, type VendorJson } from '../../../llm/vendor-body.ts'
import type { StoredModel } from '../../../voice-servers/server-models.ts'
import { type RelayBody, buildVendorBody } from './relay-body.ts'
import { resolveVendor } from './relay-target.ts'

/** Maximum time until the first chunk of a vendor. Then the fallback is called. */
const FIRST_MS = 8_000
/** Limits of one call to a vendor. Tests shorten the pause. */
export const VENDOR_TIME_LIMITS = {
  connectMs: FIRST_MS,
  firstByteMs: FIRST_MS,
  idleMs: 60_000,
  totalMs: 300_000,
  maxBytes: 8_000_000,
}

/** A completion whose first JSON document has arrived: a chunk of a stream, or a whole completion. */
export interface OpenCompletion {
  readonly model: StoredModel
  readonly documents: AsyncGenerator<VendorJson>
  /** Cancels the completion at the vendor. */
  close(): void
}

/** Calls the vendor of a model and waits for its first JSON document. Throws `LlmError`. */
export async function openCompletion(
  services: Services,
  model: StoredModel,
  body: RelayBody,
  reader: AbortSignal,
): Promise<OpenCompletion> {
  const { endpoint, policy, pool } = resolveVendor(services, model)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), FIRST_MS)
  let close = () => {}
  try {
    const response = await sendOutbound({
      url: endpoint.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: body.stream ? 'text/event-stream, application/json' : 'application/json',
        ...(endpoint.apiKey && { authorization: `Bearer ${endpoint.apiKey}` }),
      },
      body: JSON.stringify(buildVendorBody(body, endpoint)),
      policy,
      pool,
      limits: VENDOR_TIME_LIMITS,
      signal: AbortSignal.any([reader, late.signal]),
    })
    close = () => response.close()
    if (response.status !== 200) throw parseVendorError(response.status, await readErrorBody(response), endpoint.apiKey)
    const documents = readVendorJson(response, endpoint.apiKey, VENDOR_TIME_LIMITS.maxBytes)
    const first = await documents.next()
    if (first.done) throw new LlmError('answer')
    return { model, documents: joined(first.value, documents), close }
  } catch (error) {
    close()
    throw late.signal.aborted && !reader.aborted ? new LlmError('time') : toLlmError(error)
  } finally {
    clearTimeout(timer)
  }
}

async function* joined(first: VendorJson, rest: AsyncGenerator<VendorJson>): AsyncGenerator<VendorJson> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/**
 * Returns whether a fallback may succeed: the vendor was not reached, late, overloaded or broken, or its quota is used
 * up. A refused key or request is a configuration error, which a fallback would hide.
 */
export const canFallBack = ({ kind, status = 0 }: LlmError) =>
  kind !== 'cancelled' &&
  (status === 0 || status === 429 || status >= 500 || kind === 'quota' || kind === 'time' || kind === 'vendor')
