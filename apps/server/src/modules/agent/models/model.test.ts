import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { and, desc, eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { agents } from '../schema/agent.ts'
import { agentModels, agentSecrets } from '../schema/agent-model.ts'
import { operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const MODEL = '/api/v1/agent/config'
const KEY = 'sk-very-secret-0123456789'
const RIGHTS = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'test', 'plain', 'provider'].map(
  (action) => `agent:config:${action}`,
)
let admin: Caller
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

async function newModel(over: object = {}, by = admin) {
  made += 1
  const input = {
    type: 'LLM',
    code: `LLM_test_${made}`,
    name: `测试模型${made}`,
    providerCode: 'openai',
    config: { base_url: 'http://127.0.0.1:9/v1', model_name: 'm', api_key: KEY },
    ...over,
  }
  const answer = await by.call('POST', MODEL, input)
  expect(answer).toMatchObject({ code: 200 })
  return answer.data.id as number
}
const read = async (id: number, by = admin) => (await by.call('GET', `${MODEL}/${id}`)).data
const byCode = async (code: string) => (await app.db.select().from(agentModels).where(eq(agentModels.code, code)))[0]!
const form = ({ config, name, rev, id }: Record<string, never>) => ({ id, rev, name, config })

test('AGENT-06 a save keeps an absent, removes an empty and encrypts a new secret; no response contains a secret', async () => {
  const id = await newModel()
  const first = await read(id)
  expect(first).toMatchObject({ config: { model_name: 'm' }, secrets: { api_key: '6789' } })
  expect(JSON.stringify(first)).not.toContain(KEY)
  const [stored] = await app.db.select().from(agentSecrets).where(eq(agentSecrets.ownerId, id))
  expect(stored?.encrypted).not.toContain(KEY)

  expect((await admin.call('PUT', MODEL, { ...form(first), name: '改名' })).data.rev).toBe(1)
  expect((await read(id)).secrets).toEqual({ api_key: '6789' })

  const next = { ...form(await read(id)), config: { ...first.config, api_key: 'sk-another-0123454321' } }
  expect((await admin.call('PUT', MODEL, next)).data.rev).toBe(2)
  expect((await read(id)).secrets).toEqual({ api_key: '4321' })

  const cleared = { ...form(await read(id)), config: { ...first.config, api_key: '' } }
  expect((await admin.call('PUT', MODEL, cleared)).data.rev).toBe(3)
  expect((await read(id)).secrets).toEqual({})

  const logs = await app.db.select().from(operLogs)
  expect(JSON.stringify(logs)).not.toContain(KEY)
})

test('AGENT-06 a price that the type of the model does not use is refused', async () => {
  const model = { type: 'TTS', code: 'TTS_Price', name: '合成', providerCode: 'edge', config: {} }
  expect(await admin.call('POST', MODEL, { ...model, priceIn: 100 })).toMatchObject({
    code: 400,
    data: { field: 'priceIn' },
  })
  expect((await admin.call('POST', MODEL, { ...model, priceOut: 100 })).code).toBe(200)
})

test('AGENT-06 revealing a secret requires the permission and a reason, and logs account and reason', async () => {
  const id = await newModel()
  const asked = { id, field: 'api_key', reason: '核对厂商后台' }
  const limited = await app.by({ permissions: ['agent:config:list', 'agent:config:query'] })
  expect((await limited.call('POST', `${MODEL}/reveal`, asked)).code).toBe(501)
  expect(await admin.call('POST', `${MODEL}/reveal`, { ...asked, reason: '' })).toMatchObject({ msg: '请输入原因' })
  expect((await admin.call('POST', `${MODEL}/reveal`, asked)).data).toEqual({ value: KEY })
  const [log] = await app.db
    .select()
    .from(operLogs)
    .where(and(eq(operLogs.bizType, 'agentModel'), eq(operLogs.bizId, String(id))))
    .orderBy(desc(operLogs.operTime))
    .limit(1)
  expect(JSON.stringify(log)).toContain('核对厂商后台')
  expect(JSON.stringify(log)).not.toContain(KEY)
})

test.each([
  [{ providerCode: 'nothing' }, '接口不存在或已被删除', 'providerCode'],
  [{ config: { model_name: 'm' } }, '请输入接口地址', 'config.base_url'],
  [{ config: { base_url: 'http://x', model_name: 'm', temperature: 'warm' } }, '温度应为数字', 'config.temperature'],
  [{ code: 'LLM_ChatGLMLLM' }, '编码已存在', 'code'],
  [{ code: '中文' }, '编码只能包含字母、数字和下划线', 'code'],
  [
    { type: 'Intent', providerCode: 'intent_llm', config: { llm: 'LLM_none' } },
    '使用的LLM不存在或已停用',
    'config.llm',
  ],
  [
    { type: 'Intent', providerCode: 'intent_llm', config: { llm: 'LLM_DifyLLM' } },
    '使用的LLM须为 OpenAI 兼容接口或 Ollama',
    'config.llm',
  ],
])('AGENT-06 a model with %o is refused: %s', async (over, msg, field) => {
  const input = {
    type: 'LLM',
    code: 'LLM_new',
    name: '新',
    providerCode: 'openai',
    config: { base_url: 'http://x', model_name: 'm' },
  }
  expect(await admin.call('POST', MODEL, { ...input, ...over })).toEqual({ code: 400, msg, data: { field } })
})

test('AGENT-06 a default model cannot be disabled or deleted, and a model in use cannot be deleted', async () => {
  const standard = await byCode('LLM_ChatGLMLLM')
  expect((await admin.call('POST', `${MODEL}/disable/${standard.id}`)).msg).toContain('默认模型不能停用')
  expect((await admin.call('DELETE', `${MODEL}/${standard.id}`)).msg).toContain('默认模型不能删除')

  const id = await newModel()
  await app.db.insert(agents).values({ tenantId: 1, agentCode: 'AGT_1', agentName: '客服小智', llmId: id })
  expect((await read(id)).useCount).toBe(1)
  expect((await admin.call('DELETE', `${MODEL}/${id}`)).msg).toBe('智能体「客服小智」正在使用该模型，不能删除')
  await app.db.delete(agents)
  const { code } = await read(id)
  const intent = await newModel({ type: 'Intent', code: 'Intent_x', providerCode: 'intent_llm', config: { llm: code } })
  expect((await admin.call('DELETE', `${MODEL}/${id}`)).msg).toContain('模型「')
  expect((await admin.call('DELETE', `${MODEL}/${intent}`)).code).toBe(200)
  expect((await admin.call('DELETE', `${MODEL}/${id}`)).code).toBe(200)
  expect(await app.db.select().from(agentSecrets).where(eq(agentSecrets.ownerId, id))).toEqual([])
})

test('AGENT-06 each owner has one default model of each type', async () => {
  const before = await byCode('LLM_ChatGLMLLM')
  const id = await newModel()
  expect((await admin.call('POST', `${MODEL}/default/${id}`)).code).toBe(200)
  expect((await byCode('LLM_ChatGLMLLM')).isDefault).toBe(0)
  expect((await admin.call('POST', `${MODEL}/default/${before.id}`)).code).toBe(200)
  expect((await read(id)).isDefault).toBe(0)
})

test('AGENT-06 copying a model creates a new code and copies the secrets', async () => {
  const id = await newModel()
  const copy = (await admin.call('POST', `${MODEL}/copy/${id}`)).data.id as number
  expect(await read(copy)).toMatchObject({ isDefault: 0, secrets: { api_key: '6789' }, config: { model_name: 'm' } })
  const answer = await admin.call('POST', `${MODEL}/reveal`, { id: copy, field: 'api_key', reason: '核对' })
  expect(answer.data).toEqual({ value: KEY })
})

test('AGENT-06 a tenant uses shared platform models without seeing their values, and cannot use unshared models', async () => {
  const tenant = await app.by({ tenant: '甲公司', permissions: RIGHTS })
  const shared = await newModel({ shared: 1 })
  const unshared = await newModel()
  const { data } = await tenant.call('GET', `${MODEL}/page?type=LLM&pageSize=200`)
  const ids = data.list.map(({ id }: { id: number }) => id)
  expect(ids).toContain(shared)
  expect(ids).not.toContain(unshared)
  expect(await read(shared, tenant)).toMatchObject({ isEditable: false, config: {}, secrets: {} })
  for (const [method, path] of [
    ['DELETE', `${MODEL}/${shared}`],
    ['POST', `${MODEL}/copy/${shared}`],
    ['POST', `${MODEL}/test/${shared}`],
    ['POST', `${MODEL}/default/${shared}`],
  ] as const)
    expect((await tenant.call(method, path)).msg).toBe('模型不存在或已被删除')
  const asked = { id: shared, field: 'api_key', reason: '想看' }
  expect((await tenant.call('POST', `${MODEL}/reveal`, asked)).msg).toBe('模型不存在或已被删除')

  const own = await newModel({ shared: 1 }, tenant)
  expect(await read(own, tenant)).toMatchObject({ isEditable: true, shared: 0, secrets: { api_key: '6789' } })
  const other = await app.by({ tenant: '乙公司', permissions: RIGHTS })
  expect((await other.call('GET', `${MODEL}/${own}`)).code).toBe(400)
})

test('AGENT-06 the test of a language model requests a completion, the test of another model calls its address', async () => {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end('{"error":"no"}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"choices":[{"delta":{"content":"好"}}]}\n\ndata: [DONE]\n\n')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const good = await newModel({ config: { base_url: `${url}/v1`, model_name: 'm', api_key: KEY } })
    const bad = await newModel({ config: { base_url: `${url}/v1`, model_name: 'm', api_key: 'sk-wrong-key' } })
    const tts = await newModel({
      type: 'TTS',
      code: 'TTS_x',
      providerCode: 'index_stream',
      config: { api_url: `${url}/tts` },
    })
    const tested = async (id: number) => (await admin.call('POST', `${MODEL}/test/${id}`)).data
    expect(await tested(good)).toMatchObject({ way: 1, isOk: true, message: '好' })
    expect(await tested(bad)).toMatchObject({ way: 1, isOk: false, message: expect.stringContaining('密钥') })
    expect(await tested(tts)).toMatchObject({ way: 2, isOk: true })
    const tenant = await app.by({ tenant: '丙公司', permissions: RIGHTS })
    const inside = await newModel({ config: { base_url: `${url}/v1`, model_name: 'm', api_key: KEY } }, tenant)
    expect((await tenant.call('POST', `${MODEL}/test/${inside}`)).data).toMatchObject({ isOk: false })
  } finally {
    server.close()
  }
})

test('AGENT-06 only the platform edits the fields of providers; a used or shipped provider cannot be deleted', async () => {
  const PROVIDER = `${MODEL}/provider`
  const fields = [{ key: 'base_url', label: '接口地址', type: 'string', required: true }]
  const { data } = await admin.call('POST', PROVIDER, { type: 'TTS', code: 'own_tts', name: '自建合成', fields })
  expect(await admin.call('POST', PROVIDER, { type: 'TTS', code: 'own_tts', name: '再建', fields })).toMatchObject({
    data: { field: 'code' },
  })
  const next = [...fields, { key: 'speed', label: '语速', type: 'number', default: '1' }]
  const saved = await admin.call('PUT', PROVIDER, { id: data.id, rev: 0, name: '自建合成', fields: next })
  expect(saved.data.rev).toBe(1)
  const model = await newModel({
    type: 'TTS',
    code: 'TTS_own',
    providerCode: 'own_tts',
    config: { base_url: 'http://x', speed: '2' },
  })
  expect((await read(model)).config).toEqual({ base_url: 'http://x', speed: 2 })
  expect((await admin.call('DELETE', `${PROVIDER}/${data.id}`)).msg).toContain('正在使用该接口')
  await admin.call('DELETE', `${MODEL}/${model}`)
  expect((await admin.call('DELETE', `${PROVIDER}/${data.id}`)).code).toBe(200)
  const shipped = (await admin.call('GET', `${PROVIDER}/page?type=VAD`)).data.list[0]
  expect(shipped.useCount).toBe(1)
  expect((await admin.call('DELETE', `${PROVIDER}/${shipped.id}`)).msg).toBe('内置接口不能删除')
  const tenant = await app.by({ tenant: '丁公司', permissions: RIGHTS })
  expect((await tenant.call('DELETE', `${PROVIDER}/${shipped.id}`)).code).toBe(501)
})

test('AGENT-17 relay and fallback are accepted only for language models that OMS can call', async () => {
  const fallback = await newModel()
  const id = await newModel({ relay: 1, fallbackModelId: fallback })
  expect(await read(id)).toMatchObject({ relay: 1, fallbackModelId: fallback })
  const dify = { providerCode: 'dify', config: { base_url: 'http://127.0.0.1:9', mode: 'chat-messages' } }
  const make = (over: object) =>
    admin.call('POST', MODEL, {
      type: 'LLM',
      code: `LLM_refused_${made++}`,
      name: '模型',
      providerCode: 'openai',
      ...over,
    })
  const given = { config: { base_url: 'http://127.0.0.1:9/v1', model_name: 'm' } }
  expect(await make({ ...dify, relay: 1 })).toMatchObject({
    code: 400,
    msg: expect.stringContaining('可以经由平台调用'),
  })
  expect(await make({ ...given, fallbackModelId: await newModel(dify) })).toMatchObject({
    code: 400,
    msg: expect.stringContaining('备用模型须为'),
  })
  expect(await make({ ...given, fallbackModelId: 999_999 })).toMatchObject({ code: 400 })
  const speech = await newModel({
    type: 'TTS',
    code: `TTS_relay_${made}`,
    providerCode: 'edge',
    config: {},
    relay: 1,
    fallbackModelId: fallback,
  })
  expect(await read(speech)).toMatchObject({ relay: 0, fallbackModelId: null })
})

test('AGENT-06 the number of models of a provider counts only models that the account may see', async () => {
  await app.by({ tenant: '模型客户' })
  const permissions = ['agent:config:list', 'agent:config:query']
  const countOf = async (caller: Caller) =>
    (await caller.call('GET', '/api/v1/agent/config/provider/page?type=LLM&pageSize=50')).data.list.find(
      ({ code }: { code: string }) => code === 'openai',
    ).useCount
  const limited = await app.by({ permissions, dataScope: 3, scopeIds: [1] })
  const before = await countOf(limited)
  await app.db.execute(sql`insert into agent_models (tenant_id, type, code, name, provider_code)
    select id, 'LLM', 'LLM_Hidden', '别人的模型', 'openai' from tenants where name = '模型客户'`)
  expect(await countOf(limited)).toBe(before)
})
