import * as z from 'zod'
import { type LlmEndpoint, disableThinkingFields } from '../../../llm/chat-request.ts'

const MAX_MESSAGES = 2000
const MAX_TOOLS = 200
const json = z.record(z.string(), z.unknown())

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
