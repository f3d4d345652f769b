import { RELAYED_LLMS } from '@oms/contract/agent/models/model-config.ts'
import { createParser } from 'eventsource-parser'
import type { AddressPolicy } from '#core/outbound/address-policy.ts'
import { OUTBOUND_LIMITS, type OutboundLimits, sendOutbound, type OutboundResponse } from '#core/outbound/outbound.ts'
import { toLlmError, LlmError, parseVendorError } from './llm-error.ts'

interface ChatCall {
  readonly endpoint: LlmEndpoint
  readonly messages: readonly ChatMessage[]
  readonly policy: AddressPolicy
  readonly limits?: Partial<OutboundLimits>
  readonly signal?: AbortSignal
  /** Fields that override the request body, such as `max_tokens` of a model test. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * Streams one completion of an OpenAI-compatible endpoint. Also reads a server that ignores `stream` and returns one
 * JSON document. When the caller leaves the loop, the connection closes, and the vendor cancels the completion. Throws
 * `LlmError`.
 */
export async function* streamChat(call: ChatCall): AsyncGenerator<ChatEvent> {
  const { apiKey } = call.endpoint
  try {
    const response = await send(call)
    try {
      if (response.status !== 200) throw parseVendorError(response.status, await readErrorBody(response), apiKey)
      const documents = readVendorJson(response, apiKey, call.limits?.maxBytes ?? OUTBOUND_LIMITS.maxBytes)
      yield* assertNotEmpty(readEvents(documents))
    } finally {
      response.close()
    }
  } catch (error) {
    throw toLlmError(error)
  }
}

function send({ endpoint, messages, policy, limits, signal, extra }: ChatCall) {
  const { url, apiKey } = endpoint
  return sendOutbound({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ ...buildChatBody(endpoint, messages), ...extra }),
    policy,
    ...(limits && { limits }),
    ...(signal && { signal }),
  })
}

/** Throws when a vendor ends a successful response without any text, reasoning or tool call. */
async function* assertNotEmpty(events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
  let isEmpty = true
  for await (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'tool') isEmpty = false
    yield event
  }
  if (isEmpty) throw new LlmError('answer', '没有返回任何内容')
}

async function* readEvents(documents: AsyncIterable<VendorJson>): AsyncGenerator<ChatEvent> {
  for await (const document of documents) yield* readChatEvents(document)
}

/** One message of a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Address, key and sampling parameters of a model, from its decrypted configuration. */
export interface LlmEndpoint {
  readonly url: string
  readonly apiKey: string
  readonly model: string
  readonly params: Readonly<Record<string, number>>
}

const SAMPLING = ['temperature', 'max_tokens', 'top_p', 'top_k', 'frequency_penalty'] as const

/** Providers that speak the OpenAI protocol. Other providers are configured for voice servers only. */
export const isOpenAiCompatible = (config: Readonly<Record<string, unknown>>) => RELAYED_LLMS.has(String(config.type))

/** Returns the endpoint of a model configuration. Ollama and Xinference serve the protocol below `/v1`. */
export function readLlmEndpoint(config: Readonly<Record<string, unknown>>): LlmEndpoint {
  const text = (name: string) => (typeof config[name] === 'string' ? config[name].trim() : '')
  const base = text('base_url').replace(/\/{1,8}$/, '')
  const root = config.type !== 'openai' && base !== '' && !base.endsWith('/v1') ? `${base}/v1` : base
  const numbers = SAMPLING.flatMap((name) => {
    const value = config[name]
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? [[name, number] as const] : []
  })
  return {
    url: `${root}/chat/completions`,
    apiKey: text('api_key') || text('personal_access_token'),
    model: text('model_name') || text('model'),
    params: Object.fromEntries(numbers),
  }
}

/** Vendors whose models think by default: the host name, and the field of the request that turns thinking off. */
const THINKING_OFF: readonly (readonly [host: string, field: Readonly<Record<string, unknown>>])[] = [
  ['aliyuncs.com', { enable_thinking: false }],
  ...['deepseek.com', 'bigmodel.cn', 'moonshot.cn', 'volces.com'].map(
    (host) => [host, { thinking: { type: 'disabled' } }] as const,
  ),
]

/**
 * Returns the field that turns thinking off at the vendor of a URL; empty for other vendors. The voice server chooses
 * the same field by host name.
 */
export function disableThinkingFields(url: string): Readonly<Record<string, unknown>> {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return THINKING_OFF.find(([name]) => host === name || host.endsWith(`.${name}`))?.[1] ?? {}
}

/** Returns the body of a streamed completion. */
export function buildChatBody(endpoint: LlmEndpoint, messages: readonly ChatMessage[]) {
  return {
    model: endpoint.model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...endpoint.params,
    ...disableThinkingFields(endpoint.url),
  }
}

/** Token counts as reported by the vendor. */
export interface LlmUsage {
  readonly input: number
  readonly output: number
  readonly cached: number
}

/** One part of a streamed completion. */
export type ChatEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly args: string }
  | { readonly type: 'usage'; readonly usage: LlmUsage }
  | { readonly type: 'finish'; readonly reason: string }

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
/**
 * Maximum number of tokens that one completion counts. No model reads or writes as many. A vendor of a tenant may report
 * any number, and sums of unlimited numbers would exceed the columns of `agent_usage`.
 */
const MAX_TOKENS = 10_000_000

const countOf = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.min(value, MAX_TOKENS) : 0

/** Parses a JSON text of a vendor. Throws an `LlmError` when the text reports a failure, whatever the HTTP status. */
function parseVendorJson(text: string, status: number, apiKey: string): Json {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new LlmError('answer')
  }
  if (!isObject(parsed)) throw new LlmError('answer')
  const hasError = parsed.error !== undefined && parsed.error !== null
  const isOther = parsed.choices === undefined && parsed.usage === undefined
  if (hasError || (isOther && (parsed.code !== undefined || parsed.message !== undefined)))
    throw parseVendorError(status, parsed, apiKey)
  return parsed
}

/** Yields the events of one chunk or of one complete response; both have `choices` and `usage`. */
export function* readChatEvents(json: Json): Generator<ChatEvent> {
  const [choice] = Array.isArray(json.choices) ? (json.choices as unknown[]) : []
  if (isObject(choice)) {
    const part = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {}
    const reasoning = part.reasoning_content ?? part.reasoning
    if (typeof reasoning === 'string' && reasoning !== '') yield { type: 'reasoning', text: reasoning }
    if (typeof part.content === 'string' && part.content !== '') yield { type: 'text', text: part.content }
    for (const call of Array.isArray(part.tool_calls) ? (part.tool_calls as unknown[]) : []) {
      const called = isObject(call) && isObject(call.function) ? call.function : {}
      yield { type: 'tool', name: String(called.name ?? ''), args: String(called.arguments ?? '') }
    }
    if (typeof choice.finish_reason === 'string') yield { type: 'finish', reason: choice.finish_reason }
  }
  if (isObject(json.usage)) yield { type: 'usage', usage: usageOf(json.usage) }
}

function usageOf(usage: Json): LlmUsage {
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  return {
    input: countOf(usage.prompt_tokens),
    output: countOf(usage.completion_tokens),
    cached: countOf(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
  }
}

/** One JSON document of a response: a chunk of a stream, or a whole completion. */
export type VendorJson = Readonly<Record<string, unknown>>

/** Reads an error response. Reports only the status of an HTML page, because pages of proxies do not name the cause. */
export async function readErrorBody(response: OutboundResponse): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text.trimStart().startsWith('<') ? '' : text
  }
}

/**
 * Yields the JSON documents of a body: the data of each server-sent event, or one document when the first character is
 * a brace. Throws an `LlmError` for a failure that the vendor reports in a document.
 */
export async function* readVendorJson(
  response: OutboundResponse,
  apiKey: string,
  maxBytes: number,
): AsyncGenerator<VendorJson> {
  const decoder = new TextDecoder()
  const stream = eventReader(maxBytes)
  let document: string[] | undefined
  let hasStarted = false
  for await (const chunk of response.body) {
    const text = decoder.decode(chunk, { stream: true })
    if (!hasStarted && text.trim() !== '') {
      hasStarted = true
      if (text.trimStart().startsWith('{')) document = []
    }
    if (document) {
      document.push(text)
      continue
    }
    for (const data of stream.feed(text)) {
      if (data.trim() === '[DONE]') return response.skipRest()
      if (data.trim() !== '') yield parseVendorJson(data, response.status, apiKey)
    }
  }
  if (document) return yield parseVendorJson(document.join(''), response.status, apiKey)
  // A vendor may end the stream without the blank line after its last event.
  for (const data of stream.feed('\n\n'))
    if (data.trim() !== '' && data.trim() !== '[DONE]') yield parseVendorJson(data, response.status, apiKey)
}

/**
 * Returns a parser of server-sent events. `feed` returns the data of the events that a piece of text completes.
 * Converts line ends to LF first. At every CR, the parser library searches the rest of the text for LF, which takes
 * seconds for many CR.
 */
function eventReader(maxBufferSize: number) {
  let complete: string[] = []
  let endsInCr = false
  const parser = createParser({ onEvent: ({ data }) => void complete.push(data), maxBufferSize })
  return {
    feed(text: string): string[] {
      complete = []
      const rest = endsInCr && text.startsWith('\n') ? text.slice(1) : text
      if (text !== '') endsInCr = text.endsWith('\r')
      parser.feed(rest.replaceAll(/\r\n?/g, '\n'))
      return complete
    },
  }
}
