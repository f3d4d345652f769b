import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'

/** Queue of the jobs that erase the rest of a long history. */
const ERASE_QUEUE = 'agent-erase'
/** Rows of one statement. The first statements run inside the request, so they must stay far below its time limit. */
const BATCH = 5000

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
