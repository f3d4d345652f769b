import { ensureMonthPartitions } from '#core/database/month-partitions.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sweepRecordings } from './recordings.ts'

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
