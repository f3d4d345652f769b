import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'

export interface ShippedModel {
  readonly type: string
  readonly code: string
  readonly name: string
  readonly providerCode: string
  readonly config: Readonly<Record<string, unknown>>
  readonly docLink?: string
}

/** Models that new agents and templates use unless another model is chosen; one of each type. */
export const DEFAULT_MODELS: ReadonlySet<string> = new Set([
  'VAD_SileroVAD',
  'ASR_FunASR',
  'LLM_ChatGLMLLM',
  'VLLM_ChatGLMVLLM',
  'TTS_EdgeTTS',
  'Memory_nomem',
  'Intent_nointent',
  'RAG_RAGFlow',
])

export interface ShippedProvider {
  readonly type: string
  readonly code: string
  readonly name: string
  readonly fields: readonly ProviderField[]
}

/** Returns a field of a provider's form. */
export const createProviderField = (
  key: string,
  label: string,
  type: ProviderField['type'] = 'string',
  rest: Pick<ProviderField, 'default' | 'required' | 'secret' | 'min' | 'max'> = {},
): ProviderField => ({ key, label, type, ...rest })
