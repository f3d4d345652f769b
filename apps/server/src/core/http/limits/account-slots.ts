import { tooMany } from '#core/http/api-error.ts'
import { Semaphore } from '#core/process/semaphore.ts'

/** Share of the database connections that the calls of one account may use at once. */
const SHARE = 0.7
const MAX_WAITING = 500
const WAIT_MS = 30_000
const RETRY_SECONDS = 5

interface Slots {
  readonly semaphore: Semaphore
  /** Number of running and waiting calls. The entry of the account is deleted at 0. */
  calls: number
}

/**
 * Limits the calls of one account that run at once. Further calls wait in the order of their arrival. One session with
 * hundreds of simultaneous calls would otherwise fill the queue for database connections, and the calls of all other
 * people would fail.
 */
export class AccountSlots {
  readonly #maxRunning: number
  readonly #byUid = new Map<number, Slots>()

  /** `poolSize`: connections of this process to the database. */
  constructor(poolSize: number) {
    this.#maxRunning = Math.max(1, Math.floor(poolSize * SHARE))
  }

  /** Runs a task of an account. Rejects with HTTP 429 when too many calls wait, or when the call waits 30 s. */
  async run<T>(uid: number, task: () => Promise<T>): Promise<T> {
    const slots = this.#byUid.get(uid) ?? this.#create(uid)
    slots.calls += 1
    try {
      const release = await slots.semaphore.acquire()
      try {
        return await task()
      } finally {
        release()
      }
    } finally {
      slots.calls -= 1
      if (slots.calls === 0) this.#byUid.delete(uid)
    }
  }

  #create(uid: number): Slots {
    const limits = { maxTaken: this.#maxRunning, maxWaiting: MAX_WAITING, waitMs: WAIT_MS }
    const slots = { semaphore: new Semaphore({ ...limits, overloaded: () => tooMany(RETRY_SECONDS) }), calls: 0 }
    this.#byUid.set(uid, slots)
    return slots
  }
}
