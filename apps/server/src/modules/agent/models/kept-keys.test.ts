import { beforeAll, expect, test } from 'vitest'
import { callGateway } from '../voice-servers/gateway.ts'
import { agentProviders } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

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
