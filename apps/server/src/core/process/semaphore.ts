export interface SemaphoreLimits {
  /** Maximum number of taken slots. */
  readonly maxTaken: number
  /** Maximum number of waiting callers without a signal. Callers with a signal are never refused and not counted. */
  readonly maxWaiting: number
  /** Maximum wait of a caller without a signal, in milliseconds. Default: no limit. */
  readonly waitMs?: number
  /** Creates the error for a caller that finds too many waiting callers or waits too long. */
  readonly overloaded: () => Error
}

/** Limits simultaneous work of this process. Callers wait in the order of their arrival. */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  /** Waiting callers in the order of their arrival. */
  readonly #waiting = new Set<() => void>()
  /** Number of waiting callers without a signal. */
  #waitingWithoutSignal = 0
  #taken = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  get taken() {
    return this.#taken
  }

  /**
   * Waits for a slot and returns the function that releases it. Rejects with the error of `overloaded` when too many
   * callers without a signal wait, or when no slot becomes free in time. A caller with a signal waits until the signal
   * aborts.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#taken < this.#limits.maxTaken) this.#taken += 1
    else await this.#wait(signal)
    let isReleased = false
    return () => {
      if (!isReleased) this.#release()
      isReleased = true
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, waitMs, overloaded } = this.#limits
    if (!signal && this.#waitingWithoutSignal >= maxWaiting) throw overloaded()
    const turn = Promise.withResolvers<void>()
    const start = () => turn.resolve()
    const stop = (error: unknown) => {
      if (this.#waiting.delete(start)) turn.reject(error)
    }
    this.#waiting.add(start)
    if (!signal) this.#waitingWithoutSignal += 1
    const onAbort = () => stop(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    const timer = signal || waitMs === undefined ? undefined : setTimeout(() => stop(overloaded()), waitMs)
    return turn.promise.finally(() => {
      if (!signal) this.#waitingWithoutSignal -= 1
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    })
  }

  /** Passes the slot to the first waiting caller, so that no new caller takes the slot first. */
  #release() {
    const [next] = this.#waiting
    if (!next) return void (this.#taken -= 1)
    this.#waiting.delete(next)
    next()
  }
}
