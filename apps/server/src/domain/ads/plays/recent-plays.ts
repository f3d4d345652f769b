const MAX_KEPT = 50_000

/**
 * Keys of the plays that this process stored last. A player repeats a call within seconds when its response was lost.
 * These repetitions are recognised without the database, which recognises all others.
 */
export class RecentPlays {
  #keys = new Set<string>()
  #older = new Set<string>()

  has(key: string): boolean {
    return this.#keys.has(key) || this.#older.has(key)
  }

  /**
   * Remembers a stored play, and forgets the older half when the newer half is full. To delete single keys from the front
   * of a large set would cost more with every deleted key.
   */
  add(key: string) {
    if (this.#keys.size >= MAX_KEPT / 2) [this.#older, this.#keys] = [this.#keys, new Set()]
    this.#keys.add(key)
  }
}
