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
