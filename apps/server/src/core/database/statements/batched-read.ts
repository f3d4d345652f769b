import { setImmediate as afterPendingEvents } from 'node:timers/promises'
import { isolateRows } from './rows.ts'

interface Options<Key, Row, Value> {
  /** Reads the rows of different keys with one statement. A key without a row is absent. */
  readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>
  /** Converts a row once for all callers of its key. An error reaches only the callers of that key. */
  readonly valueOf: (row: Row, key: Key) => Value
}

interface Waiting<Value> {
  readonly found: Promise<Value | undefined>
  readonly done: (value: Value | undefined) => void
  readonly fail: (error: unknown) => void
}

/** Maximum number of keys in a statement. */
const MAX_KEYS = 500

/**
 * Reads rows by key for simultaneous callers with one statement. Keys that arrive while a statement runs wait for the
 * next statement, so every statement starts after the calls that it serves. Nothing is cached. Callers of the same key
 * share one value and must not change it.
 */
export class BatchedRead<Key extends string | number, Row, Value> {
  readonly #options: Options<Key, Row, Value>
  #waiting = new Map<Key, Waiting<Value>>()
  #isRunning = false

  constructor(options: Options<Key, Row, Value>) {
    this.#options = options
  }

  /** Returns the value of a key, or undefined when there is no row. */
  get(key: Key): Promise<Value | undefined> {
    const earlier = this.#waiting.get(key)
    if (earlier) return earlier.found
    const { promise: found, resolve: done, reject: fail } = Promise.withResolvers<Value | undefined>()
    this.#waiting.set(key, { found, done, fail })
    if (!this.#isRunning) void this.#run()
    return found
  }

  /** Returns the values of the keys that have a row, in the order of the keys. */
  async getAll(keys: readonly Key[]): Promise<Map<Key, Value>> {
    const unique = [...new Set(keys)]
    const values = await Promise.all(unique.map((key) => this.get(key)))
    const found = new Map<Key, Value>()
    for (const [at, key] of unique.entries()) {
      const value = values[at]
      if (value !== undefined) found.set(key, value)
    }
    return found
  }

  async #run() {
    this.#isRunning = true
    while (this.#waiting.size > 0) {
      // Calls that arrived in the same turn of the event loop join the batch.
      await afterPendingEvents()
      const batch = new Map([...this.#waiting].slice(0, MAX_KEYS))
      for (const key of batch.keys()) this.#waiting.delete(key)
      await this.#answer(batch)
    }
    this.#isRunning = false
  }

  async #answer(batch: ReadonlyMap<Key, Waiting<Value>>) {
    try {
      await isolateRows(
        [...batch.keys()],
        async (keys) => {
          const rows = await this.#options.read(keys)
          for (const key of keys) this.#resolve(batch.get(key)!, key, rows.get(key))
        },
        (key, error) => batch.get(key)!.fail(error),
      )
    } catch (error) {
      for (const { fail } of batch.values()) fail(error)
    }
  }

  #resolve({ done, fail }: Waiting<Value>, key: Key, row: Row | undefined) {
    try {
      done(row === undefined ? undefined : this.#options.valueOf(row, key))
    } catch (error) {
      fail(error)
    }
  }
}
