import type { JobWithMetadata } from 'pg-boss'
import type { Logger } from 'pino'
import { UPLOAD_MESSAGES } from '@oms/contract/core/upload.ts'
import type { Database } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'
import { readMessageSafely } from '#core/logging/logger.ts'
import { DiskFull } from '#core/storage/store.ts'
import { ApiError, CONFLICT_MESSAGE } from '#core/http/api-error.ts'
import type { JobRows } from './queue.ts'
import { readFailedItems, isLockConflict, isTransientError } from './isolated.ts'
import { ProcessClosing, type Job, JobLostError, type RegisteredKind, TimeLimitExceeded } from './types.ts'

/** Minimum milliseconds between two progress events of a job. Consoles render the progress again for each event. */
const PUBLISH_MS = 500

interface Parts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly rows: JobRows
}
/** A job that runs in this process. */
interface Run {
  readonly job: Job
  readonly stop: AbortController
  publishedAt: number
  published: number
}
/** `deadletter` is the library's word for a failure that is not retried. */
export interface RunResult {
  readonly status: 'completed' | 'failed' | 'deadletter'
  readonly output?: object
}
type QueuedJob = Pick<JobWithMetadata<unknown>, 'id' | 'data' | 'retryCount' | 'retryLimit' | 'signal'>
type Data = { readonly jobId?: number; readonly payload?: unknown } | null

/** Runs the jobs of this process: enforces time limits, updates the rows of `jobs` and publishes progress. */
export class JobRuns {
  /** Ended runs by `kind`, then by outcome. */
  readonly outcomes = new Map<string, Map<string, number>>()
  readonly #parts: Parts
  readonly #runs = new Set<Run>()
  readonly #ended = new Set<Promise<unknown>>()
  #isClosing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async run(registered: RegisteredKind, queued: QueuedJob): Promise<RunResult> {
    const running = this.#run(registered, queued)
    this.#ended.add(running)
    try {
      const result = await running
      this.#count(
        registered.kind,
        result.status === 'failed' ? 'retried' : result.status === 'completed' ? 'done' : 'failed',
      )
      return result
    } finally {
      this.#ended.delete(running)
    }
  }

  cancel(jobId: number) {
    for (const { job, stop } of this.#runs) if (job.jobId === jobId) stop.abort(new JobLostError('cancelled'))
  }

  /** Stops all runs of this process; resolves when their jobs are queued again. */
  async close() {
    this.#isClosing = true
    for (const { stop } of this.#runs) stop.abort(new ProcessClosing('closing'))
    await Promise.allSettled(this.#ended)
  }

  async publish({ jobId, uid }: Pick<Job, 'jobId' | 'uid'>, state: string, percent: number) {
    const { events, database } = this.#parts
    if (uid !== null) await events.publish(database.db, 'job', { jobId, uid, state, percent })
  }

  async #run(registered: RegisteredKind, queued: QueuedJob): Promise<RunResult> {
    if (this.#isClosing) return { status: 'failed', output: { message: 'closing' } }
    const job = await this.#take(registered.kind, queued)
    if (!job) return { status: 'completed' }
    const run: Run = { job, stop: new AbortController(), publishedAt: 0, published: -1 }
    const onLost = () => run.stop.abort(new JobLostError('no longer claimed'))
    queued.signal?.addEventListener('abort', onLost, { once: true })
    this.#runs.add(run)
    try {
      return await this.#finish(registered, run, await this.#limited(registered, run))
    } catch (error) {
      return await this.#failed(registered, run, queued, error)
    } finally {
      queued.signal?.removeEventListener('abort', onLost)
      this.#runs.delete(run)
    }
  }

  async #take(kind: string, { id, data, retryCount }: QueuedJob): Promise<Job | undefined> {
    const { jobId, payload = data } = (data ?? {}) as NonNullable<Data>
    if (jobId !== undefined) return this.#parts.rows.take(jobId, id)
    return { jobId: 0, kind, uid: null, tenantId: null, payload, attempts: retryCount + 1 }
  }

  /**
   * Runs work with a time limit. Work that ignores its abort signal is abandoned, and its later result is not stored.
   */
  async #limited({ work, timeLimitSeconds }: RegisteredKind, run: Run): Promise<unknown> {
    const { stop } = run
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = new TimeLimitExceeded(timeLimitSeconds)
        stop.abort(error)
        reject(error)
      }, timeLimitSeconds * 1000).unref()
    })
    const result = work(run.job, (percent) => this.#progress(run, percent), stop.signal)
    result.catch(() => {})
    try {
      return await Promise.race([result, limit])
    } finally {
      clearTimeout(timer)
    }
  }

  async #finish({ kind, title, keepsRuns }: RegisteredKind, { job }: Run, result: unknown): Promise<RunResult> {
    const { rows } = this.#parts
    if (job.jobId === 0) {
      const failedItems = readFailedItems(result)
      if (keepsRuns) await rows.storeRun(kind, title, result)
      if (failedItems > 0) await rows.storeFailure(kind, title, `${failedItems} 项处理失败，编号与原因见服务日志`)
    } else if (await rows.finish(job, 'done', { result: result ?? null, error: '' }))
      await this.publish(job, 'done', 100)
    return { status: 'completed' }
  }

  async #failed(registered: RegisteredKind, run: Run, queued: QueuedJob, error: unknown): Promise<RunResult> {
    const { job, stop } = run
    const { rows, log } = this.#parts
    const { reason } = stop.signal
    if (reason instanceof JobLostError) return { status: 'completed' }
    const output = { message: error instanceof Error ? readMessageSafely(error) : String(error) }
    if (reason instanceof ProcessClosing) {
      if (job.jobId !== 0) await rows.release(job)
      return job.jobId === 0 ? { status: 'failed', output } : { status: 'completed' }
    }
    const retries = queued.retryCount < queued.retryLimit && isWorthRetrying(registered, error)
    if (!(error instanceof ApiError))
      log.error({ err: error, kind: job.kind, jobId: job.jobId || queued.id, retries }, 'job failed')
    if (retries) {
      if (job.jobId !== 0 && (await rows.wait(job))) await this.publish(job, 'waiting', 0)
      return { status: 'failed', output }
    }
    if (job.jobId === 0) await rows.storeFailure(job.kind, registered.title || job.kind, output.message)
    else if (await rows.finish(job, 'failed', { result: null, error: messageOf(error, job) }))
      await this.publish(job, 'failed', 100)
    return { status: 'deadletter', output }
  }

  async #progress(run: Run, percent: number) {
    run.stop.signal.throwIfAborted()
    const whole = Math.max(0, Math.min(100, Math.round(percent)))
    if (run.job.jobId === 0 || whole === run.published || Date.now() - run.publishedAt < PUBLISH_MS) return
    run.published = whole
    run.publishedAt = Date.now()
    if (!(await this.#parts.rows.setProgress(run.job, whole))) run.stop.abort(new JobLostError('no longer ours'))
    run.stop.signal.throwIfAborted()
    await this.publish(run.job, 'running', whole)
  }

  #count(kind: string, outcome: string) {
    const counts = this.outcomes.get(kind) ?? new Map<string, number>()
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    this.outcomes.set(kind, counts)
  }
}

/** Returns true when a retry may succeed. A run that exceeded its time limit would do so again. */
const isWorthRetrying = ({ retriesEveryError }: RegisteredKind, error: unknown) =>
  !(error instanceof ApiError || error instanceof TimeLimitExceeded) && (retriesEveryError || isTransientError(error))

/** Returns the message stored for the account: the text of an `ApiError`, and no internal text. */
function messageOf(error: unknown, { uid }: Job) {
  if (error instanceof ApiError || error instanceof TimeLimitExceeded) return error.message
  if (error instanceof DiskFull) return UPLOAD_MESSAGES.full
  if (isLockConflict(error)) return CONFLICT_MESSAGE
  return uid === null && error instanceof Error ? readMessageSafely(error) : '服务器出错，请稍后重试'
}
