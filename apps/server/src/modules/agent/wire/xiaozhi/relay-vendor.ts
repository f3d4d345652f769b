import type { ServerResponse } from 'node:http'
import * as z from 'zod'
import { sendOutbound } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import {
  readErrorBody,
  readVendorJson,
  type VendorJson,
  type LlmEndpoint,
  disableThinkingFields,
} from '../../models/llm-chat.ts'
import { LlmError, toLlmError, parseVendorError, describeLlmFailure } from '../../models/llm-error.ts'
import type { StoredModel } from '../../voice-servers/server-config.ts'
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

const MAX_MESSAGES = 2000
const MAX_TOOLS = 200
/** A JSON object. `z.record` would copy it, which takes 0.1 s for an object of 1 MB. */
const json = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/**
 * Fields of a completion that the relay forwards. It drops all other fields, because some of them multiply the cost of
 * a call.
 */
const RelayBody = z.object({
  messages: z.array(json).min(1).max(MAX_MESSAGES),
  stream: z.boolean().default(false),
  tools: z.array(json).max(MAX_TOOLS).optional(),
  tool_choice: z.union([z.string().max(100), json]).optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: json.optional(),
  stop: z.union([z.string().max(200), z.array(z.string().max(200)).max(8)]).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
})
export type RelayBody = z.output<typeof RelayBody>

/** Returns the fields of a completion; undefined for text that is not such a request. */
export function parseRelayBody(text: string): RelayBody | undefined {
  try {
    return RelayBody.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Returns the request to the vendor. Sets the vendor's model name and the configured parameters, which take precedence
 * over those of the voice server. Requests the token usage and turns thinking off.
 */
export const buildVendorBody = ({ stream, ...given }: RelayBody, endpoint: LlmEndpoint) => ({
  ...given,
  ...endpoint.params,
  ...disableThinkingFields(endpoint.url),
  model: endpoint.model,
  stream,
  ...(stream && { stream_options: { include_usage: true } }),
})

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
/** Maximum time in which the client may read nothing. */
const STALL_MS = 30_000

type Choice = Readonly<Record<string, unknown>>

/**
 * Returns the chunk for the voice server: with the model code as name, and without the usage, which the voice server
 * did not request. Undefined for a chunk that contains only usage. A whole completion becomes one chunk.
 */
export function toForwardedChunk({ usage: _usage, ...json }: VendorJson, code: string): VendorJson | undefined {
  const choices = Array.isArray(json['choices']) ? (json['choices'] as Choice[]) : []
  if (choices.length === 0) return undefined
  const deltas = choices.map(({ message, ...choice }) =>
    message !== undefined && choice['delta'] === undefined ? { ...choice, delta: message } : choice,
  )
  return { ...json, object: 'chat.completion.chunk', model: code, choices: deltas }
}

/** Writes server-sent events no faster than the client reads them. */
export class EventResponse {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
    response.writeHead(200, HEADERS)
  }

  /** Resolves when the client can receive more, or has disconnected. */
  async send(data: string) {
    if (this.#response.destroyed || this.#response.write(`data: ${data}\n\n`)) return
    await drained(this.#response)
  }

  end() {
    this.#response.end()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(() => response.destroy(), STALL_MS)
    const finish = () => {
      clearTimeout(timer)
      response.off('drain', finish).off('close', finish)
      done()
    }
    response.once('drain', finish).once('close', finish)
  })
}

/** Thrown to end a call of the relay with this status and an error body that OpenAI clients understand. */
export class RelayRefusedError extends Error {
  override readonly name = 'RelayRefusedError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, words: string) {
    super(words)
    this.status = status
    this.code = code
  }
}

/** Returns the refusal when too many completions are running. */
export const createBusyRefusal = (status: 429 | 503) =>
  new RelayRefusedError(status, 'rate_limit_exceeded', 'too many completions')

/** Statuses other than 502. A vendor that refuses the request itself refuses its messages or parameters. */
const VENDOR_STATUS: Partial<Record<LlmError['kind'], number>> = { quota: 429, time: 504, request: 400 }

/** Returns the refusal after every vendor failed. Text of the vendor is not passed on. */
export const toVendorRefusal = (error: LlmError) =>
  new RelayRefusedError(VENDOR_STATUS[error.kind] ?? 502, `vendor_${error.kind}`, describeLlmFailure(error))

const RESTARTING = 'restarting'

/** Ends a completion because the process stops. A client that received nothing may repeat the call elsewhere. */
export function endForRestart(response: ServerResponse) {
  const words = 'OMS restarts'
  if (!response.headersSent) throw new RelayRefusedError(503, RESTARTING, words)
  if (!response.destroyed) response.end(`data: ${formatErrorBody(RESTARTING, words)}\n\n`)
}

/**
 * Sends a refusal. `x-should-retry` keeps OpenAI clients from repeating the call, because the relay has tried the
 * fallback already. Only while this process stops may another process succeed.
 */
export function sendRelayRefusal(response: ServerResponse, { status, code, message }: RelayRefusedError) {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const text = Buffer.from(formatErrorBody(code, message))
  const headers = {
    'content-type': 'application/json',
    'content-length': text.length,
    'x-should-retry': String(code === RESTARTING),
  }
  response.writeHead(status, headers).end(text)
}

/** Returns the JSON of an error, which OpenAI clients understand in a response and in an event. */
export const formatErrorBody = (code: string, message: string) =>
  JSON.stringify({ error: { message, type: 'relay_error', param: null, code } })
