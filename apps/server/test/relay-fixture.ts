import { afterAll, beforeAll, beforeEach } from 'vitest'
import { relayKey } from '#protocols/xiaozhi/relay-key.ts'
import { answering, DONE, openVendor } from './llm-vendor.ts'
import { voiceLab } from './voice-server-fixture.ts'

/** Key of the vendor of the relayed model. */
export const VENDOR_KEY = 'sk-key-of-the-vendor-0123456789'
export const QUESTION = { model: 'LLM_Relayed', messages: [{ role: 'user', content: '在吗' }], stream: true }

/** Returns the chunks of a streamed completion, and whether the stream was complete. */
export const chunksOf = (text: string) => {
  const events = text.split('\n\n').filter(Boolean)
  const chunks = events.filter((each) => each !== DONE.trim()).map((each) => JSON.parse(each.slice('data: '.length)))
  return { chunks, isDone: events.at(-1) === DONE.trim() }
}
export const wordsOf = (text: string) =>
  chunksOf(text)
    .chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '')
    .join('')
/** Returns the error of a refused completion. */
export const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string } }).error

/** Starts the device protocols with a relayed model, its fallback, the vendors of both, and a device that uses the model. */
export function relayLab() {
  const oms = voiceLab()
  const lab = {} as {
    vendor: Awaited<ReturnType<typeof openVendor>>
    other: Awaited<ReturnType<typeof openVendor>>
    main: number
    fallback: number
    agentId: number
    device: { id: number; mac: string }
  }
  beforeAll(async () => {
    lab.vendor = await openVendor()
    lab.other = await openVendor()
    const config = { type: 'openai', base_url: lab.vendor.base, model_name: 'true-model', max_tokens: 300 }
    lab.main = await oms.model('LLM_Relayed', 'LLM', config)
    const second = { type: 'openai', base_url: lab.other.base, model_name: 'other-model' }
    lab.fallback = await oms.model('LLM_Fallback', 'LLM', second)
    await oms.modelSecret(lab.main, 'api_key', VENDOR_KEY)
    await oms.query('update agent_models set relay = 1, fallback_model_id = $2 where id = $1', [lab.main, lab.fallback])
    lab.agentId = await oms.agent({ llm_id: lab.main })
    lab.device = await oms.bound(lab.agentId)
  })
  afterAll(async () => {
    await lab.vendor.close()
    await lab.other.close()
  })
  beforeEach(() => {
    lab.vendor.behave(answering(['你', '好']))
    lab.other.behave(answering(['备用']))
  })

  /** Returns the language model that a voice server gets for a device. */
  const handedOut = async (macAddress = lab.device.mac) => {
    const body = { macAddress, clientId: 'c', selectedModule: {} }
    const { data } = (await oms.call('config/agent-models', { body })).json()
    return data.LLM[data.selected_module.LLM] as { base_url: string; model_name: string; api_key: string }
  }
  return {
    oms,
    lab,
    handedOut,
    /** Returns a key of the relay for the device. */
    keyFor: (over: object = {}, at = Date.now()) => {
      const grant = { deviceId: lab.device.id, agentId: lab.agentId, versionNo: 1, modelId: lab.main, ...over }
      return relayKey(oms.services().config.secretKey, grant, at)
    },
    /** Calls the relay as the OpenAI client of a voice server does. */
    ask: async (body: object | string = QUESTION, key?: string, signal?: AbortSignal) => {
      const { base_url, api_key } = await handedOut()
      return fetch(`${base_url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key ?? api_key}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal && { signal }),
      })
    },
  }
}
