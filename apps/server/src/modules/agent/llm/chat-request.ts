import { RELAYED_LLMS } from '@oms/contract/agent/models/model-config.ts'

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
