import { UPLOAD_MESSAGES } from '@oms/contract/upload.ts'
import type { Logger } from 'pino'
import type { Database, Db } from '#db/client.ts'
import { jobs } from '#db/schema/system.ts'
import type { Events } from './events.ts'
import { DiskFull } from './files/store.ts'
import { Problem } from './problem.ts'

export interface Job {
  readonly jobId: number
  readonly kind: string
  readonly uid: number | null
  readonly tenantId: number | null
  readonly payload: unknown
  /** Grows each time the job is taken: whoever holds an older number has lost it to another process. */
  readonly attempts: number
}
export interface Progress {
  /** 0-100; told to the account that started the job. Rejects when the job is no longer this process's to run. */
  (percent: number): Promise<void>
}
/**
 * The work of one kind of job; its answer is kept in the job's row. Throwing fails the job: a `Problem` with its own
 * words. `signal` aborts when the job is cancelled, taken over, or this process stops.
 */
export type Worker = (job: Job, progress: Progress, signal: AbortSignal) => Promise<unknown>

interface Registered {
  readonly work: Worker
  /** Runs by itself this often, on one process at a time. */
  readonly everyMs?: number
}
export interface NewJob {
  kind: string
  title?: string
  uid?: number | null
  tenantId?: number | null
  payload?: unknown
  /** While one of this key waits or runs, another is not added. */
  uniqueKey?: string
}

const POLL_MS = 2000
const HEARTBEAT_MS = 10_000
/** Consoles draw progress; they need not hear of every batch. */
const TELL_MS = 500
/** A running job silent for this long lost its process: it is taken again, twice at most. */
const DEAD_AFTER = '60 seconds'
/** A time further ahead than this was written while the clock ran ahead; waiting for it would be waiting for months. */
const AHEAD = `now() + interval '60 seconds'`
const SILENT = `not (heartbeat between now() - interval '${DEAD_AFTER}' and ${AHEAD})`
const MAX_ATTEMPTS = 3
/** Long enough to put jobs back in line, short enough for a restart. */
const CLOSE_WITHIN = 5000

/** This process no longer runs the job; nothing is written about it here. */
class Lost extends Error {
  override readonly name = 'Lost'
}
/** This process stops: the job goes back in line. */
class Closing extends Error {
  override readonly name = 'Closing'
}

/** A job under way in this process. */
interface Run {
  readonly job: Job
  readonly stop: AbortController
  toldAt: number
  told: number
}

/** Jobs are rows, taken with SKIP LOCKED: any process may run them, none runs one twice at a time. */
export class Jobs {
  readonly #kinds = new Map<string, Registered>()
  readonly #runs = new Map<number, Run>()
  readonly #database: Database
  readonly #events: Events
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #busy: Promise<void> | undefined
  #started = false
  #again = false
  #closed = false

  constructor(database: Database, events: Events, log: Logger) {
    this.#database = database
    this.#events = events
    this.#log = log
    events.on('job', ({ jobId, state }) => {
      if (state === 'waiting') this.#wake()
      if (state === 'cancelled') this.#runs.get(jobId)?.stop.abort(new Lost('cancelled'))
    })
  }

  register(kind: string, work: Worker, options: { everyMs?: number } = {}) {
    this.#kinds.set(kind, { work, ...options })
  }

  /** Adds a job inside the caller's transaction; undefined when one of the same key is already under way. */
  async add(db: Db, { payload = {}, ...job }: NewJob): Promise<number | undefined> {
    const [added] = await db
      .insert(jobs)
      .values({ ...job, payload })
      .onConflictDoNothing()
      .returning({ jobId: jobs.jobId })
    if (added) await this.#events.publish(db, 'job', { ...added, uid: job.uid ?? null, state: 'waiting', percent: 0 })
    return added?.jobId
  }

  /** Tells that a job was cancelled: whichever process runs it stops between two steps. */
  async cancelled(db: Db, { jobId, uid, percent }: { jobId: number; uid: number | null; percent: number }) {
    await this.#events.publish(db, 'job', { jobId, uid, state: 'cancelled', percent })
  }

  /** Begins taking jobs; the regular ones are put in line by whichever process comes first. */
  start() {
    this.#started = true
    this.#schedule(500)
  }

  /** Runs what is waiting right now, for tests and commands. */
  async drain() {
    await this.#bury()
    while (await this.#runOne()) {}
  }

  async close() {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const { stop } of this.#runs.values()) stop.abort(new Closing('closing'))
    await Promise.race([this.#busy, new Promise((done) => setTimeout(done, CLOSE_WITHIN).unref())])
  }

  #schedule(delay: number) {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(() => this.#tick(), delay).unref()
  }

  #tick() {
    if (this.#closed) return
    this.#again = false
    this.#busy = this.#round()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'jobs paused'))
      .finally(() => {
        this.#busy = undefined
        this.#schedule(this.#again ? 0 : POLL_MS)
      })
  }

  /** A job was added somewhere: no need to wait for the next look. */
  #wake() {
    if (!this.#started) return
    if (this.#busy) this.#again = true
    else this.#schedule(0)
  }

  async #round() {
    await this.#bury()
    await this.#scheduleRegular()
    while (!this.#closed && (await this.#runOne())) {}
  }

  /** A job whose process died again and again fails; left as running, its key would bar the next one for ever. */
  async #bury() {
    const { rows } = await this.#database.pool.query<Job>(
      `update jobs set state = 'failed', error = '任务多次中断，未能完成', finish_time = now()
       where state = 'running' and attempts >= ${MAX_ATTEMPTS} and ${SILENT}
       returning job_id as "jobId", uid`,
    )
    for (const job of rows) await this.#tell(job, 'failed', 100)
  }

  async #scheduleRegular() {
    for (const [kind, { everyMs }] of this.#kinds) {
      if (!everyMs) continue
      await this.#database.pool.query(
        `insert into jobs (kind, unique_key, payload) select $1::text, $1::text, '{}'
         where not exists (select 1 from jobs where kind = $1::text and create_time between now() - make_interval(secs => $2) and ${AHEAD})
         on conflict do nothing`,
        [kind, everyMs / 1000],
      )
    }
  }

  async #runOne(): Promise<boolean> {
    const job = await this.#take()
    if (!job) return false
    const run: Run = { job, stop: new AbortController(), toldAt: 0, told: -1 }
    const { signal } = run.stop
    this.#runs.set(job.jobId, run)
    const beat = setInterval(() => void this.#beat(run).catch(() => {}), HEARTBEAT_MS).unref()
    try {
      const result = await this.#kinds.get(job.kind)?.work(job, (percent) => this.#progress(run, percent), signal)
      await this.#finish(job, 'done', { result: result ?? null, error: '' })
    } catch (error) {
      await this.#stopped(run, error)
    } finally {
      clearInterval(beat)
      this.#runs.delete(job.jobId)
    }
    return true
  }

  async #stopped({ job, stop: { signal } }: Run, error: unknown) {
    if (signal.reason instanceof Lost) return
    if (signal.reason instanceof Closing) return this.#giveBack(job)
    if (!(error instanceof Problem)) this.#log.error({ err: error, kind: job.kind, jobId: job.jobId }, 'job failed')
    await this.#finish(job, 'failed', { result: null, error: wordsOf(error, job) })
  }

  async #take(): Promise<Job | undefined> {
    const { rows } = await this.#database.pool.query<Job>(
      `update jobs set state = 'running', heartbeat = now(), attempts = attempts + 1, percent = 0
       where job_id = (select job_id from jobs where kind = any($1) and attempts < ${MAX_ATTEMPTS}
         and ((state = 'waiting' and (run_after <= now() or create_time > ${AHEAD}))
           or (state = 'running' and ${SILENT}))
         order by run_after, job_id limit 1 for update skip locked)
       returning job_id as "jobId", kind, uid, tenant_id as "tenantId", payload, attempts`,
      [[...this.#kinds.keys()]],
    )
    return rows[0]
  }

  async #giveBack({ jobId, attempts }: Job) {
    await this.#database.pool.query(
      `update jobs set state = 'waiting', attempts = attempts - 1 where job_id = $1 and state = 'running' and attempts = $2`,
      [jobId, attempts],
    )
  }

  /** Says that this process still works, and hears that it should not. */
  async #beat({ job, stop }: Run, percent?: number) {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set heartbeat = now(), percent = coalesce($3, percent)
       where job_id = $1 and state = 'running' and attempts = $2`,
      [job.jobId, job.attempts, percent ?? null],
    )
    if (!rowCount) stop.abort(new Lost('no longer ours'))
  }

  async #progress(run: Run, percent: number) {
    run.stop.signal.throwIfAborted()
    const whole = Math.max(0, Math.min(100, Math.round(percent)))
    if (whole === run.told || Date.now() - run.toldAt < TELL_MS) return
    run.told = whole
    run.toldAt = Date.now()
    await this.#beat(run, whole)
    run.stop.signal.throwIfAborted()
    await this.#tell(run.job, 'running', whole)
  }

  /** A job cancelled or taken over meanwhile keeps what its row says. */
  async #finish(job: Job, state: 'done' | 'failed', { result, error }: { result: unknown; error: string }) {
    const { rowCount } = await this.#database.pool.query(
      `update jobs set state = $3::varchar, percent = case when $3::varchar = 'done' then 100 else percent end, result = $4,
       error = $5, finish_time = now() where job_id = $1 and state = 'running' and attempts = $2`,
      [job.jobId, job.attempts, state, JSON.stringify(result), error.slice(0, 500)],
    )
    if (rowCount) await this.#tell(job, state, 100)
  }

  async #tell({ jobId, uid }: Pick<Job, 'jobId' | 'uid'>, state: string, percent: number) {
    if (uid !== null) await this.#events.publish(this.#database.db, 'job', { jobId, uid, state, percent })
  }
}

/** What the row says of a failure: people read theirs, so nothing internal; regular jobs are the operator's. */
function wordsOf(error: unknown, { uid }: Job) {
  if (error instanceof Problem) return error.message
  if (error instanceof DiskFull) return UPLOAD_MESSAGES.full
  return uid === null && error instanceof Error ? error.message : '服务器出错，请稍后重试'
}
