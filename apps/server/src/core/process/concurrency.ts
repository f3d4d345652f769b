interface SemaphoreLimits {
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

/**
 * Returns a function that runs at most `running` tasks at once and lets at most `waiting` tasks wait, in their order of
 * arrival. Further tasks are rejected with the error of `overloaded`.
 */
export function limitConcurrency(running: number, waiting: number, overloaded: () => Error) {
  const slots = new Semaphore({ maxTaken: running, maxWaiting: waiting, overloaded })
  return async <T>(task: () => Promise<T>): Promise<T> => {
    const release = await slots.acquire()
    try {
      return await task()
    } finally {
      release()
    }
  }
}

/**
 * Returns a function that runs `work` once at a time. A call during a run shares the next run with all other waiting
 * calls. The shared run starts after the call, so it includes everything before the call. `work` must not reject.
 */
export function coalesceCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const begin = () => {
    running = work().then((result) => {
      running = undefined
      return result
    })
    return running
  }
  return () => {
    // Checks the pending run first. The run that has just ended starts the pending run, and a new call must not
    // overtake the pending run.
    if (next) return next
    if (!running) return begin()
    next = running.then(() => {
      next = undefined
      return begin()
    })
    return next
  }
}

const SLICE_MS = 15

/** Runs a calculation to its end. Other work of the process runs whenever the calculation has used 15 ms. */
export async function runInSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < until)
    await new Promise((resume) => setImmediate(resume))
  }
}
