import { expect, test } from 'vitest'
import { type AgentFacts, buildAgentConfig } from './agent-config.ts'
import { ParameterValues } from '../parameter-values.ts'
import { toServerPlugins } from './agent-facts.ts'

const model = (code: string, type: string, more: object = {}) => ({ code, config: { type, ...more } })
const facts = (more: Partial<AgentFacts> = {}): AgentFacts => ({
  problem: '',
  missingKeys: '',
  name: '小明',
  prompt: '你是{{assistant_name}}，{{assistant_name}}很聪明',
  memory: '',
  chatHistoryConf: 2,
  models: {
    VAD: model('VAD_SileroVAD', 'silero', { threshold: 0.5 }),
    ASR: model('ASR_FunASR', 'fun_local'),
    LLM: model('LLM_A', 'openai', { api_key: 'sk-raw' }),
    SLM: model('LLM_B', 'openai'),
    TTS: model('TTS_EdgeTTS', 'edge', { voice: 'default' }),
    Memory: model('Memory_mem_local_short', 'mem_local_short', { llm: 'LLM_C' }),
    Intent: model('Intent_function_call', 'function_call'),
  },
  llmByCode: new Map([['LLM_C', model('LLM_C', 'ollama')]]),
  speech: {
    voice: 'zh-CN-Xiaoxiao',
    languages: '普通话、粤语',
    isClone: false,
    referenceAudio: '',
    referenceText: '',
    language: '',
    volume: null,
    rate: -20,
    pitch: 0,
  },
  plugins: [
    { providerCode: 'get_weather', params: { api_key: 'k' } },
    { providerCode: 'play_music', params: null },
  ],
  contextProviders: [{ url: 'http://a/', headers: {} }],
  mcpEndpoint: undefined,
  voiceprint: undefined,
  maxOutputSize: 0,
  ...more,
})

test('the configuration has a model for every role, decrypted secrets, and the assistant name in the prompt', () => {
  expect(buildAgentConfig(facts(), {})).toEqual({
    device_max_output_size: '0',
    chat_history_conf: 2,
    selected_module: {
      VAD: 'VAD_SileroVAD',
      ASR: 'ASR_FunASR',
      TTS: 'TTS_EdgeTTS',
      Memory: 'Memory_mem_local_short',
      Intent: 'Intent_function_call',
      LLM: 'LLM_A',
      SLM: 'LLM_B',
    },
    VAD: { VAD_SileroVAD: { type: 'silero', threshold: 0.5 } },
    ASR: { ASR_FunASR: { type: 'fun_local' } },
    LLM: { LLM_A: { type: 'openai', api_key: 'sk-raw' }, LLM_B: { type: 'openai' }, LLM_C: { type: 'ollama' } },
    SLM: { LLM_B: { type: 'openai' } },
    TTS: {
      TTS_EdgeTTS: {
        type: 'edge',
        voice: 'default',
        private_voice: 'zh-CN-Xiaoxiao',
        language: '普通话',
        ttsRate: -20,
        ttsPitch: 0,
      },
    },
    Memory: { Memory_mem_local_short: { type: 'mem_local_short', llm: 'LLM_C' } },
    Intent: { Intent_function_call: { type: 'function_call' } },
    plugins: { get_weather: '{"api_key":"k"}', play_music: '{}' },
    prompt: '你是小明，小明很聪明',
    summaryMemory: null,
    context_providers: [{ url: 'http://a/', headers: {} }],
  })
})

test('the configuration omits the VAD and ASR models that the voice server has already loaded', () => {
  const answer = buildAgentConfig(facts(), { VAD: 'VAD_SileroVAD', ASR: 'other', TTS: 'TTS_EdgeTTS' })
  expect(answer).not.toHaveProperty('VAD')
  expect(answer.selected_module).not.toHaveProperty('VAD')
  expect(answer.selected_module).toMatchObject({ ASR: 'ASR_FunASR', TTS: 'TTS_EdgeTTS' })
})

test('an agent without an intent has no plugins; a blank name becomes 小智; a name may contain $ characters', () => {
  const { models } = facts()
  expect(
    buildAgentConfig(facts({ models: { ...models, Intent: model('Intent_nointent', 'nointent') } }), {}).plugins,
  ).toEqual({})
  expect(buildAgentConfig(facts({ name: ' ' }), {}).prompt).toBe('你是小智，小智很聪明')
  expect(buildAgentConfig(facts({ name: "$&$'" }), {}).prompt).toBe("你是$&$'，$&$'很聪明")
})

test('a trained voice clone sets its vendor resource, and speaks 普通话 unless the agent sets a language', () => {
  const { models, speech } = facts()
  const tts = model('TTS_H', 'huoshan_double_stream')
  const clone = { ...speech, voice: 'S_abc', isClone: true, languages: undefined }
  const answer = buildAgentConfig(facts({ models: { ...models, TTS: tts }, speech: clone }), {}) as Record<
    string,
    unknown
  >
  expect(answer['TTS']).toMatchObject({
    TTS_H: { private_voice: 'S_abc', language: '普通话', resource_id: 'seed-icl-1.0' },
  })
  const english = buildAgentConfig(facts({ speech: { ...speech, language: '英语' } }), {}) as Record<string, unknown>
  expect(english['TTS']).toMatchObject({ TTS_EdgeTTS: { language: '英语' } })
})

test('commas in names and introductions of speakers become spaces', () => {
  const voiceprint = {
    url: 'http://v/',
    threshold: 0.4,
    speakers: [{ id: 5, name: '张,三', introduction: '爸爸，工程师' }],
  }
  expect(buildAgentConfig(facts({ voiceprint, memory: '喜欢猫' }), {})).toMatchObject({
    summaryMemory: '喜欢猫',
    voiceprint: { url: 'http://v/', speakers: ['5,张 三,爸爸 工程师'], similarity_threshold: 0.4 },
  })
})

/** Freezes an object with everything in it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

test('building a configuration does not change the given models, because simultaneous calls share them', () => {
  const given = facts({ speech: { ...facts().speech, volume: 5 } })
  const shared = frozen({
    ...given,
    llmByCode: new Map([...given.llmByCode].map(([code, llm]) => [code, frozen(llm)])),
  })
  expect(buildAgentConfig(shared, {})).toEqual(buildAgentConfig(given, {}))
})

test('the HomeAssistant plugin is sent under the names of new and old voice servers, with an empty key when no key is set', () => {
  const params = { base_url: 'http://ha:8123', devices: '客厅,灯,switch.lamp' }
  const plugins = toServerPlugins(
    [
      { providerCode: 'hass_state', params },
      { providerCode: 'play_music', params: null },
    ],
    new ParameterValues(undefined, new Map()),
  )
  const handed = { ...params, api_key: '' }
  expect(plugins).toEqual([
    { providerCode: 'hass_state', params: handed },
    { providerCode: 'hass_get_state', params: handed },
    { providerCode: 'hass_set_state', params: handed },
    { providerCode: 'play_music', params: null },
  ])
})
