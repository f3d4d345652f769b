import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { eraseTurnsOfAgent, registerErasure } from './history-retention.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()
const AGENT = 7

test('AGENT-09 erasing more than one batch of turns removes words, titles and recordings, and keeps later turns', async () => {
  registerErasure(app.services)
  await app.db.execute(sql`with s as (insert into agent_sessions (tenant_id, session_id, device_id, agent_id, title)
      select 1, 'erase-' || n, 1, ${AGENT}::int, '问候' from generate_series(1, 6000) n returning id),
    f as (insert into files (id, tenant_id, purpose, name, size, md5, sha1, sha256, used_time)
      select md5('erase-' || id), 1, 'agentTurn', 'turn.wav', 1, '', '', '', now() from s)
    insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, audio_id)
      select now(), 1, id, 1, ${AGENT}::int, 1, '你好', md5(id::text), md5('erase-' || id) from s`)
  await app.db.execute(sql`insert into agent_voiceprints (tenant_id, agent_id, name, audio_id)
    select 1, ${AGENT}::int, '妈妈', md5('erase-' || min(id)) from agent_sessions where agent_id = ${AGENT}`)
  await app.db.transaction((db) => eraseTurnsOfAgent(db, app.services, AGENT))
  await app.db.execute(sql`insert into agent_turns
    (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5)
    values (now(), 1, 1, 1, ${AGENT}, 1, '之后', md5('later'))`)
  await app.services.jobs.drain()
  const { rows } = await app.db.execute(sql`select
    (select string_agg(content, '') from agent_turns where agent_id = ${AGENT}) as turns,
    (select count(*)::int from agent_sessions where agent_id = ${AGENT} and title <> '') as titles,
    (select count(*)::int from files where purpose = 'agentTurn') as files`)
  expect(rows).toEqual([{ turns: '之后', titles: 0, files: 1 }])
})
