import type { Logger } from 'pino'
import { coalesceCalls } from '#core/process/concurrency.ts'

/** Writes collected changes some time after the first change. One write runs at a time. */
export class DelayedWrite {
  readonly #delayMs: number
  readonly #write: () => Promise<void>
  #timer: NodeJS.Timeout | undefined

  /** A failed write is logged with `failure`. */
  constructor(delayMs: number, write: () => Promise<void>, log: Logger, failure: string) {
    this.#delayMs = delayMs
    this.#write = coalesceCalls(() => write().catch((err: unknown) => log.warn({ err }, failure)))
  }

  /** Schedules a write, unless one is scheduled already. */
  schedule() {
    this.#timer ??= setTimeout(() => void this.flush(), this.#delayMs).unref()
  }

  /** Writes the changes that were made before the call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#write()
  }
}
