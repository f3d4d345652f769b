import { isolateRows } from './rows.ts'
import { setImmediate as afterPendingEvents } from 'node:timers/promises'

interface QueueOptions<Item, Result> {
  /** Rows of an item. */
  readonly rowsOf: (item: Item) => number
  /** Number of rows from which a batch is written without a pause. */
  readonly batchRows: number
  /** Milliseconds that a batch with fewer than `batchRows` rows waits for further items. */
  readonly pauseMs: number
  /** Maximum number of waiting rows. Further rows would only time out. */
  readonly maxRows: number
  /** Returns the error for an item above this limit. */
  readonly busy: () => Error
  /**
   * Stores the items of a batch. Returns one result per item. Safe to repeat: a batch with a wrong value is written in
   * parts.
   */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>
}

interface WaitingItem<Item, Result> {
  readonly item: Item
  readonly done: (result: Result) => void
  readonly fail: (error: unknown) => void
}

/** Gathers items of many callers into batches. One batch is written at a time. */
export class BatchQueue<Item, Result> {
  readonly #options: QueueOptions<Item, Result>
  readonly #waiting: WaitingItem<Item, Result>[] = []
  #rows = 0
  /** Numbers of items that were added, and that were written or refused. */
  #added = 0
  #done = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(options: QueueOptions<Item, Result>) {
    this.#options = options
  }

  /** Resolves after the batch of the item was written. */
  add(item: Item): Promise<Result> {
    const { rowsOf, maxRows, busy } = this.#options
    if (this.#rows >= maxRows) return Promise.reject(busy())
    this.#rows += rowsOf(item)
    this.#added += 1
    return new Promise((done, fail) => {
      this.#waiting.push({ item, done, fail })
      this.#startWhenFull()
    })
  }

  /** Resolves when the items that were added before the call are written. Later items are not awaited. */
  async written() {
    const last = this.#added
    while (this.#done < last) {
      this.#start()
      await this.#running
    }
  }

  #startWhenFull() {
    const { batchRows, pauseMs } = this.#options
    if (this.#rows >= batchRows) this.#start()
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#start(), pauseMs)
  }

  #start() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#writeNext().finally(() => {
      this.#running = undefined
      this.#startWhenFull()
    })
  }

  #takeBatch() {
    const { rowsOf, batchRows } = this.#options
    let rows = 0
    const end = this.#waiting.findIndex(({ item }) => (rows += rowsOf(item)) >= batchRows)
    const batch = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end + 1)
    for (const { item } of batch) this.#rows -= rowsOf(item)
    return batch
  }

  async #writeNext() {
    const batch = this.#takeBatch()
    try {
      await isolateRows(
        batch,
        async (some) => {
          const results = await this.#options.write(some.map(({ item }) => item))
          for (const [at, { done }] of some.entries()) done(results[at]!)
        },
        ({ fail }, error) => fail(error),
      )
    } catch (error) {
      for (const { fail } of batch) fail(error)
    } finally {
      this.#done += batch.length
    }
  }
}

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
