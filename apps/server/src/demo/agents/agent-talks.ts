import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { seedDemoAgentUsage } from './agent-usage.ts'
import { DEMO_SPEAKERS, DEMO_CONVERSATIONS } from './agent-words.ts'
import { createTone } from '#demo/tone.ts'

/** Number of turns of the demo. `DAYS`: days over which the turns are spread. */
const TURNS = 2000
const TURNS_OF_SESSION = 4
const DAYS = 28

/**
 * Creates 2,000 turns in 500 titled sessions of the bound devices. The latest user turns of each agent in the last
 * seven days have audio. Must run after `seedDemoAgents`, in the same transaction.
 */
export async function seedDemoAgentTalks(services: Services, db: Db) {
  await addSessions(db)
  await addTurns(db)
  await addSums(db)
  await seedDemoAgentUsage(db)
  const { rows } = await db.execute<{ agentId: number; tenantId: number; n: number }>(
    sql`select agent_id as "agentId", tenant_id as "tenantId", place as n from demo_agents order by place`,
  )
  for (const { agentId, tenantId, n } of rows) await addAudio(services, db, { agentId, tenantId, n })
  await addSpeakers(db)
}

async function addSessions(db: Db) {
  const titles = JSON.stringify(DEMO_CONVERSATIONS.map(([title], place) => ({ title, place })))
  await db.execute(sql`
    create temp table demo_talks on commit drop as
    select s as n, v.agent_id, v.tenant_id, d.id as device_id, s % ${DEMO_CONVERSATIONS.length}::int as talk,
      greatest(d.create_time + interval '1 hour',
        now() - make_interval(mins => (s * ${DAYS}::int * 1440 / ${TURNS / TURNS_OF_SESSION}::int) + 15)) as began
    from generate_series(0, ${TURNS / TURNS_OF_SESSION - 1}::int) s
    join (select v.*, row_number() over (order by v.n) - 1 as place, count(*) over () as devices
      from demo_voice v where v.n % 13 > 0) v on v.place = s % v.devices
    join devices d on d.mac = v.mac and d.deleted_at is null`)
  await db.execute(sql`
    insert into agent_sessions (tenant_id, session_id, device_id, agent_id, version_no, title, first_time, last_time, end_time)
    select t.tenant_id, md5('demo' || n)::uuid::text, device_id, agent_id, 1, w.title, began,
      began + interval '36 seconds', began + interval '2 minutes'
    from demo_talks t join json_to_recordset(${titles}) as w (title text, place int) on w.place = t.talk order by n`)
}

async function addTurns(db: Db) {
  const words = JSON.stringify(
    DEMO_CONVERSATIONS.flatMap(([, ...turns], talk) =>
      turns.map((content, step) => ({
        talk,
        step,
        content,
        kind: step % 2 === 0 ? 1 : 2,
        md5: createHash('md5').update(content).digest('hex'),
        characters: content.length,
      })),
    ),
  )
  await db.execute(sql`
    insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, characters, seconds)
    select s.first_time + make_interval(secs => w.step * 12), s.tenant_id, s.id, s.device_id, s.agent_id, w.kind, w.content, w.md5,
      w.characters, round((w.characters / 4.5)::numeric, 1)
    from demo_talks t join agent_sessions s on s.tenant_id = t.tenant_id and s.session_id = md5('demo' || t.n)::uuid::text
    join json_to_recordset(${words}) as w (talk int, step int, kind int, content text, md5 text, characters int) on w.talk = t.talk
    order by 1`)
}

/** Stores the sums of each session and the last session of each device. */
async function addSums(db: Db) {
  await db.execute(sql`
    update agent_sessions s set turns = t.n, characters = t.characters, seconds = t.seconds from (
      select session_row_id, count(*) filter (where kind = 1)::int as n, sum(characters)::int as characters, sum(seconds) as seconds
      from agent_turns group by 1) t where t.session_row_id = s.id`)
  await db.execute(sql`
    update agent_devices d set turn_time = s.last, session_time = s.first, close_time = s.ended from (
      select distinct on (device_id) device_id, last_time as last, first_time as first, end_time as ended
      from agent_sessions order by device_id, last_time desc) s where s.device_id = d.device_id`)
}

/** Stores one recording per agent, which its latest user turns share. */
async function addAudio(
  services: Services,
  db: Db,
  { agentId, tenantId, n }: { agentId: number; tenantId: number; n: number },
) {
  const { sha256, sha1, md5, size } = await putBytes(services.files, createTone(1.5, 220 + 110 * n))
  await db.execute(sql`
    with chosen as (
      select report_time, id from agent_turns where agent_id = ${agentId} and kind = 1
        and report_time > now() - interval '7 days' order by report_time desc limit 60),
    stored as (
      insert into files (id, tenant_id, purpose, name, mime, size, md5, sha1, sha256, create_time, used_time)
      select md5(${randomBytes(8).toString('hex')}::text || id), ${tenantId}::int, 'agentTurn', 'turn-' || id || '.wav', 'audio/wav', ${size}::bigint,
        ${md5}, ${sha1}, ${sha256}, report_time, report_time from chosen returning id, name)
    update agent_turns t set audio_id = stored.id from stored
    where stored.name = 'turn-' || t.id || '.wav' and t.agent_id = ${agentId}`)
}

/** Creates the voiceprints of the second agent, and stores the names of its speakers with some of its turns. */
async function addSpeakers(db: Db) {
  const speakers = JSON.stringify(DEMO_SPEAKERS.map(([name, introduction], place) => ({ name, introduction, place })))
  await db.execute(sql`
    with chosen as (
      select t.id, t.audio_id, t.report_time, t.tenant_id, t.agent_id,
        row_number() over (order by t.report_time desc) - 1 as place
      from agent_turns t join demo_agents a on a.agent_id = t.agent_id and a.place = 1
      where t.kind = 1 and t.audio_id <> '')
    insert into agent_voiceprints (tenant_id, agent_id, name, introduction, turn_id, audio_id, create_time, update_time)
    select c.tenant_id, c.agent_id, s.name, s.introduction, c.id, c.audio_id, now() - interval '2 hours', now() - interval '2 hours'
    from chosen c join json_to_recordset(${speakers}) as s (name text, introduction text, place int) on s.place = c.place
    order by s.place`)
  await db.execute(sql`
    update agent_turns t set speaker = (array(select name from agent_voiceprints p where p.agent_id = t.agent_id order by p.id))[
      (1 + t.session_row_id % ${DEMO_SPEAKERS.length}::int)::int]
    from demo_agents a where a.agent_id = t.agent_id and a.place = 1 and t.kind = 1 and t.session_row_id % 5 < 3`)
}
