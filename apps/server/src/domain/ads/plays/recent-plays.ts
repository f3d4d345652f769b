const MAX_KEPT = 50_000

/**
 * Keys of the plays that this process stored last. A player repeats a call within seconds when its response was lost.
 * These repetitions are recognised without the database, which recognises all others.
 */
export class RecentPlays {
  readonly #keys = new Set<string>()

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** Remembers a stored play, and forgets the oldest one above 50,000. */
  add(key: string) {
    this.#keys.add(key)
    if (this.#keys.size <= MAX_KEPT) return
    const [oldest] = this.#keys
    this.#keys.delete(oldest!)
  }
}
