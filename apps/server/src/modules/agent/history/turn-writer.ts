import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import type { Pool } from 'pg'
import { deriveKey } from '#core/crypto/keys.ts'
import { createHmacFunction } from '#core/crypto/one-shot-hmac.ts'
import { BatchQueue } from '#core/database/statements/batch-queue.ts'
import { runTransaction } from '#core/database/transactions.ts'
import { markOnline } from '../devices/voice-connection.ts'
import { formatOpenModelSql } from '../models/open-models.ts'
import type { AgentParameters } from '../parameter-values.ts'
import { estimateTokens } from '../usage/usage-record.ts'
import type { ReportedTurn } from './turn.ts'

const MAX_BATCH_TURNS = 1000
const PAUSE_MS = 20
/**
 * Maximum number of waiting reports. Further reports are refused, because they would time out before they are stored.
 */
const MAX_WAITING = 20_000

/** A recording in the file store. */
export interface TurnAudio {
  /** `files.id`. */
  readonly id: string
  readonly seconds: number
}

export interface TurnReport {
  /** Twelve hex digits. */
  readonly mac: string
  /** Tenant of the secret. */
  readonly serverTenant: number
  readonly sessionId: string
  readonly turn: ReportedTurn
  readonly audio: TurnAudio | undefined
}

/** The device of a report, its agent, and the models and prompt length from which the usage of a turn is calculated. */
export interface ReportTarget {
  readonly deviceId: number
  readonly tenantId: number
  readonly agentId: number
  readonly versionNo: number
  readonly llmId: number | null
  readonly ttsId: number | null
  readonly asrId: number | null
  readonly promptCharacters: number
  /** 0 stores nothing, 1 text, 2 text and audio. Turns are counted in every case. */
  readonly keeps: number
}

interface Found extends Omit<ReportTarget, 'keeps'> {
  readonly mac: string
  readonly conf: number
}

/** Thrown when too many reports wait for the database. */
export class TurnsBusy extends Error {
  override readonly name = 'TurnsBusy'
}

/**
 * Finds the device, the agent and its models. Like `keepOpenModels`, returns the fallback model while agents of the
 * tenant may not use the language model.
 */
const FIND = `select d.mac, d.device_id as "deviceId", d.tenant_id as "tenantId", d.agent_id as "agentId",
    a.version_no as "versionNo", case when m.provider_code = 'nomem' then 0 else a.chat_history_conf end as conf,
    case when ${formatOpenModelSql('l')} then a.llm_id else coalesce(l.fallback_model_id, a.llm_id) end as "llmId",
    a.tts_id as "ttsId", a.asr_id as "asrId",
    char_length(a.system_prompt) as "promptCharacters"
  from agent_devices d join agents a on a.id = d.agent_id and a.deleted_at is null
    left join agent_models m on m.id = a.mem_id
    left join agent_models l on l.id = a.llm_id where d.mac = any($1::varchar[])`

interface Parts {
  readonly pool: Pool
  readonly parameters: AgentParameters
  readonly secretKey: Buffer
}

/** Writes the reports of all voice servers in batches of up to 20 ms or 1,000 turns. One batch runs at a time. */
export class TurnWriter {
  readonly #parts: Parts
  readonly #queue: BatchQueue<TurnReport, boolean>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#queue = new BatchQueue({
      rowsOf: () => 1,
      batchRows: MAX_BATCH_TURNS,
      pauseMs: PAUSE_MS,
      maxRows: MAX_WAITING,
      busy: () => new TurnsBusy('too many reports wait'),
      write: (reports) => this.#write(reports),
    })
  }

  /** Stores a turn. Resolves after the commit; false for a device without an agent. */
  add(report: TurnReport): Promise<boolean> {
    return this.#queue.add(report)
  }

  /** Returns the target of each MAC. */
  async targetsOf(macs: readonly string[]): Promise<Map<string, ReportTarget>> {
    const { pool, parameters } = this.#parts
    const { rows } = await pool.query<Found>({ name: 'agent-report-target', text: FIND, values: [[...new Set(macs)]] })
    const targets = new Map<string, ReportTarget>()
    for (const { mac, conf, ...target } of rows) {
      const params = await parameters.of(target.tenantId)
      targets.set(mac, { ...target, keeps: params.text('history.mode') === '1' ? 0 : conf })
    }
    return targets
  }

  /** Resolves when the turns that were added before the call are written. Later turns are not awaited. */
  written() {
    return this.#queue.written()
  }

  async #write(reports: readonly TurnReport[]): Promise<boolean[]> {
    const targets = await this.targetsOf(reports.map(({ mac }) => mac))
    const rows: TurnRow[] = []
    const accepted = reports.map((report) => {
      const target = targets.get(report.mac)
      const isOwn = target !== undefined && (report.serverTenant === 1 || report.serverTenant === target.tenantId)
      if (isOwn) rows.push({ ...report, target })
      return isOwn
    })
    await storeTurns(this.#parts, rows)
    return accepted
  }
}

/** Characters that a person speaks in a second, for turns without a recording. */
const CHARACTERS_PER_SECOND = 4.5

const { sessions, turns, toolCalls, characters, seconds, tokensIn, tokensOut } = USAGE_UNIT
const COLUMNS = 'day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost'

/**
 * Inserts the usage of new sessions, as a part of a WITH query. `i`: the inserted sessions; `g`: the language model of
 * each session.
 */
const INSERT_SESSION_USAGE_SQL = `insert into agent_usage (${COLUMNS})
  select i.first_time::date, i.tenant_id, i.agent_id, i.device_id, coalesce(g.llm_id, 0), ${USAGE_SOURCE.device}, ${sessions}, 0,
    count(*), 0
  from i join g using (tenant_id, session_id) group by 1, 2, 3, 4, 5`

/**
 * Inserts the usage of new reports, as a part of a WITH query. A turn is the speech of a user together with the whole
 * answer, so reports of sentences, tool calls and results add no turn. `n` has the inserted reports, `g` the models and
 * token counts of the reported turns. The speech of users belongs to the recognition model, the speech of agents to the
 * synthesis model, and the rest to the language model. Tokens are estimated, because each answer sends the prompt and
 * the conversation again. Prompt and conversation count one token per character, and the new turn counts the tokens of
 * `estimateTokens`. Tokens of relayed models are not estimated, because the relay counts them exactly.
 */
const INSERT_TURN_USAGE_SQL = `insert into agent_usage (${COLUMNS})
  select n.report_time::date, n.tenant_id, n.agent_id, n.device_id, coalesce(x.model_id, 0), ${USAGE_SOURCE.device}, x.unit,
    x.is_estimate, sum(x.n), sum(x.cost)
  from n join g using (session_row_id, kind, report_time, content_md5)
    join agent_sessions s on s.id = n.session_row_id
    left join agent_models l on l.id = g.llm_id
    left join agent_models t on t.id = g.tts_id
    left join agent_models r on r.id = g.asr_id
    cross join lateral (select
      case when n.seconds > 0 then n.seconds else round(n.characters / ${CHARACTERS_PER_SECOND}, 1) end as seconds,
      case when n.seconds > 0 then 0 else 1 end as no_audio,
      (g.prompt_characters + s.characters + g.tokens)::numeric as sent, coalesce(l.relay, 0) = 0 as unknown) e
    cross join lateral (values
      (${turns}, g.llm_id, 0, 1, 0.0, n.kind = 1),
      (${toolCalls}, g.llm_id, 0, 1, 0, g.is_tool_call),
      (${characters}, g.tts_id, 0, n.characters, n.characters * coalesce(t.price_out, 0) / 10000.0, n.kind = 2),
      (${seconds}, g.asr_id, e.no_audio, e.seconds, round(e.seconds * coalesce(r.price_in, 0) / 3600, 6), n.kind = 1),
      (${seconds}, g.tts_id, e.no_audio, e.seconds, 0, n.kind = 2),
      (${tokensIn}, g.llm_id, 1, e.sent, e.sent * coalesce(l.price_in, 0) / 1000000, n.kind = 1 and e.unknown),
      (${tokensOut}, g.llm_id, 1, g.tokens, g.tokens::numeric * coalesce(l.price_out, 0) / 1000000, n.kind = 2 and e.unknown)
    ) as x (unit, model_id, is_estimate, n, cost, is_counted)
  where x.is_counted and x.n > 0 group by 1, 2, 3, 4, 5, x.unit, x.is_estimate`

/** A report of a known device. */
interface TurnRow extends TurnReport {
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

interface SessionRow {
  readonly id: string
  readonly tenantId: number
  readonly sessionId: string
  readonly deviceId: number
}

const keyOf = (tenantId: number, sessionId: string, deviceId: number) => `${tenantId} ${deviceId} ${sessionId}`
const targetKey = ({ target, sessionId }: TurnRow) => keyOf(target.tenantId, sessionId, target.deviceId)

/** Stores turns, counts them in their sessions, and marks their devices as talking. A repeated turn changes nothing. */
async function storeTurns({ pool, secretKey }: Pick<Parts, 'pool' | 'secretKey'>, rows: readonly TurnRow[]) {
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
