import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { agents } from '#schema/agent/agent.ts'
import { agentModels } from '#schema/agent/agent-model.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()

const newModel = async (type: string, code: string, providerCode: string) => {
  const values = { tenantId: 1, type, code, name: code, providerCode, shared: 1 }
  const [made] = await app.db.insert(agentModels).values(values).returning({ id: agentModels.id })
  return made!.id
}

test('AGENT-07 the list names the model for which devices cannot talk: disabled or no longer shared, without a fallback', async () => {
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
