import { VoiceServer } from '../../apps/server/test/clients/voice-server.ts'
import { type Api, fresh } from '../support/people.ts'

/** Returns a new MAC address. The first byte marks it as locally administered. */
export const newMac = () => `02${fresh('').slice(0, 8)}04`.replaceAll(/(..)(?=.)/g, '$1:')

/** Returns a voice server that has the platform's secret. */
export async function openVoiceServer(admin: Api, baseURL: string | undefined) {
  const input = { code: 'server.secret', reason: '接入语音服务' }
  const { value } = await admin.call<{ value: string }>('POST', '/api/v1/agent/params/reveal', input)
  return new VoiceServer({ url: `${baseURL}/xiaozhi`, secret: value })
}

/** Creates an agent that can talk without the key of a vendor, and returns its id. */
export async function addTalkingAgent(admin: Api, agentName: string): Promise<number> {
  const code = fresh('LLM_talk').replaceAll(/\W/g, '').slice(0, 32)
  const config = { base_url: 'http://127.0.0.1:9/v1', model_name: 'm' }
  const model = { type: 'LLM', code, name: code, providerCode: 'openai', config, shared: 1 }
  const { id: llmId } = await admin.call<{ id: number }>('POST', '/api/v1/agent/config', model)
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName })
  const form = await admin.call<object>('GET', `/api/v1/agent/list/${id}`)
  await admin.call('PUT', '/api/v1/agent/list', { ...form, llmId, vllmId: null, slmId: null, note: '' })
  return id
}
