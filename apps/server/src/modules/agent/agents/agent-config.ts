/** A configured model with decrypted secrets. `type` in `config` is the code of its provider. */
export interface ConfiguredModel {
  readonly code: string
  readonly config: Readonly<Record<string, unknown>>
}

/** Models of an agent by role. The keys are the role names of voice servers. */
export interface AgentModels {
  readonly VAD?: ConfiguredModel | undefined
  readonly ASR?: ConfiguredModel | undefined
  readonly LLM?: ConfiguredModel | undefined
  readonly VLLM?: ConfiguredModel | undefined
  readonly SLM?: ConfiguredModel | undefined
  readonly TTS?: ConfiguredModel | undefined
  readonly Memory?: ConfiguredModel | undefined
  readonly Intent?: ConfiguredModel | undefined
  readonly RAG?: ConfiguredModel | undefined
}

export interface SpeechSettings {
  /** Code of the voice, or the id of a trained clone. */
  readonly voice: string | undefined
  /** Languages of the voice as entered. Undefined for clones. */
  readonly languages: string | undefined
  readonly isClone: boolean
  readonly referenceAudio: string
  readonly referenceText: string
  /** Language of the agent; empty for the first language of the voice. */
  readonly language: string
  /** −100 to 100; null keeps the model's value. */
  readonly volume: number | null
  readonly rate: number | null
  readonly pitch: number | null
}

export interface Speaker {
  readonly id: string | number
  readonly name: string
  readonly introduction: string
}

/** Data that a voice server receives about the agent of a device. */
export interface AgentFacts {
  /** Why the device cannot talk, such as a disabled language model; empty: none. */
  readonly problem: string
  /** Names of the models that are left out because they have no key. Empty when no model is left out. */
  readonly missingKeys: string
  readonly name: string
  readonly prompt: string
  /** Memory of the device or of the agent. */
  readonly memory: string
  /** 0 nothing, 1 text, 2 text and audio. */
  readonly chatHistoryConf: number
  readonly models: AgentModels
  /** Language models that other models name in `llm`, by code. */
  readonly llmByCode: ReadonlyMap<string, ConfiguredModel>
  readonly speech: SpeechSettings
  readonly plugins: readonly { readonly providerCode: string; readonly params: unknown }[]
  readonly contextProviders: readonly unknown[]
  readonly mcpEndpoint: string | undefined
  readonly voiceprint:
    | { readonly url: string; readonly speakers: readonly Speaker[]; readonly threshold: number }
    | undefined
  readonly maxOutputSize: number
}

type Block = Record<string, Record<string, unknown>>
const DEFAULT_NAME = '小智'
const CLONE_LANGUAGE = '普通话'
const CLONE_RESOURCE = 'seed-icl-1.0'
const NO_INTENT = 'nointent'
const ROLES = ['VAD', 'ASR', 'TTS', 'Memory', 'Intent', 'LLM', 'VLLM', 'SLM', 'RAG'] as const

/** Returns the prompt with the name of the agent. */
export const insertAgentName = (prompt: string, name: string) =>
  prompt.replaceAll('{{assistant_name}}', () => name.trim() || DEFAULT_NAME)

/**
 * Returns the data of the response to `agent-models`. Omits the VAD and ASR models that the voice server has loaded
 * already; `loaded` has their codes by role. Plugins are JSON texts, because the server parses each of them.
 */
export function buildAgentConfig(facts: AgentFacts, loaded: Readonly<Record<string, unknown>>) {
  const { models, plugins, contextProviders, mcpEndpoint, voiceprint } = facts
  const isPresent = (role: (typeof ROLES)[number]) =>
    models[role] !== undefined && !((role === 'VAD' || role === 'ASR') && loaded[role] === models[role].code)
  const present = ROLES.filter(isPresent)
  const hasPlugins = models.Intent !== undefined && models.Intent.config['type'] !== NO_INTENT
  return {
    device_max_output_size: String(facts.maxOutputSize),
    chat_history_conf: facts.chatHistoryConf,
    selected_module: Object.fromEntries(present.map((role) => [role, models[role]!.code])),
    ...Object.fromEntries(present.map((role) => [role, blockOf(role, facts)])),
    plugins: hasPlugins
      ? Object.fromEntries(plugins.map(({ providerCode, params }) => [providerCode, JSON.stringify(params ?? {})]))
      : {},
    prompt: insertAgentName(facts.prompt, facts.name),
    summaryMemory: facts.memory || null,
    ...(mcpEndpoint !== undefined && { mcp_endpoint: mcpEndpoint }),
    context_providers: contextProviders,
    ...(voiceprint !== undefined && {
      voiceprint: {
        url: voiceprint.url,
        speakers: voiceprint.speakers.map(
          ({ id, name, introduction }) => `${id},${plain(name)},${plain(introduction)}`,
        ),
        similarity_threshold: voiceprint.threshold,
      },
    }),
  }
}

/** Replaces commas by spaces, because commas separate the fields of a speaker. */
const plain = (text: string) => text.replaceAll(/[,，]/g, ' ')

function blockOf(role: (typeof ROLES)[number], facts: AgentFacts): Block {
  const model = facts.models[role]!
  if (role === 'TTS') return { [model.code]: { ...model.config, ...speechOf(model, facts.speech) } }
  const block: Block = { [model.code]: { ...model.config } }
  if (role === 'LLM') for (const { code, config } of extraLlms(facts)) block[code] ??= { ...config }
  return block
}

/** Returns the language models that models of other roles call, such as intent and memory. */
function extraLlms({ models, llmByCode }: AgentFacts): ConfiguredModel[] {
  const named = [models.Intent, models.Memory].map((model) => llmByCode.get(String(model?.config['llm'] ?? '')))
  return [models.SLM, ...named].filter((each) => each !== undefined)
}

function speechOf({ config }: ConfiguredModel, speech: SpeechSettings) {
  const { voice, isClone, languages, volume, rate, pitch } = speech
  const language = speech.language || (isClone ? CLONE_LANGUAGE : firstLanguage(languages ?? ''))
  const isTrained = config['type'] === 'huoshan_double_stream' && voice?.startsWith('S_') === true
  return {
    ...(voice !== undefined && { private_voice: voice }),
    ...(speech.referenceAudio && { ref_audio: speech.referenceAudio }),
    ...(speech.referenceText && { ref_text: speech.referenceText }),
    ...(voice !== undefined && language && { language }),
    ...(volume !== null && { ttsVolume: volume }),
    ...(rate !== null && { ttsRate: rate }),
    ...(pitch !== null && { ttsPitch: pitch }),
    ...(isTrained && { resource_id: CLONE_RESOURCE }),
  }
}

const firstLanguage = (languages: string) => languages.split(/[、；;,，]/)[0]!.trim()
