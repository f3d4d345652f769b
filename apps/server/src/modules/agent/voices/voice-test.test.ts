import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentVoices } from '../schema/agent-model.ts'
import { SPEECH_KEY, startSpeechVendor } from '#test/clients/speech-vendor.ts'
import { wavOf } from '#test/clients/voiceprint-service.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const VOICE = '/api/v1/agent/voice'
const MODEL = '/api/v1/agent/config'
const RIGHTS = ['agent:voice:list', 'agent:voice:query', 'agent:voice:add', 'agent:voice:test']
let vendor: Awaited<ReturnType<typeof startSpeechVendor>>
let admin: Caller
let made = 0

beforeAll(async () => {
  vendor = await startSpeechVendor()
  admin = await app.by({ superAdmin: true })
})
afterAll(() => vendor.close())

/** Creates a model of the platform and a voice of it. */
async function voiceOf(providerCode: string, config: object, over: { model?: object; voice?: object } = {}) {
  made += 1
  const input = { type: 'TTS', code: `TTS_test${made}`, name: `语音${made}`, providerCode, config, ...over.model }
  const model = await admin.call('POST', MODEL, input)
  const voice = { modelId: model.data.id, name: `音色${made}`, code: `voice-${made}`, ...over.voice }
  return { modelId: model.data.id as number, id: (await admin.call('POST', VOICE, voice)).data.id as number }
}
const say = (by: Caller, id: number, text = '你好') => by.call('POST', `${VOICE}/test/${id}`, { text })
const hear = (by: Caller, id: number, text = '你好') =>
  by.inject({ method: 'POST', url: `${VOICE}/test/${id}`, payload: { text } })
const openai = (path = '/file') => ({ api_key: SPEECH_KEY, api_url: `${vendor.address}${path}`, model: 'tts-x' })

test("AGENT-06 the test of a voice returns the vendor's speech and counts the characters as a try-out", async () => {
  const { id, modelId } = await voiceOf('openai', openai(), { model: { priceOut: 20_000 } })
  expect((await admin.call('GET', `${VOICE}/${id}`)).data.isTestable).toBe(true)
  const reply = await hear(admin, id, '你好，世界')
  expect(reply.headers['content-type']).toBe('audio/wav')
  expect(reply.rawPayload.equals(wavOf(1))).toBe(true)
  expect(vendor.asked.at(-1)).toMatchObject({
    method: 'POST',
    authorization: `Bearer ${SPEECH_KEY}`,
    body: { model: 'tts-x', input: '你好，世界', voice: `voice-${made}`, response_format: 'wav', speed: 1 },
  })
  const { rows } = await app.db.execute(sql`select tenant_id, unit, source, n::float8 as n, cost::float8 as cost
    from agent_usage where model_id = ${modelId}`)
  expect(rows).toEqual([{ tenant_id: 1, unit: 4, source: 2, n: 5, cost: 10 }])
  const log = await admin.call('GET', `/api/v1/sys/operlog/biz/agentVoice/${id}`)
  expect(log.data.list[0].action).toBe(`测试音色「音色${made}」`)
})

test.each([
  ['doubao', () => ({ api_url: `${vendor.address}/base64`, authorization: 'Bearer;', access_token: SPEECH_KEY })],
  ['index_stream', () => ({ api_url: `${vendor.address}/pcm` })],
  ['gpt_sovits_v2', () => ({ url: `${vendor.address}/file` })],
  ['gpt_sovits_v3', () => ({ url: `${vendor.address}/file` })],
  ['custom', () => ({ url: `${vendor.address}/file`, params: '{"text":"{prompt_text}","speaker":3}' })],
])(
  'AGENT-06 the test of a voice with the provider %s sends the text and returns a WAV file',
  async (provider, config) => {
    const reference = { referenceAudio: 'ref.wav', referenceText: '参考' }
    const { id } = await voiceOf(provider, config(), { voice: reference })
    const reply = await hear(admin, id, '今天')
    expect(reply.headers['content-type']).toBe('audio/wav')
    expect(reply.rawPayload.toString('latin1', 0, 4)).toBe('RIFF')
    const sent = JSON.stringify(vendor.asked.at(-1))
    expect(sent).toContain('今天')
    if (provider.startsWith('gpt')) expect(sent).toContain('ref.wav')
    if (provider === 'doubao') expect(vendor.asked.at(-1)!.authorization).toBe(`Bearer;${SPEECH_KEY}`)
    if (provider === 'doubao' || provider === 'index_stream') expect(sent).toContain(`voice-${made}`)
  },
)

test.each([
  ['/refuse', '语音合成服务拒绝了密钥：invalid api key Bearer *** ***'],
  ['/json', '语音合成服务出错：音色不存在'],
])(
  "AGENT-06 a vendor failure at %s returns the vendor's message without keys and counts no usage",
  async (path, message) => {
    const { id, modelId } = await voiceOf('openai', openai(path))
    expect(await say(admin, id)).toMatchObject({ code: 501, msg: message })
    expect(await app.db.execute(sql`select from agent_usage where model_id = ${modelId}`)).toMatchObject({ rows: [] })
  },
)

test('AGENT-06 a voice test with a streaming provider, an unreachable vendor or a long text is refused', async () => {
  const [shipped] = await app.db.select().from(agentVoices).where(sql`code = 'zh-CN-XiaoxiaoNeural'`)
  expect((await admin.call('GET', `${VOICE}/${shipped!.id}`)).data.isTestable).toBe(false)
  expect((await say(admin, shipped!.id)).msg).toContain('只能由语音服务调用')
  const away = await voiceOf('openai', { api_url: 'http://127.0.0.1:9/v1' })
  expect((await say(admin, away.id)).code).toBe(501)
  expect((await say(admin, away.id, '长'.repeat(61))).data).toEqual({ field: 'text' })
  const reader = await app.as('agent:voice:list', 'agent:voice:query')
  expect((await say(reader, away.id)).msg).toBe('您没有权限！')
})

test('AGENT-06 a tenant may test voices of shared models up to 5,000 characters a day', async () => {
  const shared = await voiceOf('openai', openai(), { model: { shared: 1 } })
  const closed = await voiceOf('openai', openai())
  const tenant = await app.by({ tenant: '甲公司', permissions: RIGHTS })
  expect((await hear(tenant, shared.id)).headers['content-type']).toBe('audio/wav')
  const calls = vendor.asked.length
  expect((await say(tenant, closed.id)).msg).toBe('音色不存在或已被删除')
  await app.db.execute(sql`update agent_usage set n = 5000 where model_id = ${shared.modelId}`)
  expect((await say(tenant, shared.id)).msg).toBe('今日的音色测试额度已用完，请明天再试')
  expect(vendor.asked.length).toBe(calls)
  const own = await tenant.call('POST', VOICE, { modelId: shared.modelId, name: '自有', code: 'own-voice' })
  const other = await app.by({ tenant: '乙公司', permissions: RIGHTS })
  expect((await say(other, own.data.id)).msg).toBe('音色不存在或已被删除')
})
