export interface Job {
  /** Row of `jobs`; 0 for scheduled jobs and messages, which have no row. */
  readonly jobId: number
  readonly kind: string
  readonly uid: number | null
  readonly tenantId: number | null
  readonly payload: unknown
  /** Number of this run of the job, from 1. */
  readonly attempts: number
}

export interface Progress {
  /** Publishes 0-100 to the account that started the job. Rejects when the job was cancelled or taken over. */
  (percent: number): Promise<void>
}

/**
 * Does the work of one job. The returned value is stored in the job's row. Throwing fails the job; the account reads
 * the message of an `ApiError`. `signal` aborts when the job is cancelled, exceeds its time limit or the process stops.
 */
export type Worker = (job: Job, progress: Progress, signal: AbortSignal) => Promise<unknown>

export interface JobOptions {
  /** Jobs of this kind that run at the same time in one process. */
  readonly concurrency?: number
  /**
   * Maximum number of running jobs of one tenant in all processes, so that a tenant cannot occupy all workers of the
   * kind. For jobs of the platform, the limit applies to each account. Null: no limit.
   */
  readonly maxPerTenant?: number | null
  /** A run that takes longer is stopped, and the job fails. */
  readonly timeLimitSeconds?: number
  /** Number of retries. Jobs of accounts are retried only after transient failures. */
  readonly retries?: number
  /** Delay before the first retry; every further delay is twice as long. */
  readonly retryDelaySeconds?: number
  readonly maxRetryDelaySeconds?: number
}

export interface ScheduleOptions extends JobOptions {
  /** Chinese name of the job, shown when a run fails. */
  readonly title: string
  /** Cron expressions of six fields (seconds first), in the console's time zone. One run per expression and minute. */
  readonly cron: string | readonly string[]
  /** Stores a row for every successful run, not only for failed ones. */
  readonly keepsRuns?: boolean
}

export interface NewJob {
  readonly kind: string
  readonly title?: string
  readonly uid?: number | null
  readonly tenantId?: number | null
  readonly payload?: unknown
  /** While a job with this key waits or runs, a second one is not added. */
  readonly uniqueKey?: string
}

export interface RegisteredKind extends Required<Omit<JobOptions, 'maxRetryDelaySeconds'>> {
  readonly kind: string
  readonly work: Worker
  readonly maxRetryDelaySeconds: number
  readonly title: string
  /** Empty for jobs that are only added by requests. */
  readonly cron: readonly string[]
  readonly keepsRuns: boolean
  /** Failed runs are retried whatever the error was: the job repeats no work of an account. */
  readonly retriesEveryError: boolean
}

/** The job was cancelled, or another process runs the job: this process writes nothing more about the job. */
export class JobLostError extends Error {
  override readonly name = 'JobLostError'
}
/** The process stops; the job is queued again. */
export class ProcessClosing extends Error {
  override readonly name = 'Closing'
}
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'
  constructor(seconds: number) {
    super(`任务超过 ${seconds >= 120 ? `${Math.round(seconds / 60)} 分钟` : `${seconds} 秒`}的时间限制，已停止`)
  }
}
