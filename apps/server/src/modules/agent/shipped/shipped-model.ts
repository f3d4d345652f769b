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
