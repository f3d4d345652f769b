const MAX_KEPT = 50_000

/**
 * Keys of the plays that this process stored last. A player repeats a call within seconds when the response was lost.
 * This cache recognises such repetitions without a query. The database recognises all other repetitions.
 */
export class RecentPlays {
  #keys = new Set<string>()
  #older = new Set<string>()

  has(key: string): boolean {
    return this.#keys.has(key) || this.#older.has(key)
  }

  /**
   * Adds the key of a stored play. Discards the older half of the keys when the newer half is full. Deleting single
   * keys from the front of a large set becomes slower with every deleted key.
   */
  add(key: string) {
    if (this.#keys.size >= MAX_KEPT / 2) [this.#older, this.#keys] = [this.#keys, new Set()]
    this.#keys.add(key)
  }
}
