import type { AgentFacts, SpeechSettings } from './agent-config.ts'
import type { AgentOfDevice } from './agent-of-device.ts'
import type { AgentReads } from './agent-reads.ts'
import type { AgentVoice } from '../voices/agent-voices.ts'
import type { DeviceAgent } from './device-agent.ts'
import { buildMcpAddress } from '../voice-servers/mcp-address.ts'
import type { ParameterValues } from '../parameters/parameters.ts'
import { keepOpenModels } from '../models/open-models.ts'
import type { StoredModel } from '../voice-servers/server-models.ts'
import { isFeaturePermitted } from '../parameters/features.ts'
import { toServerPlugins } from './server-plugins.ts'

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
