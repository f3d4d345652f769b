import { beforeAll, expect, test } from 'vitest'
import { callGateway } from '../voice-servers/gateway.ts'
import { agentProviders } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { sql } from 'drizzle-orm'

const app = useApp()
const MODEL = '/api/v1/agent/config'
const AGENT = '/api/v1/agent/list'
const PARAMS = '/api/v1/agent/params'
const KEY = 'sk-very-secret-0123456789'
const OLD = 'https://api.example.com/v1'
const NEW = 'https://evil.example.net/v1'
const EDITS = ['list', 'query', 'add', 'edit'].map((action) => `agent:config:${action}`)
let admin: Caller
let editor: Caller
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const agents = ['list', 'query', 'add', 'edit', 'version'].map((action) => `agent:agent:${action}`)
  const params = ['list', 'query', 'edit', 'action'].map((action) => `agent:params:${action}`)
  editor = await app.by({ tenant: '甲公司', permissions: [...EDITS, ...agents, ...params] })
  const fields = [
    { key: 'api_key', label: 'API密钥', type: 'password' as const },
    { key: 'api_host', label: '接口主机', type: 'string' as const },
    { key: 'city', label: '城市', type: 'string' as const },
  ]
  await app.db.insert(agentProviders).values({ type: 'Plugin', code: 'test_weather', name: '测试天气', fields })
})

async function newModel(type: string, providerCode: string, config: object) {
  made += 1
  const input = { type, code: `${type}_kept_${made}`, name: `模型${made}`, providerCode, config }
  const answer = await editor.call('POST', MODEL, input)
  expect(answer).toMatchObject({ code: 200 })
  return answer.data.id as number
}
async function saveModel(id: number, over: object, by = editor) {
  const { rev, name, config } = (await by.call('GET', `${MODEL}/${id}`)).data
  return by.call('PUT', MODEL, { id, rev, name, config: { ...config, ...over } })
}
const openai = { base_url: OLD, model_name: 'm', api_key: KEY }

test('AGENT-06 a new address of a model is refused at the key field unless the key is entered again', async () => {
  const id = await newModel('LLM', 'openai', openai)
  expect(await saveModel(id, { base_url: NEW })).toEqual({
    code: 400,
    msg: '接口地址已改变，请重新输入API密钥：已保存的密钥不会发送到新的地址',
    data: { field: 'config.api_key' },
  })
  expect((await saveModel(id, { base_url: NEW, api_key: 'sk-mine-0123456789' })).code).toBe(200)
  expect((await saveModel(id, { base_url: OLD, api_key: '' })).code).toBe(200)
  expect((await saveModel(id, { base_url: NEW })).code).toBe(200)
})

test('AGENT-06 a model keeps its key when only the path or a parameter of its address changes', async () => {
  const id = await newModel('LLM', 'openai', openai)
  expect((await saveModel(id, { base_url: 'https://API.example.com:443/v2', temperature: 1 })).code).toBe(200)
})

test('AGENT-06 an account that may read keys can change the address without entering the key', async () => {
  const id = await newModel('LLM', 'openai', openai)
  const reader = await app.by({ tenant: '甲公司', permissions: [...EDITS, 'agent:config:plain'] })
  expect((await saveModel(id, { base_url: NEW }, reader)).code).toBe(200)
})

const funServer = { host: 'asr.example.com', port: 10095, is_ssl: true, api_key: KEY }
const aliyun = { host: 'nls.example.com', appkey: KEY, access_key_secret: KEY }
test.each([
  ['scheme', 'LLM', 'openai', openai, { base_url: 'http://api.example.com/v1' }, 'api_key'],
  ['port', 'LLM', 'openai', openai, { base_url: 'https://api.example.com:8443/v1' }, 'api_key'],
  ['backslash', 'LLM', 'openai', openai, { base_url: 'https://api.example.com\\.evil.example.net/v1' }, 'api_key'],
  ['host', 'ASR', 'fun_server', funServer, { host: 'evil.example.net' }, 'api_key'],
  ['port number', 'ASR', 'fun_server', funServer, { port: 1 }, 'api_key'],
  ['encryption', 'ASR', 'fun_server', funServer, { is_ssl: false }, 'api_key'],
  ['proxy', 'LLM', 'gemini', { model_name: 'm', api_key: KEY }, { http_proxy: 'http://evil.example.net' }, 'api_key'],
  ['second of two keys', 'ASR', 'aliyun_stream', aliyun, { host: 'evil.cn', access_key_secret: 'x' }, 'appkey'],
  [
    'ws_url',
    'TTS',
    'huoshan_double_stream',
    { ws_url: 'wss://a.example.com/', access_token: KEY },
    { ws_url: 'wss://evil.example.net/' },
    'access_token',
  ],
  [
    'JSON',
    'Memory',
    'powermem',
    { vector_store: '{"host":"a.example.com"}', llm_api_key: KEY },
    { vector_store: '{"host":"evil.example.net"}' },
    'llm_api_key',
  ],
])(
  'AGENT-06 a changed %s is refused when the key is not entered again',
  async (_what, type, provider, config, change, field) => {
    const id = await newModel(type, provider, config)
    expect(await saveModel(id, change)).toMatchObject({ code: 400, data: { field: `config.${field}` } })
  },
)

async function saveAgent(id: number, params: object | null, by = editor) {
  const stored = (await by.call('GET', `${AGENT}/${id}`)).data
  const plugins = params === null ? [] : [{ providerCode: 'test_weather', params }]
  return by.call('PUT', AGENT, { ...stored, note: '', plugins })
}
const REFUSED = { code: 400, data: { field: 'plugins.0.params.api_key' } }

test('AGENT-06 a new address of a plugin without its key is refused in a save and a restore', async () => {
  const id = (await editor.call('POST', AGENT, { agentName: '小智' })).data.id as number
  expect((await saveAgent(id, { api_host: 'evil.example.net', api_key: 'key-of-mine-0123' })).code).toBe(200)
  const evil = (await editor.call('GET', `${AGENT}/${id}`)).data.versionNo as number
  expect((await saveAgent(id, { api_host: 'api.example.com', api_key: KEY })).code).toBe(200)
  expect((await saveAgent(id, { api_host: 'api.example.com', city: '上海' })).code).toBe(200)
  expect(await saveAgent(id, { api_host: 'evil.example.net' })).toMatchObject(REFUSED)

  const stored = (await editor.call('GET', `${AGENT}/${id}`)).data
  const restored = await editor.call('POST', `${AGENT}/versions/${id}/restore/${evil}`, { rev: stored.rev })
  expect(restored).toMatchObject(REFUSED)

  expect((await saveAgent(id, null)).code).toBe(200)
  expect(await saveAgent(id, { api_host: 'evil.example.net' })).toMatchObject(REFUSED)
  expect((await saveAgent(id, { api_host: 'api.example.com' })).code).toBe(200)
})

const put = async (code: string, value: string, by = editor) => {
  const { list } = (await by.call('GET', PARAMS)).data
  const { rev } = list.find((each: { code: string }) => each.code === code)
  return by.call('PUT', PARAMS, { code, value, remark: '', rev })
}

test.each([
  ['server.websocket', 'wss://voice.example.com/a', 'wss://evil.example.net/a', 'server.secret'],
  ['server.mqtt_manager_api', 'mqtt.example.com:8007', 'evil.example.net:8007', 'server.mqtt_signature_key'],
])(
  'AGENT-06 a new host in %s that receives a stored secret requires the right to read secrets',
  async (code, old, other, key) => {
    expect((await put(code, old)).code).toBe(200)
    expect((await put(key, 'Secret-of-acme-0123')).code).toBe(200)
    expect((await put(code, old)).code).toBe(200)
    expect(await put(code, other)).toMatchObject({ code: 400, data: { field: 'value' } })
    const reader = await app.by({
      tenant: '甲公司',
      permissions: ['agent:params:list', 'agent:params:edit', 'agent:params:plain'],
    })
    expect((await put(code, other, reader)).code).toBe(200)
  },
)

test("AGENT-06 a gateway of a tenant without its own key gets no token signed with the platform's key", async () => {
  const tenant = await app.by({ tenant: '乙公司', permissions: ['agent:params:list', 'agent:params:edit'] })
  expect((await put('server.mqtt_signature_key', 'Platform-key-0123', admin)).code).toBe(200)
  expect((await put('server.mqtt_manager_api', 'evil.example.net:8007', tenant)).code).toBe(200)
  const [row] = (await app.services.database.pool.query(`select id from tenants where name = '乙公司'`)).rows
  const params = await app.services.agentParameters.of(row.id)
  const call = callGateway(app.services, params, row.id, { path: '/', body: {} })
  await expect(call).rejects.toThrow('the key of the platform is not sent')
})

const VOICE = '/api/v1/agent/voice'
const ADDRESS = 'http://u:PWINURL@203.0.113.5/v1?key=KEYINURL'
const MASKED = 'http://******@203.0.113.5/v1?key=******'

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
