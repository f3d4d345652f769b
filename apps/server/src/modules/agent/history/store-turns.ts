import type { Pool } from 'pg'
import { deriveKey } from '#core/crypto/keys.ts'
import { createHmacFunction } from '#core/crypto/one-shot-hmac.ts'
import { runTransaction } from '#core/database/transactions.ts'
import { estimateTokens } from '../llm/token-figures.ts'
import { markOnline } from '../devices/mark-online.ts'
import { INSERT_SESSION_USAGE_SQL, INSERT_TURN_USAGE_SQL } from '../usage/turn-usage.ts'
import type { TurnReport, ReportTarget } from './turn-writer.ts'

/** A report of a known device. */
export interface TurnRow extends TurnReport {
  readonly target: ReportTarget
}

const SESSION_TRIES = 3
const TALKING_SECONDS = 10
const DIGEST_CHARACTERS = 32
const KEEPS_TEXT = 1
const KEEPS_AUDIO = 2

/**
 * Inserts missing sessions and their use, and returns the row id of each session. A session belongs to the device that
 * reported it first.
 */
const SESSIONS = `with g as (select * from unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::int[], $6::float8[], $7::int[])
    as u (tenant_id, session_id, device_id, agent_id, version_no, at, llm_id)),
  i as (insert into agent_sessions (tenant_id, session_id, device_id, agent_id, version_no, first_time, last_time)
    select tenant_id, session_id, device_id, agent_id, version_no, to_timestamp(at / 1000), to_timestamp(at / 1000)
    from g order by tenant_id, session_id on conflict (tenant_id, session_id) do nothing
    returning *),
  c as (${INSERT_SESSION_USAGE_SQL})
  select id, tenant_id as "tenantId", session_id as "sessionId", device_id as "deviceId" from i
  union all select s.id, s.tenant_id, s.session_id, s.device_id from agent_sessions s join g using (tenant_id, session_id)`

/**
 * Inserts turns that are not stored yet. Adds them to the counters of their sessions and to the usage. Locks rows in
 * the order of ids. When the time of a turn is only its arrival, the same text in the session within two days is the
 * same turn.
 */
const TURNS = `with g as materialized (select distinct on (session_row_id, kind, reported, content_md5) * from (
      select *, to_timestamp(at / 1000)::timestamptz(3) as report_time,
        case when clock_wrong then null else to_timestamp(at / 1000)::timestamptz(3) end as reported
      from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::text[], $7::text[], $8::int[], $9::text[],
          $10::text[], $11::float8[], $12::float8[], $13::int[], $14::int[], $15::int[], $16::int[], $17::int[], $18::boolean[], $19::boolean[])
        with ordinality as u (session_row_id, tenant_id, device_id, agent_id, kind, content, content_md5, characters, speaker,
          audio_id, seconds, at, llm_id, tts_id, asr_id, prompt_characters, tokens, clock_wrong, is_tool_call, place)) u
    order by session_row_id, kind, reported, content_md5, place),
  n as (insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5,
      characters, speaker, audio_id, seconds)
    select report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, characters,
      speaker, audio_id, seconds from g
    where not clock_wrong or not exists (select from agent_turns t where t.session_row_id = g.session_row_id
      and t.kind = g.kind and t.content_md5 = g.content_md5 and t.report_time > now() - interval '2 days')
    on conflict (session_row_id, kind, report_time, content_md5) do nothing
    returning *),
  c as (select session_row_id as id, count(*) filter (where kind = 1) as turns, sum(characters) as characters, sum(seconds) as seconds,
      min(report_time) as first, max(report_time) as last from n group by 1),
  held as materialized (select id from agent_sessions where id in (select id from c) order by id for no key update),
  s as (update agent_sessions x set turns = x.turns + c.turns, characters = x.characters + c.characters,
      seconds = x.seconds + c.seconds, first_time = least(x.first_time, c.first), last_time = greatest(x.last_time, c.last),
      end_time = null
    from held join c using (id) where x.id = held.id),
  u as (${INSERT_TURN_USAGE_SQL}),
  f as (update files set used_time = now() where id in (select audio_id from n where audio_id <> ''))
  select count(*)::int as n from n`

/**
 * Locks all sessions of a batch before turns whose time is their arrival are inserted. No unique index recognises their
 * repetition at another process at the same moment. The statement after the lock reads the turns of that process.
 */
const LOCK_SESSIONS = `select id from agent_sessions where id = any($1::bigint[]) order by id for no key update`

/**
 * Stores the time of the last turn and the current session of devices. Further turns of a conversation within ten
 * seconds change nothing. The time is indexed, so each change would add an entry to every index of the table.
 */
const DEVICES = `with u as materialized (select * from unnest($1::int[], $2::text[]) as u (id, session_id)),
    held as materialized (select a.device_id from agent_devices a join u on u.id = a.device_id
      where a.session_id <> u.session_id or coalesce(a.turn_time, '-infinity')
        <= greatest(now() - make_interval(secs => ${TALKING_SECONDS}), a.session_time, a.close_time)
      order by a.device_id for no key update of a)
  update agent_devices d set turn_time = now(), session_id = u.session_id
  from held join u on u.id = held.device_id where d.device_id = held.device_id`

interface Parts {
  readonly pool: Pool
  readonly secretKey: Buffer
}

interface SessionRow {
  readonly id: string
  readonly tenantId: number
  readonly sessionId: string
  readonly deviceId: number
}

const keyOf = (tenantId: number, sessionId: string, deviceId: number) => `${tenantId} ${deviceId} ${sessionId}`
const targetKey = ({ target, sessionId }: TurnRow) => keyOf(target.tenantId, sessionId, target.deviceId)

/** Stores turns, counts them in their sessions, and marks their devices as talking. A repeated turn changes nothing. */
export async function storeTurns({ pool, secretKey }: Parts, rows: readonly TurnRow[]) {
  if (rows.length === 0) return
  const sessions = await sessionsOf(pool, rows)
  const stored = rows.filter((row) => sessions.has(targetKey(row)))
  const sessionIds = stored.map((row) => sessions.get(targetKey(row))!)
  const insertion = buildInsertion(secretKey, stored, sessionIds)
  const written = stored.some(({ turn }) => turn.isClockWrong)
    ? runTransaction(pool, async (client) => {
        await client.query(LOCK_SESSIONS, [sessionIds])
        await client.query(insertion)
      })
    : pool.query(insertion)
  // The marks do not depend on the turns, so both statements run at the same time.
  const results = await Promise.allSettled([written, markTalking(pool, stored)])
  for (const each of results) if (each.status === 'rejected') throw each.reason
}

/** Returns the statement `TURNS` with its values. `sessionIds` are the ids of the sessions of the rows. */
function buildInsertion(secretKey: Buffer, rows: readonly TurnRow[], sessionIds: readonly string[]) {
  const digest = createHmacFunction(deriveKey(secretKey, 'agent turn'))
  const column = <T>(read: (row: TurnRow) => T) => rows.map(read)
  return {
    name: 'agent-turns',
    text: TURNS,
    values: [
      sessionIds,
      column(({ target }) => target.tenantId),
      column(({ target }) => target.deviceId),
      column(({ target }) => target.agentId),
      column(({ turn }) => turn.kind),
      column(({ turn, target }) => (target.keeps >= KEEPS_TEXT ? turn.content : '')),
      // A keyed hash, because a plain hash of a short text could be reversed by trying texts.
      column(({ turn }) => digest(Buffer.from(turn.raw)).toString('hex').slice(0, DIGEST_CHARACTERS)),
      column(({ turn }) => turn.characters),
      column(({ turn, target }) => (target.keeps >= KEEPS_TEXT ? turn.speaker : '')),
      column(({ audio, target }) => (target.keeps >= KEEPS_AUDIO ? (audio?.id ?? '') : '')),
      column(({ audio }) => audio?.seconds ?? 0),
      column(({ turn }) => turn.time),
      column(({ target }) => target.llmId),
      column(({ target }) => target.ttsId),
      column(({ target }) => target.asrId),
      column(({ target }) => target.promptCharacters),
      column(({ turn }) => estimateTokens(turn.content)),
      column(({ turn }) => turn.isClockWrong),
      column(({ turn }) => turn.isToolCall),
    ],
  }
}

/** Marks the devices of the turns as talking and online. */
async function markTalking(pool: Pool, rows: readonly TurnRow[]) {
  const latest = new Map(rows.map(({ target, sessionId }) => [target.deviceId, sessionId]))
  const values = [[...latest.keys()], [...latest.values()]]
  await Promise.all([
    pool.query({ name: 'agent-talking', text: DEVICES, values }),
    markOnline(pool, [...latest.keys()]),
  ])
}

/** Returns the id of the row of each session by key. Sessions of another device are left out. */
async function sessionsOf(pool: Pool, rows: readonly TurnRow[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  let missing = [...new Map(rows.map((row) => [`${row.target.tenantId} ${row.sessionId}`, row])).values()]
  // A session that another process inserts at the same moment is visible only to the next statement.
  for (let tries = 0; tries < SESSION_TRIES && missing.length > 0; tries += 1) {
    const { rows: found } = await pool.query<SessionRow>({
      name: 'agent-sessions',
      text: SESSIONS,
      values: [
        missing.map(({ target }) => target.tenantId),
        missing.map(({ sessionId }) => sessionId),
        missing.map(({ target }) => target.deviceId),
        missing.map(({ target }) => target.agentId),
        missing.map(({ target }) => target.versionNo),
        missing.map(({ turn }) => turn.time),
        missing.map(({ target }) => target.llmId),
      ],
    })
    for (const { id, tenantId, sessionId, deviceId } of found) ids.set(keyOf(tenantId, sessionId, deviceId), id)
    const known = new Set(found.map(({ tenantId, sessionId }) => `${tenantId} ${sessionId}`))
    missing = missing.filter(({ target, sessionId }) => !known.has(`${target.tenantId} ${sessionId}`))
  }
  return ids
}
