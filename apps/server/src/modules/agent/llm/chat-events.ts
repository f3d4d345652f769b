import { parseVendorError, LlmError } from './llm-error.ts'

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
export function parseVendorJson(text: string, status: number, apiKey: string): Json {
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
