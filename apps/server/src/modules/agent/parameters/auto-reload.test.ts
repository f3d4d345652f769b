import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { registerAutoReload } from '#domain/agents/voice-servers/auto-reload.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { VoiceServer } from '#test/clients/voice-server.ts'
import { openVoiceSide } from '#test/clients/voice-side.ts'

const app = useApp()
const ROOT = '/api/v1/agent'
const PARAMS = `${ROOT}/params`
let admin: Caller
let side: Awaited<ReturnType<typeof openVoiceSide>>
let server: VoiceServer

const put = async (code: string, value: string) => {
  const { list } = (await admin.call('GET', PARAMS)).data
  const { rev } = list.find((each: { code: string }) => each.code === code)
  expect((await admin.call('PUT', PARAMS, { code, value, remark: '', rev })).code).toBe(200)
}
/** Saves the default template with other models, and runs the queued jobs. */
const template = async (models: object) => {
  const [{ id }] = await query('select id from agent_templates where deleted_at is null order by sort, id limit 1')
  const stored = (await admin.call('GET', `${ROOT}/template/${id}`)).data
  expect((await admin.call('PUT', `${ROOT}/template`, { ...stored, ...models })).code).toBe(200)
  await app.services.jobs.drain()
}
const query = async (text: string) => (await app.services.database.pool.query(text)).rows
const waiting = () =>
  query(`select extract(epoch from start_after - created_on)::int as delay from pgboss.job
    where name = 'agent-reload' and state = 'created' order by created_on`)

beforeAll(async () => {
  registerAutoReload(app.services)
  admin = await app.by({ superAdmin: true })
  side = await openVoiceSide(app.services)
  await app.services.agentParameters.of(1)
  const body = { code: 'server.secret', reason: '配置语音服务' }
  const secret = (await admin.call('POST', `${PARAMS}/reveal`, body)).data.value
  server = new VoiceServer({ url: side.url, secret })
  await server.start()
  await server.listen()
  await put('server.websocket', server.address)
})
afterAll(async () => {
  await server.close()
  await side.close()
})
beforeEach(() => {
  server.actions.length = 0
})

test('AGENT-11 a changed parameter sends no reload while server.auto_reload is false', async () => {
  await put('tts_timeout', '11')
  await put('server.auto_reload', 'true')
  expect(await waiting()).toEqual([])
  await app.services.jobs.drain()
  expect(server.actions).toEqual([])
})

test('AGENT-11 several changes reload the voice server once, five seconds after the last change', async () => {
  for (const value of ['21', '22', '23']) await put('tts_timeout', value)
  await admin.call('DELETE', `${PARAMS}?code=tool_call_timeout`)
  expect(await waiting()).toEqual(Array.from({ length: 4 }, () => ({ delay: 5 })))
  expect(server.actions).toEqual([])
  await app.services.jobs.drain()
  expect(server.actions).toEqual(['update_config'])
  expect(server.config.tts_timeout).toBe(23)
  await app.services.jobs.drain()
  expect(server.actions).toHaveLength(1)
})

test('AGENT-11 a parameter that voice servers do not receive and a changed server address cause no reload', async () => {
  await put('history.days', '90')
  await put('server.websocket', `${server.address};ws://127.0.0.1:1/`)
  expect(await waiting()).toEqual([])
  await app.services.jobs.drain()
  expect(server.actions).toEqual([])
})

test('AGENT-11 changing the ASR model of the default template causes a reload, changing the LLM does not', async () => {
  const [{ id: asr }] = await query(`select id from agent_models where code = 'ASR_VoskASR'`)
  const [{ id: llm }] = await query(`select id from agent_models where code = 'LLM_AliLLM'`)
  await query(`update agent_models set status = 1 where id in (${asr}, ${llm})`)
  await template({ llmId: llm })
  expect(server.actions).toEqual([])
  await template({ asrId: asr })
  expect(server.actions).toEqual(['update_config'])
  expect(server.config.selected_module.ASR).toBe('ASR_VoskASR')
})

test('AGENT-11 a change of a model that the default template uses causes a reload', async () => {
  const [{ id }] = await query(`select id from agent_models where code = 'ASR_VoskASR'`)
  const { code: _code, type: _type, ...stored } = (await admin.call('GET', `${ROOT}/config/${id}`)).data
  const saved = await admin.call('PUT', `${ROOT}/config`, {
    ...stored,
    config: { ...stored.config, model_path: 'models/other' },
  })
  expect([saved.code, saved.data.rev]).toEqual([200, stored.rev + 1])
  expect(await waiting()).toHaveLength(1)
  await app.services.jobs.drain()
  expect(server.actions).toEqual(['update_config'])
  expect(server.config.ASR.ASR_VoskASR.model_path).toBe('models/other')
})

test('AGENT-11 a voice server that does not confirm a reload gets no further reload until the next change', async () => {
  server.isBroken = true
  await put('tts_timeout', '31')
  await app.services.jobs.drain()
  server.isBroken = false
  await app.services.jobs.drain()
  expect(server.actions).toEqual([])
  await put('tts_timeout', '32')
  await app.services.jobs.drain()
  expect(server.actions).toEqual(['update_config'])
})

test('AGENT-11 a changed parameter sends no reload after server.auto_reload was turned off', async () => {
  await put('server.auto_reload', 'false')
  await put('tts_timeout', '33')
  await app.services.jobs.drain()
  expect(server.actions).toEqual([])
})
