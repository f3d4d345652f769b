import type { AddressPolicy } from '#core/outbound/address-policy.ts'
import { OUTBOUND_LIMITS, type OutboundLimits, sendOutbound } from '#core/outbound/outbound.ts'
import { type ChatEvent, readChatEvents } from './chat-events.ts'
import { buildChatBody, type ChatMessage, type LlmEndpoint } from './chat-request.ts'
import { toLlmError, LlmError, parseVendorError } from './llm-error.ts'
import { readErrorBody, readVendorJson, type VendorJson } from './vendor-body.ts'

export interface ChatCall {
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
