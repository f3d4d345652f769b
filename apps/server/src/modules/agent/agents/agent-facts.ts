import { KNOWLEDGE_PLUGIN } from '@oms/contract/agent/agents/agent-input.ts'
import { keepOpenModels } from '../models/open-models.ts'
import { type ParameterValues, isFeaturePermitted } from '../parameter-values.ts'
import { buildMcpAddress } from '../voice-servers/mcp.ts'
import type { StoredModel } from '../voice-servers/server-config.ts'
import type { AgentReads } from '../voice-servers/voice-servers.ts'
import type { AgentVoice } from '../voices/voice.ts'
import type { AgentFacts, SpeechSettings } from './agent-config.ts'
import type { AgentOfDevice, DeviceAgent } from './device-agent.ts'

/** History setting with which voice servers report turns without recordings. */
const REPORTS_TURNS = 1

interface Parts {
  readonly reads: AgentReads
  readonly params: ParameterValues
  /** Returns the model in the form for the voice server: unchanged, or with the address of the relay. */
  readonly handedOut: (model: StoredModel) => StoredModel
}

/** Reads the models and the voice of a device's agent, for the response to the voice server. */
export async function readAgentModelsAndVoice(
  { reads, params, handedOut }: Parts,
  { agent, memory, speakers }: DeviceAgent & { readonly agent: AgentOfDevice },
): Promise<AgentFacts> {
  const { llmId, vllmId, slmId, ttsId, asrId, vadId, memId, intentId } = agent
  const ids = [llmId, vllmId, slmId, ttsId, asrId, vadId, memId, intentId].filter((id) => id !== null)
  const [stored, voice] = await Promise.all([reads.models.of(ids), voiceOf(reads, agent, params)])
  const { models: open, problem, missingKeys, ...main } = await keepOpenModels(reads.models, stored, agent)
  const models = open.map(handedOut)
  const byId = new Map<number | null, StoredModel>(models.map((model) => [model.id, model]))
  const hasMemory = stored.find(({ id }) => id === memId)?.config['type'] !== 'nomem'
  return {
    problem,
    missingKeys,
    name: agent.agentName,
    prompt: agent.systemPrompt,
    memory: agent.memoryScope === 2 ? agent.memory : memory,
    chatHistoryConf: historyOf(agent.chatHistoryConf, hasMemory, params),
    models: {
      VAD: byId.get(vadId),
      ASR: byId.get(asrId),
      LLM: byId.get(main.llmId),
      VLLM: byId.get(vllmId),
      SLM: byId.get(slmId),
      TTS: byId.get(ttsId),
      Memory: byId.get(memId),
      Intent: byId.get(intentId),
    },
    llmByCode: new Map(models.filter(({ type }) => type === 'LLM').map((model) => [model.code, model])),
    speech: speechOf(agent, voice),
    plugins: toServerPlugins(agent.plugins, params),
    contextProviders: agent.contextProviders,
    mcpEndpoint: mcpEndpointOf(params, agent.id),
    voiceprint: voiceprintOf(params, speakers),
    maxOutputSize: params.number('device_max_output_size'),
  }
}

/** Returns the address of the external tool endpoint for an agent. Undefined while the feature is switched off. */
const mcpEndpointOf = (params: ParameterValues, agentId: number) =>
  isFeaturePermitted(params, 'mcp') ? buildMcpAddress(params.text('server.mcp_endpoint'), 'call', agentId) : undefined

/** Returns the speakers for the voiceprint service. Undefined without a service, speakers or the feature. */
function voiceprintOf(params: ParameterValues, speakers: DeviceAgent['speakers']): AgentFacts['voiceprint'] {
  const url = params.text('server.voice_print')
  if (url === '' || speakers.length === 0 || !isFeaturePermitted(params, 'voiceprint')) return undefined
  return { url, speakers, threshold: params.number('server.voiceprint_similarity_threshold') }
}

/**
 * Returns the history setting for the voice server: 2 where recordings are stored, else 1. Never 0, because servers then
 * report no turns, and usage and packages are counted from the reports. OMS stores only the parts of a report that the
 * agent permits.
 */
const historyOf = (conf: number, hasMemory: boolean, params: ParameterValues): number =>
  hasMemory && params.text('history.mode') !== '1' ? Math.max(REPORTS_TURNS, conf) : REPORTS_TURNS

/** Returns the clone of an agent, else its voice. Ignores the clone while the feature is switched off. */
const voiceOf = ({ voices }: AgentReads, { voiceId, cloneId }: AgentOfDevice, params: ParameterValues) =>
  voices.of({ voiceId, cloneId: isFeaturePermitted(params, 'clone') ? cloneId : null })

function speechOf(agent: AgentOfDevice, found: AgentVoice | undefined): SpeechSettings {
  return {
    voice: found?.code,
    languages: found?.languages ?? undefined,
    isClone: found?.isClone ?? false,
    referenceAudio: found?.audio ?? '',
    referenceText: found?.text ?? '',
    language: agent.ttsLanguage,
    volume: agent.ttsVolume,
    rate: agent.ttsRate,
    pitch: agent.ttsPitch,
  }
}

/** Parameter of the plugin that the voice server reads as a list. Forms separate the ids by semicolons. */
const DATASETS = 'dataset_ids'

/**
 * Names of the HomeAssistant plugin. The first name is for voice servers after 0.9.6, the other names are the two
 * functions of older servers.
 */
const HOME_ASSISTANT = ['hass_state', 'hass_get_state', 'hass_set_state'] as const

interface Plugin {
  readonly providerCode: string
  readonly params: unknown
}

/** Returns the plugins that a voice server receives, with parameters in the format that the server reads. */
export const toServerPlugins = (plugins: readonly Plugin[], params: ParameterValues): readonly Plugin[] =>
  plugins.flatMap((plugin) => {
    if (plugin.providerCode === HOME_ASSISTANT[0]) {
      const own = { api_key: '', ...(plugin.params as object | null) }
      return HOME_ASSISTANT.map((providerCode) => ({ providerCode, params: own }))
    }
    if (plugin.providerCode !== KNOWLEDGE_PLUGIN) return [plugin]
    return isFeaturePermitted(params, 'knowledge') ? [{ ...plugin, params: withDatasetList(plugin.params) }] : []
  })

function withDatasetList(given: unknown): unknown {
  const params = { ...(given as Readonly<Record<string, unknown>> | null) }
  const ids = String(params[DATASETS] ?? '')
    .split(/[;；]/)
    .map((id) => id.trim())
    .filter(Boolean)
  return { ...params, [DATASETS]: ids }
}
