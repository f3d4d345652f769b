import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Check = () => Promise<unknown>

/** Health checks of the file store and the video store of a process. A rejected check makes the process degraded. */
export class Readiness {
  readonly #checks = new Map<string, Check>()
  /** Returns false while the process loads data without which it cannot serve calls. */
  isLoaded = () => true

  get checks(): ReadonlyMap<string, Check> {
    return this.#checks
  }

  add(part: string, check: Check) {
    this.#checks.set(part, check)
  }
}

/** Shutdown state of a process. On SIGTERM the probes fail first, then streams end, then running calls finish. */
export class Shutdown {
  readonly #listeners = new Set<() => void>()
  #hasBegun = false

  get hasBegun() {
    return this.#hasBegun
  }

  /** Calls the listener when the shutdown begins. Returns the function that removes the listener. */
  onBegin(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  begin() {
    if (this.#hasBegun) return
    this.#hasBegun = true
    for (const listener of this.#listeners) listener()
  }
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void
let collect: Collect | undefined

/**
 * Forces a garbage collection and returns freed memory to the operating system. V8 keeps the memory of a large read for
 * later reads. Blocks this process for some tens of milliseconds, so call it only after large reads.
 */
export function forceGarbageCollection() {
  if (!collect) {
    // V8 offers no other access: the function exists only in contexts created after the flag is set.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'major', flavor: 'last-resort' })
}
