import { isolateRows } from './rows.ts'

interface Options<Item, Result> {
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

interface Waiting<Item, Result> {
  readonly item: Item
  readonly done: (result: Result) => void
  readonly fail: (error: unknown) => void
}

/** Gathers items of many callers into batches. One batch is written at a time. */
export class BatchQueue<Item, Result> {
  readonly #options: Options<Item, Result>
  readonly #waiting: Waiting<Item, Result>[] = []
  #rows = 0
  /** Numbers of items that were added, and that were written or refused. */
  #added = 0
  #done = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(options: Options<Item, Result>) {
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
