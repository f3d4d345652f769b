import { QUEUE_SCHEMA } from '#core/database/queue-schema.ts'
import type { Database } from '#core/database/client.ts'
import type { Job } from './types.ts'

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
