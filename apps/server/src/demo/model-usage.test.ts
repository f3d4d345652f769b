import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createCliActor } from '#core/auth/system-actor.ts'
import { useApp } from '#test/harness.ts'
import { seedDemoAgents } from './agent.ts'
import { registerDemoModel } from './demo-model.ts'

const app = useApp()

test('the recorded demo usage refers to the models that the demo agents use', { timeout: 120_000 }, async () => {
  for (const tenant of ['甲', '乙']) await app.by({ tenant })
  const { services, db } = app
  await db.transaction((tx) => seedDemoAgents({ services, db: tx, actor: createCliActor() }))
  await registerDemoModel(services, 1)
  const { rows } = await db.execute<{ used: boolean; n: number }>(sql`
    select u.model_id = a.llm_id as used, count(*)::int as n from agent_usage u join agents a on a.id = u.agent_id
      join agent_models m on m.id = u.model_id where m.type = 'LLM' group by 1`)
  expect(rows).toEqual([{ used: true, n: expect.any(Number) }])
})
