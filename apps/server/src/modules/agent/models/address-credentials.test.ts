import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { agentProviders } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const MODEL = '/api/v1/agent/config'
const AGENT = '/api/v1/agent/list'
const VOICE = '/api/v1/agent/voice'
const ADDRESS = 'http://u:PWINURL@203.0.113.5/v1?key=KEYINURL'
const MASKED = 'http://******@203.0.113.5/v1?key=******'
let admin: Caller

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const fields = [
    { key: 'api_key', label: 'API密钥', type: 'password' as const },
    { key: 'url', label: '接口地址', type: 'string' as const },
  ]
  await app.db.insert(agentProviders).values({ type: 'Plugin', code: 'test_news', name: '测试新闻', fields })
})

const model = (config: object, over: object = {}) => ({
  type: 'LLM',
  code: 'LLM_address',
  name: '地址',
  providerCode: 'openai',
  config: { model_name: 'm', ...config },
  ...over,
})

/** Asserts that no stored model and no row of the operation log contains the credential. */
async function expectNoCredential() {
  const { rows } = await app.services.database.pool.query(
    'select to_jsonb(o)::text as text from oper_logs o union all select to_jsonb(m)::text from agent_models m',
  )
  const text = JSON.stringify(rows)
  expect(text).not.toContain('PWINURL')
  expect(text).not.toContain('KEYINURL')
}

test.each([
  ['http://u:PWINURL@203.0.113.5/v1', '接口地址不能包含用户名和密码，请填写到“API密钥”'],
  ['http://203.0.113.5/v1?key=KEYINURL', '接口地址不能包含参数 key，请填写到“API密钥”'],
  ['http://203.0.113.5/v1?api_key=KEYINURL', '接口地址不能包含参数 api_key，请填写到“API密钥”'],
  ['http://203.0.113.5/v1?a=1&access_token=KEYINURL', '接口地址不能包含参数 access_token，请填写到“API密钥”'],
  ['203.0.113.5/v1?secret=KEYINURL', '接口地址不能包含参数 secret，请填写到“API密钥”'],
])('AGENT-06 the model address %s is refused, and its credential is not logged', async (base_url, msg) => {
  expect(await admin.call('POST', MODEL, model({ base_url }))).toEqual({
    code: 400,
    msg,
    data: { field: 'config.base_url' },
  })
  await expectNoCredential()
})

test('AGENT-06 credentials in addresses of voices, documents, plugins and context sources are refused', async () => {
  const plain = { base_url: 'http://203.0.113.5/v1' }
  expect((await admin.call('POST', MODEL, model(plain, { docLink: ADDRESS }))).data).toEqual({ field: 'docLink' })
  const [tts] = (await app.services.database.pool.query(`select id from agent_models where type = 'TTS' limit 1`)).rows
  const voice = { modelId: tts.id, name: '音色', code: 'voice_1' }
  expect((await admin.call('POST', VOICE, { ...voice, demoUrl: ADDRESS })).data).toEqual({ field: 'demoUrl' })
  const reference = await admin.call('POST', VOICE, { ...voice, referenceAudio: ADDRESS })
  expect(reference.data).toEqual({ field: 'referenceAudio' })

  const { id } = (await admin.call('POST', AGENT, { agentName: '小智' })).data
  const stored = (await admin.call('GET', `${AGENT}/${id}`)).data
  const save = (over: object) => admin.call('PUT', AGENT, { ...stored, note: '', ...over })
  const plugins = [{ providerCode: 'test_news', params: { url: ADDRESS } }]
  expect(await save({ plugins })).toEqual({
    code: 400,
    msg: '插件「测试新闻」的接口地址不能包含用户名和密码，请填写到“API密钥”',
    data: { field: 'plugins.0.params.url' },
  })
  expect(await save({ plugins: [], contextProviders: [{ url: ADDRESS, headers: {} }] })).toEqual({
    code: 400,
    msg: '上下文来源的地址不能包含用户名和密码，请填写到请求头',
    data: { field: 'contextProviders.0.url' },
  })
  await expectNoCredential()
})

test('AGENT-06 an address without a scheme is refused at its field in a model and in a plugin', async () => {
  expect(await admin.call('POST', MODEL, model({ base_url: 'api.example.com/v1' }))).toMatchObject({
    msg: expect.stringContaining('应以 http:// 或 https:// 开头'),
    data: { field: 'config.base_url' },
  })
  const { id } = (await admin.call('POST', AGENT, { agentName: '小智' })).data
  const stored = (await admin.call('GET', `${AGENT}/${id}`)).data
  const plugins = [{ providerCode: 'test_news', params: { url: 'news.example.com' } }]
  expect(await admin.call('PUT', AGENT, { ...stored, note: '', plugins })).toMatchObject({
    msg: '插件「测试新闻」的接口地址应以 http://、https://、ws:// 或 wss:// 开头',
    data: { field: 'plugins.0.params.url' },
  })
})

test('AGENT-06 credentials that earlier releases stored in addresses are masked in rows and log entries', async () => {
  const { id } = (await admin.call('POST', MODEL, model({ base_url: 'http://203.0.113.5/v1' }))).data
  await app.db.execute(sql`update agent_models
    set config = jsonb_set(config, '{base_url}', to_jsonb(${ADDRESS}::text)) where id = ${id}`)
  const read = (await admin.call('GET', `${MODEL}/${id}`)).data
  expect(read.config.base_url).toBe(MASKED)
  const change = { id, rev: read.rev, name: '改名', config: read.config }
  expect((await admin.call('PUT', MODEL, change)).data).toEqual({ field: 'config.base_url' })
  const clean = { ...change, config: { ...read.config, base_url: 'http://203.0.113.5/v2' } }
  expect((await admin.call('PUT', MODEL, clean)).code).toBe(200)
  await expectNoCredential()

  const agentId = (await admin.call('POST', AGENT, { agentName: '小智' })).data.id as number
  const plugins = JSON.stringify([{ providerCode: 'test_news', params: { url: ADDRESS } }])
  const contexts = JSON.stringify([{ url: ADDRESS, headers: {} }])
  await app.db.execute(sql`update agents set plugins = ${plugins}::jsonb, context_providers = ${contexts}::jsonb
    where id = ${agentId}`)
  const agent = (await admin.call('GET', `${AGENT}/${agentId}`)).data
  expect([agent.plugins[0].params.url, agent.contextProviders[0].url]).toEqual([MASKED, MASKED])

  const diff = JSON.stringify([{ field: 'url', title: '地址', from: null, to: ADDRESS }])
  await app.db.execute(sql`update oper_logs set title = '旧日志', action = ${`修改 ${ADDRESS}`},
    oper_param = ${JSON.stringify({ url: ADDRESS })}, diff = ${diff}::jsonb
    where biz_type = 'agentModel' and biz_id = ${String(id)} and status = 1`)
  const { list } = (await admin.call('GET', '/api/v1/sys/operlog/page?title=旧日志')).data
  const detail = await admin.call('GET', `/api/v1/sys/operlog/${list[0].operId}`)
  const history = await admin.call('GET', `/api/v1/sys/operlog/biz/agentModel/${id}`)
  const shown = JSON.stringify([list, detail.data, history.data])
  expect(shown).toContain(MASKED)
  expect(shown).not.toMatch(/PWINURL|KEYINURL/)
})
