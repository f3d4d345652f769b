import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { agents, agentTemplates } from '../schema/agent.ts'
import { encrypt } from '#core/crypto/keys.ts'
import { agentModels, agentSecrets, agentVoices } from '../schema/agent-model.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()

const local = { base_url: 'http://127.0.0.1:8000/v1' }
const newModel = async (type: string, code: string, providerCode: string, config: Record<string, unknown> = local) => {
  const values = { tenantId: 1, type, code, name: code, providerCode, shared: 1, config }
  const [made] = await app.db.insert(agentModels).values(values).returning({ id: agentModels.id })
  return made!.id
}

test('AGENT-07 the list names a model without fallback that is disabled or no longer shared, so that devices cannot talk', async () => {
  const admin = await app.by({ superAdmin: true })
  const [llmId, second] = [await newModel('LLM', 'P_MAIN', 'openai'), await newModel('LLM', 'P_SECOND', 'ollama')]
  const ttsId = await newModel('TTS', 'P_TTS', 'edge')
  await app.by({ tenant: '客户甲' })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '客户甲'`)
  const shared = { agentName: '小问', llmId, ttsId }
  const ids: number[] = []
  for (const [at, tenantId] of [1, rows[0]!.id].entries()) {
    const values = { ...shared, tenantId, agentCode: `AGT_P${at}` }
    const [made] = await app.db.insert(agents).values(values).returning({ id: agents.id })
    ids.push(made!.id)
  }
  const problems = async () => {
    const found = ids.map(async (id) => (await admin.call('GET', `/api/v1/agent/list/${id}`)).data.problem as string)
    return Promise.all(found)
  }
  expect(await problems()).toEqual(['', ''])
  await app.db.execute(sql`update agent_models set shared = 0 where id = ${ttsId}`)
  expect(await problems()).toEqual(['', '语音合成「P_TTS」已不再共享'])
  await app.db.execute(sql`update agent_models set shared = 1 where id = ${ttsId}`)
  await app.db.execute(sql`update agent_models set status = 0 where id = ${llmId}`)
  expect(await problems()).toEqual(Array(2).fill('大语言模型「P_MAIN」已停用'))
  await app.db.execute(sql`update agent_models set fallback_model_id = ${second} where id = ${llmId}`)
  expect(await problems()).toEqual(['', ''])
})

test('AGENT-07 the list names models without a key, including the models of memory, intent and summary', async () => {
  const customer = await app.by({ tenant: '客户丙', permissions: ['agent:agent:list', 'agent:agent:query'] })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '客户丙'`)
  const base_url = 'https://api.deepseek.com'
  const noKey = await newModel('LLM', 'K_NONE', 'openai', { base_url })
  const keyed = await newModel('LLM', 'K_SET', 'openai', { base_url })
  const secret = encrypt(app.services.config.secretKey, 'sk-1')
  const key = { ownerKind: 1, ownerId: keyed, tenantId: 1, field: 'api_key', encrypted: secret, lastFour: '' }
  await app.db.insert(agentSecrets).values(key)
  const memId = await newModel('Memory', 'K_MEM', 'mem_local_short', { llm: 'K_NONE' })
  const values = { tenantId: rows[0]!.id, agentCode: 'AGT_K', agentName: '小钥', llmId: keyed }
  const ttsId = await newModel('TTS', 'K_TTS', 'edge')
  const [agent] = await app.db
    .insert(agents)
    .values({ ...values, ttsId })
    .returning({ id: agents.id })
  const problemWith = async (more: Partial<typeof agents.$inferInsert>) => {
    await app.db.update(agents).set({ agentName: '小钥', ...more })
    return (await customer.call('GET', `/api/v1/agent/list/${agent!.id}`)).data.problem as string
  }
  expect(await problemWith({})).toBe('')
  expect(await problemWith({ memId, slmId: noKey })).toBe('小模型「K_NONE」、记忆方式使用的「K_NONE」未设置密钥')
  expect(await problemWith({ llmId: noKey, memId: null, slmId: null })).toBe('大语言模型「K_NONE」未设置密钥')
})

test('AGENT-07 a new agent of a tenant gets default models in place of template models that the tenant may not use', async () => {
  const permissions = ['agent:agent:list', 'agent:agent:query', 'agent:agent:add']
  const customer = await app.by({ tenant: '客户乙', permissions })
  const [llmId, ttsId] = [await newModel('LLM', 'N_LLM', 'openai'), await newModel('TTS', 'N_TTS', 'edge')]
  const [open, vllmId] = [await newModel('TTS', 'N_OPEN', 'edge'), await newModel('VLLM', 'N_VLLM', 'openai')]
  const voice = { tenantId: 1, modelId: ttsId, name: '温柔', code: 'gentle' }
  const [gentle] = await app.db.insert(agentVoices).values(voice).returning({ id: agentVoices.id })
  const voiceId = gentle!.id
  const names = { tenantId: 1, templateName: '平台模板', llmId, slmId: llmId, ttsId, vllmId, voiceId }
  const [template] = await app.db.insert(agentTemplates).values(names).returning({ id: agentTemplates.id })
  const create = async (agentName: string) => {
    const made = await customer.call('POST', '/api/v1/agent/list', { agentName, templateId: template!.id })
    return (await customer.call('GET', `/api/v1/agent/list/${made.data.id}`)).data
  }
  expect(await create('之前')).toMatchObject({ llmId, ttsId, vllmId, voiceId, problem: '' })
  await app.db.execute(sql`update agent_models set status = 0 where id = ${llmId}`)
  await app.db.execute(sql`update agent_models set shared = 0 where id = ${ttsId}`)
  await app.db.execute(sql`update agent_models set is_default = 0 where type = 'TTS'`)
  await app.db.execute(sql`update agent_models set is_default = 1 where id = ${open}`)
  const after = await create('之后')
  const problem = '大语言模型「智谱AI」、小模型「智谱AI」未设置密钥'
  expect(after).toMatchObject({ ttsId: open, vllmId, voiceId: null, problem })
  expect(after.llmId).not.toBe(llmId)
  const [llm] = await app.db.select().from(agentModels).where(eq(agentModels.id, after.llmId))
  expect(llm).toMatchObject({ type: 'LLM', status: 1, shared: 1 })
})
