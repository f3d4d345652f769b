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
