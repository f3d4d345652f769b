import { sql } from 'drizzle-orm'
import type { Db as QueueDb, PgBoss, Queue, ScheduleOptions } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Db } from '#core/database/client.ts'
import { QUEUE_SCHEMA } from '#core/database/migrate.ts'
import type { Events } from '#core/events/events.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { NewJob, RegisteredKind, Job } from './types.ts'

/** Scheduled jobs start at most this long after their time, plus one second for the forwarding worker. */
const CRON_SECONDS = 2
/** A NOTIFY wakes the workers; polling only covers lost notifications. */
const POLL_SECONDS = 15
/** A running job whose process is silent for this long is run again by another process. */
const HEARTBEAT_SECONDS = 30
/**
 * Seconds by which the library's time limit exceeds the job's own limit. The library's limit ends jobs whose process
 * can no longer enforce the own limit.
 */
const TIME_LIMIT_SLACK_SECONDS = 60
const RETENTION_SECONDS = 24 * 60 * 60

export interface QueueParts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly timeZone: string
}

/** Loads the queue library on first use, so that commands and the start of the server do not wait for it. */
export async function createBoss({ database, events, log }: QueueParts): Promise<PgBoss> {
  const { PgBoss: Boss } = await import('pg-boss')
  const boss = new Boss({
    db: queueDb(database, events),
    schema: QUEUE_SCHEMA,
    createSchema: false,
    useListenNotify: true,
    cronMonitorIntervalSeconds: CRON_SECONDS,
    cronWorkerIntervalSeconds: 1,
    superviseIntervalSeconds: HEARTBEAT_SECONDS / 2,
    monitorIntervalSeconds: HEARTBEAT_SECONDS / 2,
    registerInstance: false,
    // Both monitors need administrator rights or views and are useless for this small queue.
    monitorVacuum: false,
    reindex: false,
    openTelemetry: { enabled: false },
  })
  boss.on('error', (error) => log.warn({ err: error }, 'job queue'))
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  return boss
}

/** Runs the library's statements on the shared pool and its LISTEN on the connection of `Events`. */
function queueDb({ pool }: Database, events: Events): QueueDb {
  return {
    async executeSql(text, values) {
      if (!/^\s*begin/i.test(text)) return pool.query(text, values)
      const client = await pool.connect()
      try {
        const result = await client.query(text, values)
        client.release()
        return result as never
      } catch (error) {
        // A failed script leaves its transaction open: the connection cannot be used again.
        client.release(true)
        throw error
      }
    },
    async listen(channel, onNotification, onReconnect) {
      const stop = await events.listen(channel, onNotification)
      const stopReconnect = events.onReconnect(onReconnect)
      return {
        async close() {
          stop()
          stopReconnect()
        },
      }
    },
  }
}

/** Runs statements on the queue inside the caller's transaction, as the owner of the queue's tables. */
export async function withQueueDatabase<T>(db: Db, work: (queueDb: QueueDb) => Promise<T>): Promise<T> {
  const { fromDrizzle } = await import('pg-boss')
  const { rows } = await db.execute<{ role: string }>(sql`select current_setting('role') as role`)
  const role = rows[0]?.role ?? 'none'
  // Accounts of a tenant run as a role that row-level security binds; the role has no rights on the queue.
  if (role !== 'none') await db.execute(sql`set local role none`)
  const result = await work(fromDrizzle(db as never, sql as never))
  if (role !== 'none') await db.execute(sql.raw(`set local role ${role}`))
  return result
}

export function buildQueueOptions(registered: RegisteredKind): Omit<Queue, 'name'> {
  const { cron, timeLimitSeconds, retries, retryDelaySeconds, maxRetryDelaySeconds } = registered
  return {
    // Runs of one scheduled job never overlap, and missed runs do not accumulate.
    policy: cron.length > 0 ? 'exclusive' : 'standard',
    notify: true,
    expireInSeconds: timeLimitSeconds + TIME_LIMIT_SLACK_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retryLimit: retries,
    retryDelay: retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: maxRetryDelaySeconds,
    deleteAfterSeconds: RETENTION_SECONDS,
  }
}

/** Returns the longest delay before the next retry after this number of retries, in milliseconds. */
export const computeLongestRetryDelayMs = (registered: RegisteredKind, retryCount: number) =>
  Math.min(registered.maxRetryDelaySeconds, registered.retryDelaySeconds * 2 ** Math.min(16, retryCount + 1)) * 1000 +
  200

/** Creates the queues of the registered kinds, or changes those whose options differ. */
export async function syncQueues(boss: PgBoss, kinds: readonly RegisteredKind[]) {
  const stored = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const registered of kinds) {
    const { policy, ...options } = buildQueueOptions(registered)
    const found = stored.get(registered.kind)
    if (!found) await boss.createQueue(registered.kind, { policy: policy as string, ...options })
    else if (Object.entries(options).some(([name, value]) => found[name as keyof typeof found] !== value))
      await boss.updateQueue(registered.kind, options)
  }
}

/** Stores the cron schedules of the registered kinds; with `removesOthers`, drops the schedules of all other kinds. */
export async function syncSchedules(
  boss: PgBoss,
  kinds: readonly RegisteredKind[],
  { timeZone, removesOthers }: { readonly timeZone: string; readonly removesOthers: boolean },
) {
  const wanted = new Map<string, { readonly kind: string; readonly key: string; readonly expression: string }>(
    kinds.flatMap(({ kind, cron }) =>
      cron.map((expression, at) => [`${kind}/${at}`, { kind, key: String(at), expression }] as const),
    ),
  )
  const own = new Set(kinds.map(({ kind }) => kind))
  for (const { name, key, cron, timezone } of await boss.getSchedules()) {
    const same = wanted.get(`${name}/${key}`)
    if (same?.expression === cron && timezone === timeZone) wanted.delete(`${name}/${key}`)
    else if (!same && (removesOthers || own.has(name))) await boss.unschedule(name, key)
  }
  // Runs a scheduled job once when all processes were stopped at its time.
  const options = { tz: timeZone, missed: 'once' } satisfies ScheduleOptions
  for (const { kind, key, expression } of wanted.values())
    await boss.schedule(kind, expression, {}, { ...options, key })
}

/** Returns the options of the workers of a kind. */
export const buildWorkOptions = ({ maxPerTenant }: RegisteredKind) => ({
  notifyPollingIntervalSeconds: POLL_SECONDS,
  pollingIntervalSeconds: 2,
  // The limit applies across all processes. Two reads within the same millisecond can exceed the limit by one job.
  // `localGroupConcurrency` is exact, but delays the jobs of other groups until the next poll.
  ...(maxPerTenant !== null && { groupConcurrency: maxPerTenant }),
})

/** Returns the group of jobs that `maxPerTenant` limits together. Jobs without an owner have no group. */
export function buildJobGroup({ tenantId, uid }: Pick<NewJob, 'tenantId' | 'uid'>): { group?: { id: string } } {
  if (tenantId && tenantId !== PLATFORM_TENANT_ID) return { group: { id: `tenant ${tenantId}` } }
  return uid ? { group: { id: `account ${uid}` } } : {}
}

interface Outcome {
  readonly result: unknown
  readonly error: string
}
/** An open row of `jobs` without an open job in the queue. */
export interface OrphanJob {
  readonly jobId: number
  readonly kind: string
  readonly uid: number | null
  readonly tenantId: number | null
  /** True when the queue still has the job and the job has ended. */
  readonly hasEnded: boolean
}

/** Reads and writes the rows of `jobs`. A run whose job was cancelled or taken over changes nothing. */
export class JobRows {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Marks the job as running; undefined when the job was cancelled meanwhile. */
  async take(jobId: number, queueId: string): Promise<Job | undefined> {
    const { rows } = await this.#database.pool.query<Job>(
      `update jobs set state = 'running', attempts = attempts + 1, percent = 0
       where job_id = $1 and queue_id = $2 and state in ('waiting', 'running')
       returning job_id as "jobId", kind, uid, tenant_id as "tenantId", payload, attempts`,
      [jobId, queueId],
    )
    return rows[0]
  }

  /** Stores the progress. Returns false when this run no longer owns the job. */
  async setProgress({ jobId, attempts }: Job, percent: number): Promise<boolean> {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set percent = $3 where job_id = $1 and state = 'running' and attempts = $2`,
      [jobId, attempts, percent],
    )
    return Boolean(rowCount)
  }

  async finish({ jobId, attempts }: Job, state: 'done' | 'failed', { result, error }: Outcome): Promise<boolean> {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set state = $3::varchar, percent = case when $3::varchar = 'done' then 100 else percent end, result = $4,
       error = $5, finish_time = now() where job_id = $1 and state = 'running' and attempts = $2`,
      [jobId, attempts, state, JSON.stringify(result), error.slice(0, 500)],
    )
    return Boolean(rowCount)
  }

  /** Releases the job of a stopping process. The maintenance of the next process adds the job to the queue again. */
  async release({ jobId, attempts }: Job) {
    await this.#database.pool.query(
      `update jobs set state = 'waiting', queue_id = null where job_id = $1 and state = 'running' and attempts = $2`,
      [jobId, attempts],
    )
  }

  /** Marks the job as waiting for a retry. */
  async wait({ jobId, attempts }: Job): Promise<boolean> {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set state = 'waiting' where job_id = $1 and state = 'running' and attempts = $2`,
      [jobId, attempts],
    )
    return Boolean(rowCount)
  }

  async storeRun(kind: string, title: string, result: unknown) {
    await this.#database.pool.query(
      `insert into jobs (kind, title, state, percent, result, finish_time) values ($1, $2, 'done', 100, $3, now())`,
      [kind, title, JSON.stringify(result ?? null)],
    )
  }

  /** Stores the failure of a job without a row. Failures of one kind within a day share a row that counts them. */
  async storeFailure(kind: string, title: string, error: string) {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set error = $2, finish_time = now(), attempts = least(attempts + 1, 32000)
       where job_id = (select job_id from jobs where kind = $1 and uid is null and state = 'failed'
         and create_time between now() - interval '1 day' and now() + interval '1 minute' order by job_id desc limit 1)`,
      [kind, error.slice(0, 500)],
    )
    if (rowCount) return
    await this.#database.pool.query(
      `insert into jobs (kind, title, state, error, attempts, finish_time) values ($1, $2, 'failed', $3, 1, now())`,
      [kind, title, error.slice(0, 500)],
    )
  }

  /**
   * Returns open rows whose queue job is missing (a restored backup, an older release) or has ended (its process died).
   */
  async orphans(): Promise<OrphanJob[]> {
    const { rows } = await this.#database.pool.query<OrphanJob>(
      `select j.job_id as "jobId", j.kind, j.uid, j.tenant_id as "tenantId", b.id is not null as "hasEnded"
       from jobs j left join ${QUEUE_SCHEMA}.job b on b.id = j.queue_id and b.name = j.kind
       where j.state in ('waiting', 'running') and (b.id is null or b.state >= 'completed')
       order by j.job_id limit 1000`,
    )
    return rows
  }

  /** Counts waiting and running jobs of the queue by kind. */
  async depths() {
    const { rows } = await this.#database.pool.query<{ kind: string; state: string; count: number; age: number }>(
      `select name as kind, case state when 'active' then 'running' else 'waiting' end as state, count(*)::int as count,
         greatest(0, extract(epoch from now() - min(greatest(created_on, start_after))))::float8 as age
       from ${QUEUE_SCHEMA}.job where state < 'completed' and name not like '\\_\\_pgboss%' group by 1, 2 order by 1, 2`,
    )
    return rows
  }

  /** Marks a job as failed when it ended in the queue without a result. */
  async bury(jobId: number): Promise<boolean> {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set state = 'failed', error = '任务多次中断，未能完成', finish_time = now()
       where job_id = $1 and state in ('waiting', 'running')`,
      [jobId],
    )
    return Boolean(rowCount)
  }

  /**
   * Resets times more than a minute in the future. They were written while the clock was wrong, and the queue would
   * wait for them.
   */
  async resetFutureTimes() {
    const ahead = `now() + interval '1 minute'`
    const { pool } = this.#database
    await pool.query(
      `update ${QUEUE_SCHEMA}.job set start_after = now(), created_on = now(), keep_until = now() + interval '14 days'
       where state < 'active' and created_on > ${ahead}`,
    )
    await pool.query(
      `update ${QUEUE_SCHEMA}.job set started_on = now() - interval '1 day', heartbeat_on = now() - interval '1 day'
       where state = 'active' and (started_on > ${ahead} or heartbeat_on > ${ahead})`,
    )
    await pool.query(`update ${QUEUE_SCHEMA}.version set cron_on = null, flow_on = null, monitor_backoff_on = null
       where cron_on > ${ahead} or flow_on > ${ahead} or monitor_backoff_on > now() + interval '1 hour'`)
    await pool.query(
      `update ${QUEUE_SCHEMA}.queue set monitor_claim_on = null, maintain_on = null
       where monitor_claim_on > ${ahead} or maintain_on > ${ahead}`,
    )
  }
}
