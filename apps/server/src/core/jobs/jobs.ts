import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Db } from '#core/database/client.ts'
import { jobs } from '#core/schema/system.ts'
import type { Events } from '#core/events/events.ts'
import {
  JobRows,
  type OrphanJob,
  createBoss,
  computeLongestRetryDelayMs,
  buildJobGroup,
  buildWorkOptions,
  type QueueParts,
  buildQueueOptions,
  syncQueues,
  syncSchedules,
  withQueueDatabase,
} from './queue.ts'
import { JobRuns } from './run.ts'
import type { JobOptions, NewJob, RegisteredKind, ScheduleOptions, Worker } from './types.ts'

/** Longest time to close: enough to queue running jobs again, short enough for a restart. */
const CLOSE_WITHIN_MS = 5000
const MAINTENANCE_MS = 60_000
const MAX_START_DELAY_MS = 30_000
const DEFAULTS = {
  concurrency: 1,
  maxPerTenant: null,
  timeLimitSeconds: 600,
  retries: 2,
  retryDelaySeconds: 5,
  maxRetryDelaySeconds: 600,
  title: '',
  cron: [],
  keepsRuns: false,
  retriesEveryError: false,
} as const

interface MessageOptions {
  readonly singletonKey?: string | undefined
}

/**
 * Runs background jobs on pg-boss: one queue per kind, with its own concurrency, time limit and retries. A job of an account
 * also has a row in `jobs`, which the job centre shows.
 */
export class Jobs {
  readonly #kinds = new Map<string, RegisteredKind>()
  readonly #parts: QueueParts
  readonly #rows: JobRows
  readonly #runs: JobRuns
  #boss: Promise<PgBoss> | undefined
  #knownQueues = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #isStarted = false
  #isClosed = false

  constructor(database: Database, events: Events, log: Logger, timeZone = 'UTC') {
    this.#parts = { database, events, log, timeZone }
    this.#rows = new JobRows(database)
    this.#runs = new JobRuns({ database, events, log, rows: this.#rows })
    events.on('job', ({ jobId, state }) => {
      if (state === 'cancelled') this.#runs.cancel(jobId)
    })
  }

  /** Registers a kind of job that requests add. */
  register(kind: string, work: Worker, options: JobOptions = {}) {
    this.#kinds.set(kind, { ...DEFAULTS, ...options, kind, work })
  }

  /** Registers a kind of job without a row in `jobs`; every failed run is retried. */
  registerMessages(kind: string, work: Worker, options: JobOptions & { readonly title: string }) {
    this.#kinds.set(kind, { ...DEFAULTS, ...options, kind, work, retriesEveryError: true })
  }

  /** Registers a job that runs by cron, in one process at a time. */
  schedule(kind: string, work: Worker, { cron, ...options }: ScheduleOptions) {
    const expressions = typeof cron === 'string' ? [cron] : cron
    this.#kinds.set(kind, { ...DEFAULTS, ...options, kind, work, cron: expressions, retriesEveryError: true })
  }

  /** Adds a job inside the caller's transaction; undefined when a job with the same key waits or runs. */
  async add(db: Db, { payload = {}, ...job }: NewJob): Promise<number | undefined> {
    const queueId = randomUUID()
    const [added] = await db
      .insert(jobs)
      .values({ ...job, payload, queueId })
      .onConflictDoNothing()
      .returning({ jobId: jobs.jobId })
    if (!added) return undefined
    await this.#send(db, job.kind, added, { id: queueId, ...buildJobGroup(job) })
    const waiting = { ...added, uid: job.uid ?? null, state: 'waiting', percent: 0 }
    await this.#parts.events.publish(db, 'job', waiting)
    return added.jobId
  }

  /** Queues a message inside the caller's transaction. */
  async sendMessage(db: Db, kind: string, payload: object, { singletonKey }: MessageOptions = {}) {
    await this.#send(db, kind, { payload }, singletonKey ? { singletonKey } : {})
  }

  /** Publishes that a job was cancelled. The process that runs the job stops between two steps. */
  async cancelled(db: Db, { jobId, uid, percent }: { jobId: number; uid: number | null; percent: number }) {
    const { rows } = await db.execute<{ kind: string; queueId: string | null }>(
      sql`select kind, queue_id as "queueId" from jobs where job_id = ${jobId}`,
    )
    const { kind, queueId } = rows[0] ?? {}
    const boss = await this.#queue()
    if (kind && queueId) await withQueueDatabase(db, (queueDb) => boss.cancel(kind, queueId, { db: queueDb }))
    await this.#parts.events.publish(db, 'job', { jobId, uid, state: 'cancelled', percent })
  }

  /** Starts running jobs. `ownsSchedules`: this process knows all kinds, and schedules of unknown kinds are deleted. */
  async start({ ownsSchedules = true } = {}) {
    if (this.#isStarted || this.#isClosed) return
    this.#isStarted = true
    for (let delay = 1000; !this.#isClosed; delay = Math.min(delay * 2, MAX_START_DELAY_MS))
      try {
        return await this.#begin(ownsSchedules)
      } catch (error) {
        this.#parts.log.error({ err: error }, 'background jobs do not run yet, trying again')
        await wait(delay, undefined, { ref: false })
      }
  }

  async #begin(ownsSchedules: boolean) {
    const kinds = [...this.#kinds.values()]
    const boss = await this.#queue()
    await this.#maintain()
    await boss.start()
    await syncQueues(boss, kinds)
    for (const registered of kinds) this.#knownQueues.add(registered.kind)
    await syncSchedules(boss, kinds, { timeZone: this.#parts.timeZone, removesOthers: ownsSchedules })
    for (const registered of kinds)
      for (let n = 0; n < registered.concurrency; n += 1) await this.#work(boss, registered)
    this.#timer = setInterval(() => void this.#maintain(), MAINTENANCE_MS).unref()
  }

  /** Runs all waiting jobs in this process, including retries before their delay. For tests and commands. */
  async drain() {
    await this.#maintain()
    const boss = await this.#queue()
    for (const registered of this.#kinds.values()) {
      await this.#ensureQueue(boss, registered.kind)
      for (;;) {
        const [job] = await boss.fetch(registered.kind, { includeMetadata: true, ignoreStartAfter: true })
        if (!job) break
        const { status, output } = await this.#runs.run(registered, job)
        if (status === 'completed') await boss.complete(registered.kind, job)
        else if (status === 'failed') await boss.fail(registered.kind, job, output as object)
        else await boss.cancel(registered.kind, job)
      }
    }
  }

  /** Returns the number of waiting and running jobs by kind, and the age of the oldest in seconds. */
  async depths() {
    return this.#rows.depths()
  }

  /** Number of ended runs of this process by kind and outcome. */
  get outcomes() {
    return this.#runs.outcomes
  }

  async close() {
    this.#isClosed = true
    clearInterval(this.#timer)
    const ended = this.#runs.close()
    const boss = this.#isStarted ? await this.#boss : undefined
    const late = new Promise((done) => setTimeout(done, CLOSE_WITHIN_MS).unref())
    await Promise.race([ended, late])
    await Promise.race([boss?.stop({ close: false, timeout: 1000 }).catch(() => {}), late])
  }

  #queue(): Promise<PgBoss> {
    return (this.#boss ??= createBoss(this.#parts))
  }

  async #work(boss: PgBoss, registered: RegisteredKind) {
    const options = { ...buildWorkOptions(registered), includeMetadata: true, perJobResults: true } as const
    let workerId = ''
    // The library sleeps after every run, even when more jobs wait or a retry is due soon.
    const wake = () => boss.notifyWorker(workerId)
    workerId = await boss.work(registered.kind, options, async (jobs: JobWithMetadata[]) => {
      const results: JobResult[] = []
      for (const job of jobs) {
        const result = await this.#runs.run(registered, job)
        results.push({ id: job.id, ...result })
        if (result.status === 'failed') setTimeout(wake, computeLongestRetryDelayMs(registered, job.retryCount)).unref()
      }
      wake()
      return results
    })
  }

  async #send(
    db: Db,
    kind: string,
    data: object,
    options: { id?: string; singletonKey?: string; group?: { id: string } },
  ) {
    const boss = await this.#queue()
    await this.#ensureQueue(boss, kind)
    await withQueueDatabase(db, (queueDb) => boss.send(kind, data, { ...options, db: queueDb }))
  }

  /** Creates the queue outside any transaction, because another process must see the queue before the job. */
  async #ensureQueue(boss: PgBoss, kind: string) {
    if (this.#knownQueues.has(kind)) return
    const { policy, ...options } = buildQueueOptions(
      this.#kinds.get(kind) ?? { ...DEFAULTS, kind, work: async () => null },
    )
    if (!(await boss.getQueue(kind))) await boss.createQueue(kind, { policy: policy as string, ...options })
    this.#knownQueues.add(kind)
  }

  /** Queues or ends jobs that the queue lost, and resets times of a wrong clock. */
  async #maintain() {
    try {
      await this.#rows.resetFutureTimes()
      for (const orphan of await this.#rows.orphans())
        if (!orphan.hasEnded) await this.#requeue(orphan)
        else if (await this.#rows.bury(orphan.jobId)) await this.#runs.publish(orphan, 'failed', 100)
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'job maintenance failed')
    }
  }

  async #requeue({ jobId, kind, ...owner }: OrphanJob) {
    const queueId = randomUUID()
    await this.#parts.database.db.transaction(async (db) => {
      const { rowCount } = await db.execute(sql`update jobs set state = 'waiting', queue_id = ${queueId}
        where job_id = (select job_id from jobs where job_id = ${jobId} and state in ('waiting', 'running')
          and not exists (select from pgboss.job b where b.id = jobs.queue_id) for update skip locked)`)
      if (rowCount) await this.#send(db, kind, { jobId }, { id: queueId, ...buildJobGroup(owner) })
    })
  }
}
