import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { resolveAgentOfDevice } from './device-agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentProviders } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/agent/list'
let admin: Caller
let serial = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const fields = [{ key: 'api_key', label: '密钥', type: 'password' as const }]
  await app.db.insert(agentProviders).values({ type: 'Plugin', code: 'test_weather', name: '测试天气', fields })
})

const newAgent = async () => (await admin.call('POST', URL, { agentName: '小智' })).data.id as number
const detail = async (id: number) => (await admin.call('GET', `${URL}/${id}`)).data
const form = async (id: number, over: object) => ({ ...(await detail(id)), note: '', ...over })
const save = async (id: number, over: object) => admin.call('PUT', URL, await form(id, over))

async function bind(agentId: number) {
  serial += 1
  const mac = `aabbdd${String(serial).padStart(6, '0')}`
  const { rows } = await app.db.execute<{ id: number }>(sql`insert into devices (tenant_id, model_id, sn, mac)
    values (1, coalesce((select min(id) from device_models), 1), ${`AG${mac}`}, ${mac}) returning id`)
  await app.db.insert(agentDevices).values({ deviceId: rows[0]!.id, tenantId: 1, agentId, mac })
  return rows[0]!.id
}

test('AGENT-07 keys are kept while the current version or a version that can be restored uses them', async () => {
  const id = await newAgent()
  const plugins = [{ providerCode: 'test_weather', params: { api_key: 'weather-secret-1234' } }]
  const marks = async () => Object.values((await detail(id)).secrets)
  await save(id, { plugins })
  expect(await marks()).toEqual(['1234'])
  await save(id, { plugins: [] })
  await admin.call('POST', `${URL}/versions/${id}/restore/2`, { rev: (await detail(id)).rev })
  const opened = await resolveAgentOfDevice(app.db, app.services.config.secretKey, await bind(id))
  expect(opened?.plugins[0]?.params).toMatchObject({ api_key: 'weather-secret-1234' })
  await save(id, { plugins: [] })
  await app.db.execute(sql`insert into agent_versions (agent_id, version_no, tenant_id, snapshot, source)
    select ${id}, n, 1, '{}', 2 from generate_series(10, 120) n`)
  await app.db.execute(sql`update agents set version_no = 120 where id = ${id}`)
  await save(id, { systemPrompt: '新的一版' })
  expect(await marks()).toEqual([])
  await save(id, { plugins })
  const { agentName } = await detail(id)
  await admin.call('DELETE', `${URL}/${id}?agentName=${encodeURIComponent(agentName)}`)
  const { rows } = await app.db.execute(sql`select from agent_secrets where owner_kind = 2 and owner_id = ${id}`)
  expect(rows).toEqual([])
})

test('correction-word files are listed and created for the tenant of the agent', async () => {
  await app.by({ tenant: '丁方' })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '丁方'`)
  const tenantId = rows[0]!.id
  const words = { words: '小志|小智' }
  const WORDS = '/api/v1/agent/words'
  const own = await admin.call('POST', WORDS, { ...words, name: '客户的词', tenantId })
  await admin.call('POST', WORDS, { ...words, name: '平台的词' })
  const { list } = (await admin.call('GET', `${WORDS}/page?tenantId=${tenantId}`)).data
  expect(list.map((row: { id: number }) => row.id)).toEqual([own.data.id])
  const one = await app.by({ tenant: '乙方', permissions: ['agent:agent:list', 'agent:agent:edit'] })
  expect((await one.call('GET', `${WORDS}/page?tenantId=${tenantId}`)).data.total).toBe(0)
  expect((await one.call('POST', WORDS, { ...words, name: '别人的词', tenantId })).code).toBe(400)
})
