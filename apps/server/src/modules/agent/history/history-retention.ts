import { sql } from 'drizzle-orm'
import type { Pool, QueryResult } from 'pg'
import type { Db } from '#core/database/client.ts'
import { ensureMonthPartitions } from '#core/database/month-partitions.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'

const JOB = 'agent-retention'
const BATCH = 5000
const MAX_BATCHES = 2000

const OLD_TURNS = `delete from agent_turns where (report_time, id) in (
  select report_time, id from agent_turns where tenant_id = $1 and report_time < now() - make_interval(days => $2) limit ${BATCH})`
/** Deletes sessions whose last turn is older than the retention. */
const OLD_SESSIONS = `delete from agent_sessions where id in (
  select id from agent_sessions where tenant_id = $1 and last_time < now() - make_interval(days => $2) limit ${BATCH})`
/**
 * Removes recordings from turns, except those of enrolled voiceprints. The job `file-sweep` deletes the stored bytes.
 */
const OLD_AUDIO = `with t as (update agent_turns x set audio_id = '' from agent_turns o where (x.report_time, x.id) = (o.report_time, o.id)
    and (o.report_time, o.id) in (select report_time, id from agent_turns
      where tenant_id = $1 and audio_id <> '' and report_time < now() - make_interval(days => $2) limit ${BATCH})
    returning o.audio_id)
  delete from files f using t where f.id = t.audio_id
    and not exists (select from agent_voiceprints p where p.audio_id = f.id)`

/** Deletes told and untold reminders whose time is older than the retention. */
const OLD_REMINDERS = `delete from agent_reminders where id in (
  select id from agent_reminders where tenant_id = $1 and remind_time < now() - make_interval(days => $2) limit ${BATCH})`

/** Statements with the tenant and the days as parameters. A test checks that each reads an index of its table. */
export const RETENTION_STATEMENTS = {
  turns: OLD_TURNS,
  sessions: OLD_SESSIONS,
  audio: OLD_AUDIO,
  reminders: OLD_REMINDERS,
}

/** Registers the nightly deletion of old conversations, by the parameters of each tenant. */
export function registerHistoryRetention(services: Services) {
  const options = { title: '对话记录保留期处理', cron: '0 55 3 * * *', timeLimitSeconds: 55 * 60 }
  services.jobs.schedule(JOB, (_job, _progress, signal) => deleteOldHistory(services, signal), options)
}

/**
 * Deletes turns, sessions, recordings and reminders that are older than the parameters of their tenant allow. Creates
 * the partitions of the next months. A failure of one tenant does not stop the others.
 */
export async function deleteOldHistory(services: Services, signal?: AbortSignal) {
  const { database, log } = services
  const partitions = () => ensureMonthPartitions(database.pool, 'agent_turns')
  const failedSteps = await runSteps({ log, signal, kind: JOB }, { partitions })
  const { rows } = await database.pool.query<Tenant>('select id from tenants')
  const isolation = { log, signal, kind: JOB, name: ({ id }: Tenant) => ({ tenantId: id }) }
  let deleted = 0
  const { failed } = await forEachIsolated(rows, isolation, async ({ id }) => {
    deleted += await deleteOldOf(services, id, signal)
  })
  return { deleted, failedItems: failedSteps + failed.length }
}

interface Tenant {
  readonly id: number
}

async function deleteOldOf({ database: { pool }, agentParameters }: Services, id: number, signal?: AbortSignal) {
  const params = await agentParameters.of(id)
  const [days, audioDays] = [params.number('history.days'), params.number('history.audio_days')]
  let deleted = 0
  for (const [text, after] of [
    [OLD_AUDIO, Math.min(days, audioDays)],
    [OLD_TURNS, days],
    [OLD_SESSIONS, days],
    [OLD_REMINDERS, days],
  ] as const)
    for (let n = 0; n < MAX_BATCHES; n += 1) {
      signal?.throwIfAborted()
      const { rowCount } = await pool.query(text, [id, after])
      deleted += rowCount ?? 0
      if ((rowCount ?? 0) === 0) break
    }
  return deleted + (await sweepRecordings(pool, id, signal))
}

/** Queue of the jobs that erase the rest of a long history. */
const ERASE_QUEUE = 'agent-erase'

interface Erasure {
  readonly agentId: number
  /** Highest `agent_turns.id` and `agent_sessions.id` to erase. Later conversations stay. */
  readonly lastTurn: number
  readonly lastSession: number
}

/**
 * Deletes turns and their recordings in the order of the index `agent_turns_agent`. Recordings of enrolled voiceprints
 * stay.
 */
export const deleteTurns = ({ agentId, lastTurn }: Erasure) => sql`
  with t as (delete from agent_turns where (report_time, id) in (select report_time, id from agent_turns
      where agent_id = ${agentId} and id <= ${lastTurn} order by kind desc, report_time desc limit ${BATCH}) returning audio_id),
    f as (delete from files f using t where t.audio_id <> '' and f.id = t.audio_id and not exists (select from agent_voiceprints p where p.audio_id = f.id))
  select count(*)::int as n from t`

/** Clears titles, which summarise the conversations. Deletes pending tasks, which would write new titles. */
const clearTitles = ({ agentId, lastSession }: Erasure) => sql`
  with s as (update agent_sessions set title = '' where id in (select id from agent_sessions
      where agent_id = ${agentId} and id <= ${lastSession} and title <> '' limit ${BATCH}) returning id)
  select count(*)::int as n from s`
const deleteTasks = ({ agentId, lastSession }: Erasure) => sql`
  with w as (delete from agent_after where id in (select w.id from agent_after w join agent_sessions s on s.id = w.session_row_id
      where s.agent_id = ${agentId} and s.id <= ${lastSession} limit ${BATCH}) returning id)
  select count(*)::int as n from w`

/** Erases one batch of each kind of rows. Returns true when no rows are left. */
async function eraseBatch(db: Db, erasure: Erasure): Promise<boolean> {
  let isDone = true
  for (const statement of [deleteTasks, deleteTurns, clearTitles]) {
    const { rows } = await db.execute<{ n: number }>(statement(erasure))
    if ((rows[0]?.n ?? 0) === BATCH) isDone = false
  }
  return isDone
}

/**
 * Erases the turns, recordings and titles of an agent up to now. A job erases the rest of a long history, so that the
 * request stays within the time limit of its statements.
 */
export async function eraseTurnsOfAgent(db: Db, { jobs }: Pick<Services, 'jobs'>, agentId: number) {
  // The next ids are the boundary, because the highest id of an agent has no index.
  const { rows } = await db.execute<{ turn: string; session: string }>(sql`select
    nextval(pg_get_serial_sequence('agent_turns', 'id')) as turn,
    nextval(pg_get_serial_sequence('agent_sessions', 'id')) as session`)
  const erasure = { agentId, lastTurn: Number(rows[0]!.turn), lastSession: Number(rows[0]!.session) }
  if (!(await eraseBatch(db, erasure))) await jobs.sendMessage(db, ERASE_QUEUE, erasure)
}

/** Registers the job that erases the rest of a long history. A repeated run goes on after the last batch. */
export function registerErasure(services: Services) {
  const options = { title: '清除对话记录', timeLimitSeconds: 55 * 60, retries: 5, retryDelaySeconds: 10 }
  services.jobs.registerMessages(
    ERASE_QUEUE,
    async ({ payload }, _progress, signal) => {
      while (!(await eraseBatch(services.database.db, payload as Erasure))) signal.throwIfAborted()
    },
    options,
  )
}

/**
 * Recordings of turns that neither a turn nor an enrolled voiceprint uses. `f` is the row of `files`. The condition
 * `audio_id <> ''` lets PostgreSQL use the partial index `agent_turns_audio`.
 */
const IS_UNUSED = `f.purpose = 'agentTurn'
  and not exists (select from agent_turns t where t.audio_id = f.id and t.audio_id <> '')
  and not exists (select from agent_voiceprints p where p.audio_id = f.id)`

/** Deletes a recording unless a turn or a voiceprint still uses it. The job `file-sweep` deletes the stored bytes. */
export const deleteUnusedRecording = (db: Db, audioId: string) =>
  db.execute(sql`delete from files f where f.id = ${audioId} and ${sql.raw(IS_UNUSED)}`)

/**
 * Deletes the unused recordings in one page of the files of a tenant. Recordings of the last day stay, because their
 * turns may come later.
 */
export const DELETE_UNUSED_RECORDINGS = `with page as materialized (select id from files where tenant_id = $1 and id > $2 order by id limit ${BATCH}),
  gone as (delete from files f using page where f.id = page.id and f.create_time < now() - interval '1 day' and ${IS_UNUSED}
    returning f.id)
  select (select max(id) from page) as last, (select count(*)::int from gone) as n`

interface Swept {
  /** Last id of the page; null after the last page. */
  readonly last: string | null
  readonly n: number
}

/** Deletes the unused recordings of a tenant. Returns their number. */
async function sweepRecordings(pool: Pool, tenantId: number, signal?: AbortSignal): Promise<number> {
  let deleted = 0
  for (let last: string | null = ''; last !== null; ) {
    signal?.throwIfAborted()
    const { rows }: QueryResult<Swept> = await pool.query(DELETE_UNUSED_RECORDINGS, [tenantId, last])
    last = rows[0]?.last ?? null
    deleted += rows[0]?.n ?? 0
  }
  return deleted
}
