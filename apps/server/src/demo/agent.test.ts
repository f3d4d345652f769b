import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createCliActor } from '#core/auth/system-actor.ts'
import { useApp } from '#test/harness.ts'
import { MODEL_PRICES } from './demo-model.ts'
import { seedDemoAgents } from './agent.ts'

const app = useApp()
/**
 * Maximum milliseconds to fill the agents of the demo, because the first start of a new installation waits for them.
 */
const LIMIT_MS = 10_000

test('the demo has three agents, forty devices on three boards and 2,000 turns', { timeout: 120_000 }, async () => {
  for (const tenant of ['甲', '乙']) await app.by({ tenant })
  const { services, db } = app
  const begun = performance.now()
  await db.transaction((tx) => seedDemoAgents({ services, db: tx, actor: createCliActor() }))
  expect(performance.now() - begun).toBeLessThan(LIMIT_MS)
  const { rows } = await db.execute(sql`select
    (select count(*)::int from agents) as agents, (select count(distinct tenant_id)::int from agents) as tenants,
    (select count(*)::int from agent_devices) as devices, (select count(distinct board)::int from agent_devices) as boards,
    (select count(*)::int from agent_devices where boot_time is null) as silent,
    (select count(*)::int from agent_sessions where title <> '') as sessions,
    (select count(*)::int from agent_turns) as turns, (select sum(turns)::int from agent_sessions) as summed,
    (select count(*)::int from agent_turns_other) as misplaced,
    (select count(*)::int from agent_devices where memory <> '') as memories,
    (select count(*)::int from agent_contacts) as contacts, (select count(*)::int from agent_voiceprints) as voiceprints`)
  expect(rows[0]).toMatchObject({ agents: 3, tenants: 3, devices: 40, boards: 3, silent: 3, sessions: 500 })
  expect(rows[0]).toMatchObject({ turns: 2000, summed: 1000, misplaced: 0, memories: 21, contacts: 24, voiceprints: 3 })
  const { rows: audio } = await db.execute<{ sha256: string; n: number }>(sql`
    select f.sha256, count(*)::int as n from agent_turns t join files f on f.id = t.audio_id group by 1`)
  expect(audio).toHaveLength(3)
  const { rows: clones } = await db.execute(sql`
    select c.state, f.purpose, c.error <> '' as failed from agent_voice_clones c join files f on f.id = c.file_id order by c.id`)
  expect(clones).toEqual([
    { state: 2, purpose: 'agentAudio', failed: false },
    { state: 3, purpose: 'agentAudio', failed: true },
  ])
  const { rows: costs } = await db.execute<{ code: string }>(sql`
    select distinct m.code from agent_usage u join agent_models m on m.id = u.model_id where u.cost > 0 order by 1`)
  expect(costs.map(({ code }) => code)).toEqual(Object.keys(MODEL_PRICES).toSorted())
  for (const { sha256 } of audio) expect(await services.files.stat(sha256)).not.toBeNull()
})
