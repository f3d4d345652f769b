import type { Logger } from 'pino'
import { readErrorCauses } from '#core/database/error-codes.ts'
import { isTransientError } from './transient-error.ts'

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
