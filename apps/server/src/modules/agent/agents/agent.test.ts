import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { resolveAgentOfDevice } from './device-agent.ts'
import { agents, agentTemplates } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentModels, agentProviders } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/agent/list'
let admin: Caller
const models: Record<string, number> = {}

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const rows: [string, string, string, string][] = [
    ['llm', 'LLM', 'T_LLM', 'openai'],
    ['dify', 'LLM', 'T_DIFY', 'dify'],
    ['tts', 'TTS', 'T_TTS', 'edge'],
    ['nomem', 'Memory', 'T_NOMEM', 'nomem'],
    ['short', 'Memory', 'T_SHORT', 'mem_local_short'],
    ['calls', 'Intent', 'T_CALLS', 'function_call'],
  ]
  for (const [key, type, code, providerCode] of rows) {
    const values = { tenantId: 1, type, code, name: code, providerCode, shared: 1 }
    const [made] = await app.db.insert(agentModels).values(values).returning({ id: agentModels.id })
    models[key] = made!.id
  }
  const fields = [
    { key: 'api_key', label: '密钥', type: 'password' as const },
    { key: 'default_location', label: '地区', type: 'string' as const },
  ]
  await app.db.insert(agentProviders).values({ type: 'Plugin', code: 'test_weather', name: '测试天气', fields })
  await app.db.insert(agentTemplates).values({
    tenantId: 1,
    templateName: '测试模板',
    sort: -5,
    llmId: models.llm,
    ttsId: models.tts,
    memId: models.short,
    systemPrompt: '你是{{assistant_name}}',
    language: '中文',
  })
})

const templateId = async () => {
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select id from agent_templates where template_name = '测试模板'`,
  )
  return rows[0]!.id
}

async function newAgent(caller = admin, agentName = '小智') {
  const { data } = await caller.call('POST', URL, { agentName, templateId: await templateId() })
  return data.id as number
}
const detail = async (id: number, caller = admin) => (await caller.call('GET', `${URL}/${id}`)).data
/** Returns the form of an agent with changes. */
async function form(id: number, over: object = {}) {
  const found = await detail(id)
  return { ...found, note: '', ...over }
}
const save = async (id: number, over: object = {}, caller = admin) => caller.call('PUT', URL, await form(id, over))

test('AGENT-07 an agent is created from a name and a template', async () => {
  const id = await newAgent(admin, '湾湾')
  const agent = await detail(id)
  expect(agent).toMatchObject({
    agentName: '湾湾',
    llmName: 'T_LLM',
    ttsName: 'T_TTS',
    systemPrompt: '你是{{assistant_name}}',
    versionNo: 1,
    problem: '小模型「智谱AI」未设置密钥',
    deviceCount: 0,
    turns7: 0,
    lastTalk: null,
    chatHistoryConf: 2,
  })
  expect(agent.agentCode).toMatch(/^AGT_\d{17}$/)
})

test('AGENT-07 each save creates a version with its author, the changed fields and the old and new values', async () => {
  const id = await newAgent()
  const saved = await save(id, { systemPrompt: '新的设定', llmId: models.dify, note: '换模型' })
  expect(saved).toMatchObject({ code: 200, data: { versionNo: 2 } })
  const { list } = (await admin.call('GET', `${URL}/versions/${id}`)).data
  expect(list).toHaveLength(2)
  expect(list[0]).toMatchObject({ versionNo: 2, source: 2, note: '换模型', changed: ['大语言模型', '角色设定'] })
  const { data } = await admin.call('GET', `${URL}/versions/${id}/diff/1`)
  expect(data).toEqual({
    against: 2,
    list: [
      { field: 'llmId', title: '大语言模型', from: 'T_DIFY', to: 'T_LLM' },
      { field: 'systemPrompt', title: '角色设定', from: '新的设定', to: '你是{{assistant_name}}' },
    ],
  })
})

test('AGENT-07 restoring a version creates a new version and needs the current revision', async () => {
  const id = await newAgent()
  await save(id, { systemPrompt: '第二版' })
  const { rev } = await detail(id)
  const old = await admin.call('POST', `${URL}/versions/${id}/restore/1`, { rev: rev - 1 })
  expect(old.code).toBe(400)
  const body = await admin.call('POST', `${URL}/versions/${id}/restore/1`, { rev })
  expect(body).toMatchObject({ code: 200, data: { versionNo: 3 } })
  expect(await detail(id)).toMatchObject({ systemPrompt: '你是{{assistant_name}}', versionNo: 3 })
})

test('a save without a change and a save of tags only create no version', async () => {
  const id = await newAgent()
  expect((await save(id)).data.versionNo).toBe(1)
  expect((await save(id, { tags: ['客厅'] })).data.versionNo).toBe(1)
  expect(await detail(id)).toMatchObject({ tags: ['客厅'] })
})

test('an agent keeps only its newest 100 versions', async () => {
  const id = await newAgent()
  await app.db.execute(sql`insert into agent_versions (agent_id, version_no, tenant_id, snapshot, source)
    select ${id}, n, 1, '{}', 2 from generate_series(2, 104) n`)
  await app.db.execute(sql`update agents set version_no = 104 where id = ${id}`)
  expect((await save(id, { systemPrompt: '又一版' })).data.versionNo).toBe(105)
  const { list } = (await admin.call('GET', `${URL}/versions/${id}`)).data
  expect(list).toHaveLength(100)
  expect(list.at(-1).versionNo).toBe(6)
})

test('secrets of plugins and headers are encrypted; a save keeps absent and removes empty secrets', async () => {
  const id = await newAgent()
  const url = 'https://example.com/context'
  const plugin = (params: object) => ({ plugins: [{ providerCode: 'test_weather', params }] })
  await save(id, {
    ...plugin({ api_key: 'weather-secret-1234', default_location: '上海' }),
    contextProviders: [{ url, headers: { Authorization: 'Bearer context-secret-9876' } }],
  })
  const agent = await detail(id)
  expect(JSON.stringify(agent)).not.toContain('secret-')
  expect(agent.secrets['plugin.test_weather.api_key']).toBe('1234')
  const device = await bind(id)
  const opened = await resolveAgentOfDevice(app.db, app.services.config.secretKey, device)
  expect(opened?.plugins).toEqual([
    { providerCode: 'test_weather', params: { default_location: '上海', api_key: 'weather-secret-1234' } },
  ])
  expect(opened?.contextProviders).toEqual([{ url, headers: { Authorization: 'Bearer context-secret-9876' } }])
  await save(id, {
    ...plugin({ default_location: '北京' }),
    contextProviders: [{ url, headers: { Authorization: '******' } }],
  })
  expect((await detail(id)).secrets['plugin.test_weather.api_key']).toBe('1234')
  const again = await resolveAgentOfDevice(app.db, app.services.config.secretKey, device)
  expect(again?.contextProviders).toEqual(opened?.contextProviders)
  await save(id, plugin({ api_key: '' }))
  expect((await detail(id)).secrets['plugin.test_weather.api_key']).toBeUndefined()
  const { rows } = await app.db.execute(sql`select snapshot::text as t from agent_versions where agent_id = ${id}`)
  expect(JSON.stringify(rows)).not.toContain('weather-secret')
  const logs = await app.db.execute(sql`select * from oper_logs where biz_id = ${String(id)}`)
  expect(JSON.stringify(logs.rows)).not.toContain('-secret-')
})

test('the intent 函数调用 is refused with a language model that cannot call functions', async () => {
  const id = await newAgent()
  expect(await save(id, { intentId: models.calls, llmId: models.dify })).toMatchObject({
    code: 400,
    data: { field: 'intentId' },
  })
  expect((await save(id, { intentId: models.calls, llmId: models.llm })).code).toBe(200)
})

test('choosing the memory model nomem disables the history and, once confirmed, erases turns, titles and memory', async () => {
  const id = await newAgent()
  const device = await bind(id)
  await app.db.execute(sql`update agent_devices set memory = '喜欢猫' where device_id = ${device}`)
  await app.db.execute(sql`insert into agent_turns
    (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5)
    values (now(), 1, 1, ${device}, ${id}, 1, '你好', md5(${String(id)}))`)
  await app.db.execute(sql`with made as (insert into agent_sessions (tenant_id, session_id, device_id, agent_id, title)
    values (1, ${`talk-${id}`}, ${device}, ${id}, '问候小智') returning id)
    insert into agent_after (tenant_id, session_row_id, kind) select 1, id, 1 from made`)
  expect(await save(id, { memId: models.nomem })).toMatchObject({ code: 400, data: { field: 'memId' } })
  expect((await save(id, { memId: models.nomem, confirmErase: 1 })).code).toBe(200)
  expect(await detail(id)).toMatchObject({ chatHistoryConf: 0 })
  const { rows } = await app.db.execute(sql`select
    (select count(*)::int from agent_turns where agent_id = ${id}) as turns,
    (select string_agg(title, '') from agent_sessions where agent_id = ${id}) as titles,
    (select count(*)::int from agent_after t join agent_sessions s on s.id = session_row_id and agent_id = ${id}) as tasks,
    (select memory from agent_devices where device_id = ${device}) as memory`)
  expect(rows).toEqual([{ turns: 0, titles: '', tasks: 0, memory: '' }])
})

test('AGENT-07 restoring a version that erases the history asks for confirmation, like a save', async () => {
  const id = await newAgent()
  const device = await bind(id)
  const remember = () => app.db.execute(sql`update agent_devices set memory = '喜欢猫' where device_id = ${device}`)
  const memory = async () =>
    (await app.db.execute(sql`select memory from agent_devices where device_id = ${device}`)).rows[0]?.memory
  await save(id, { memId: models.nomem, confirmErase: 1 })
  await save(id, { memId: models.short })
  await remember()
  const { list } = (await admin.call('GET', `${URL}/versions/${id}`)).data
  expect(list.map((each: { erases: string }) => each.erases)).toEqual(['', 'turns', ''])
  const restore = async (over: object = {}) =>
    admin.call('POST', `${URL}/versions/${id}/restore/2`, { rev: (await detail(id)).rev, ...over })
  expect(await restore()).toMatchObject({ code: 400, data: { field: 'memId' } })
  expect(await memory()).toBe('喜欢猫')
  expect((await restore({ confirmErase: 1 })).code).toBe(200)
  expect(await memory()).toBe('')
  expect(await detail(id)).toMatchObject({ chatHistoryConf: 0 })
})

let serial = 0
async function bind(agentId: number) {
  serial += 1
  const mac = `aabbcc${String(serial).padStart(6, '0')}`
  const { rows } = await app.db.execute<{ id: number }>(sql`insert into devices (tenant_id, model_id, sn, mac)
    values (1, coalesce((select min(id) from device_models), 1), ${`AG${mac}`}, ${mac}) returning id`)
  await app.db.insert(agentDevices).values({ deviceId: rows[0]!.id, tenantId: 1, agentId, mac })
  return rows[0]!.id
}

test('deleting an agent requires its typed name and unbinds its devices', async () => {
  const id = await newAgent(admin, '要删的')
  const device = await bind(id)
  expect((await admin.call('DELETE', `${URL}/${id}?agentName=${encodeURIComponent('别的')}`)).code).toBe(400)
  expect((await admin.call('DELETE', `${URL}/${id}?agentName=${encodeURIComponent('要删的')}`)).code).toBe(200)
  const { rows } = await app.db.execute(sql`select 1 from agent_devices where device_id = ${device}`)
  expect(rows).toEqual([])
  expect((await admin.call('GET', `${URL}/${id}`)).code).toBe(400)
})

test('a tenant can neither see nor use agents and models of another tenant', async () => {
  const one = await app.by({ tenant: '甲方', permissions: ['agent:agent:list', 'agent:agent:query'] })
  const foreign = await newAgent()
  expect((await one.call('GET', `${URL}/${foreign}`)).code).not.toBe(200)
  const { rows } = await app.db.execute<{ n: number }>(sql`select count(*)::int as n from ${agents}`)
  expect(rows[0]!.n).toBeGreaterThan(0)
})

test('the agent list is searched by name, tag and MAC address', async () => {
  const id = await newAgent(admin, '可搜索的')
  await save(id, { tags: ['展厅'] })
  await bind(id)
  const { rows } = await app.db.execute<{ mac: string }>(sql`select mac from agent_devices where agent_id = ${id}`)
  const mac = rows[0]!.mac.replaceAll(/(..)(?!$)/g, '$1:').toUpperCase()
  for (const query of [`agentName=${encodeURIComponent('可搜')}`, `tag=${encodeURIComponent('展厅')}`, `mac=${mac}`]) {
    const { list } = (await admin.call('GET', `${URL}/page?${query}`)).data
    expect(list.map((row: { id: number }) => row.id)).toEqual([id])
  }
})
