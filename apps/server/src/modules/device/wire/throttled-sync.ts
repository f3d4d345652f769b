/**
 * Minimum time between the starts of two runs, in milliseconds. Anyone can cause runs with wrong credentials, so the
 * number of runs must not depend on the number of calls.
 */
const SPACING_MS = 1000
/** Maximum number of calls that wait for a run. */
const MAX_WAITING = 200

/**
 * Runs a synchronisation for calls with credentials that are unknown to this process. At most one run starts in a second,
 * and all calls before its start share the run.
 */
export class ThrottledSync {
  readonly #sync: () => Promise<void>
  #next: Promise<void> | undefined
  #startedAt = -Infinity
  #waiting = 0

  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Resolves to true after a run that started after this call. Resolves to false at once when too many calls wait. */
  async sync(): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return false
    this.#waiting += 1
    try {
      await (this.#next ??= this.#start())
      return true
    } finally {
      this.#waiting -= 1
    }
  }

  async #start() {
    const waitMs = this.#startedAt + SPACING_MS - performance.now()
    await new Promise<void>((done) => setTimeout(done, Math.max(0, waitMs)))
    this.#next = undefined
    this.#startedAt = performance.now()
    await this.#sync()
  }
}
