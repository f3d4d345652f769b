import { asc, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { agentTemplates } from '#modules/agent/schema/agent.ts'
import { agentModels, agentVoices } from '#modules/agent/schema/agent-model.ts'
import { useApp } from '#test/harness.ts'
import { syncAgentRows } from './seed-agents.ts'

const app = useApp()

test('a second start changes no shipped agent data, and deleted shipped rows stay deleted', async () => {
  await app.db
    .update(agentModels)
    .set({ deletedAt: '2026-01-01 00:00:00', isDefault: 0 })
    .where(eq(agentModels.code, 'ASR_VoskASR'))
  await syncAgentRows(app.db)
  expect(await app.db.select().from(agentModels)).toHaveLength(64)
  expect(await app.db.select().from(agentVoices)).toHaveLength(27)
  const templates = await app.db.select().from(agentTemplates).orderBy(asc(agentTemplates.sort))
  expect(templates.map(({ templateName }) => templateName)).toEqual([
    '湾湾小何',
    '星际游子',
    '英语老师',
    '好奇男孩',
    '汪汪队长',
  ])
  expect(templates.every(({ voiceId, ttsId, llmId }) => voiceId && ttsId && llmId)).toBe(true)
})
