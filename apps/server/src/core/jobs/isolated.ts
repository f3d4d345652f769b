import { isLockConflictCode, readErrorCauses } from '#core/database/error-codes.ts'
import type { Services } from '#core/services.ts'
import type { Logger } from 'pino'

/** Error codes of the network and of PostgreSQL (classes 08, 40, 53, 55, 57) for transient failures. */
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND', 'EHOSTUNREACH'])
const POSTGRES = /^(?:08|40|53|55|57)[0-9A-Z]{3}$/
/** Messages of pg errors without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/

/** Returns true when the job failed because a resource was unavailable or busy for a moment. */
export const isTransientError = (error: unknown): boolean =>
  readErrorCauses(error).some(({ code, message }) => NETWORK.has(code) || POSTGRES.test(code) || MESSAGES.test(message))

/** True for an error caused by a simultaneous change: a deadlock, a serialization failure or a lock timeout. */
export const isLockConflict = (error: unknown): boolean =>
  readErrorCauses(error).some(({ code }) => isLockConflictCode(code))

const STEADY_RUNS = 7

/**
 * Returns true when the daily job of this kind succeeded seven times in 14 days. The job must store its successful
 * runs. A clock that jumped a year ahead would make all rows too old. A week gives operators time to notice, and
 * keeping rows one week longer is harmless.
 */
export async function hasRunSteadily(
  { database: { pool } }: Pick<Services, 'database'>,
  kind: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ runs: number }>(
    `select count(*)::int as runs from jobs where kind = $1 and state = 'done'
     and finish_time between now() - interval '14 days' and now()`,
    [kind],
  )
  return (rows[0]?.runs ?? 0) >= STEADY_RUNS
}

/** Items that failed in scheduled jobs of this process, by kind of job. */
export const failedItemCountByJob = new Map<string, number>()

interface Isolation<T> {
  readonly log: Logger
  /** Kind of the scheduled job. */
  readonly kind: string
  /** Returns the log fields that identify a failed item, for example `{ otaId: 7 }`. */
  readonly name: (item: T) => object
  /** Stops the run before the next item. An item that fails after the abort is not counted as failed. */
  readonly signal?: AbortSignal | undefined
}

/** Runs the work of every item. A failed item is logged with its id and counted; the other items still run. */
export async function forEachIsolated<T>(
  items: readonly T[],
  { log, kind, name, signal }: Isolation<T>,
  work: (item: T) => Promise<unknown>,
): Promise<{ readonly done: number; readonly failed: T[] }> {
  const failed: T[] = []
  for (const item of items)
    try {
      signal?.throwIfAborted()
      await work(item)
    } catch (error) {
      // Every further item would fail as well, so the run ends and the queue retries the job.
      if (signal?.aborted || isConnectionLost(error)) throw error
      log.error({ err: error, kind, ...name(item) }, 'an item of a scheduled job failed')
      failedItemCountByJob.set(kind, (failedItemCountByJob.get(kind) ?? 0) + 1)
      failed.push(item)
    }
  return { done: items.length - failed.length, failed }
}

/**
 * Runs independent steps of a scheduled job. A failed step is logged with its name; the next steps still run. Returns the
 * number of failed steps.
 */
export async function runSteps(
  isolation: Omit<Isolation<never>, 'name'>,
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<number> {
  const name = ([step]: [string, unknown]) => ({ step })
  const { failed } = await forEachIsolated(Object.entries(steps), { ...isolation, name }, ([, work]) => work())
  return failed.length
}

/**
 * Deadlocks, lock timeouts (classes 40 and 55) and a statement that exceeds its time limit (57014) concern one item; the
 * other transient errors concern the connection.
 */
const isConnectionLost = (error: unknown) =>
  isTransientError(error) && !readErrorCauses(error).some(({ code }) => /^(?:40|55|57014)/.test(code))

/** Returns `failedItems` of a job's result: items that failed while the others were done. 0 when the result has none. */
export const readFailedItems = (result: unknown): number =>
  typeof result === 'object' && result !== null && 'failedItems' in result ? Number(result.failedItems) : 0
