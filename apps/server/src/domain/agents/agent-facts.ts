import type { Pool } from 'pg'
import type { AgentFacts, Speech } from './agent-config.ts'
import type { AgentOfDevice } from './agent-of-device.ts'
import type { DeviceAgent } from './device-agent.ts'
import { mcpCallAddress } from './mcp-address.ts'
import type { ParameterValues } from './parameters.ts'
import { type StoredModel, serverModelsOf } from './server-models.ts'
import { permitsFeature } from './features.ts'

interface VoiceRow {
  readonly code: string
  readonly languages: string | null
  readonly audio: string
  readonly text: string
  readonly isClone: boolean
}

/** The clone takes precedence over the voice. */
const VOICE = `select code, languages, reference_audio as audio, reference_text as text, false as "isClone" from agent_voices
    where id = $1 and deleted_at is null
  union all select voice_id, null, '', '', true from agent_voice_clones
    where id = $2 and deleted_at is null and state = 2 and voice_id <> '' order by "isClone" desc`

interface Parts {
  readonly pool: Pool
  readonly secretKey: Buffer
  readonly params: ParameterValues
  /** Returns the model as the voice server gets it: unchanged, or with the address of the relay. */
  readonly handedOut: (model: StoredModel) => StoredModel
}

/** Reads the models and the voice of a device's agent with two statements, for the response to the voice server. */
export async function agentFactsOf(
  { pool, secretKey, params, handedOut }: Parts,
  { agent, memory, speakers }: DeviceAgent & { readonly agent: AgentOfDevice },
): Promise<AgentFacts> {
  const { llmId, vllmId, slmId, ttsId, asrId, vadId, memId, intentId } = agent
  const ids = [llmId, vllmId, slmId, ttsId, asrId, vadId, memId, intentId].filter((id) => id !== null)
  const [stored, voice] = await Promise.all([serverModelsOf(pool, secretKey, ids), voiceOf(pool, agent, params)])
  const models = stored.map(handedOut)
  const byId = new Map<number | null, StoredModel>(models.map((model) => [model.id, model]))
  const hasMemory = byId.get(memId)?.config['type'] !== 'nomem'
  const url = params.text('server.voice_print')
  return {
    name: agent.agentName,
    prompt: agent.systemPrompt,
    memory: agent.memoryScope === 2 ? agent.memory : memory,
    chatHistoryConf: historyOf(agent.chatHistoryConf, hasMemory, params),
    models: {
      VAD: byId.get(vadId),
      ASR: byId.get(asrId),
      LLM: byId.get(llmId),
      VLLM: byId.get(vllmId),
      SLM: byId.get(slmId),
      TTS: byId.get(ttsId),
      Memory: byId.get(memId),
      Intent: byId.get(intentId),
    },
    llmByCode: new Map(models.filter(({ type }) => type === 'LLM').map((model) => [model.code, model])),
    speech: speechOf(agent, voice),
    plugins: agent.plugins,
    contextProviders: agent.contextProviders,
    mcpEndpoint: mcpCallAddress(params.text('server.mcp_endpoint'), String(agent.id)),
    voiceprint:
      url === '' || speakers.length === 0 || !permitsFeature(params, 'voiceprint')
        ? undefined
        : { url, speakers, threshold: params.number('server.voiceprint_similarity_threshold') },
    maxOutputSize: params.number('device_max_output_size'),
  }
}

/**
 * Returns the history setting for the voice server. An agent without memory stores nothing (0). With `history.mode` 1
 * the server still reports texts (1), so that OMS can count the turns.
 */
function historyOf(conf: number, hasMemory: boolean, params: ParameterValues): number {
  if (params.text('history.mode') === '1') return 1
  return hasMemory ? conf : 0
}

/** Returns the clone or the voice of an agent. Where the feature is off, a clone is replaced by the voice. */
async function voiceOf(pool: Pool, { voiceId, cloneId }: AgentOfDevice, params: ParameterValues) {
  const values = [voiceId, permitsFeature(params, 'clone') ? cloneId : null]
  return (await pool.query<VoiceRow>({ name: 'agent-voice', text: VOICE, values })).rows[0]
}

function speechOf(agent: AgentOfDevice, found: VoiceRow | undefined): Speech {
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
