import pg, { type Pool, type PoolClient } from 'pg'
import { runTransaction } from '#core/database/transactions.ts'
import { DeviceError } from './response.ts'

/** Number of simultaneous device writes. The console shares the connection pool. */
const MAX_CONCURRENT_WRITES = 6
/** Maximum number of waiting writes. More would only time out. */
const MAX_WAITING = 2000

/** Runs the transactions of devices, a few at a time. Throws 503 when too many transactions wait. */
export class WriteQueue {
  readonly #pool: Pool
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  run<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#inTurn(() => runTransaction(this.#pool, work))
  }

  /** Runs one statement without a transaction, which needs a quarter of the database round trips. */
  single<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    return this.#inTurn(async () => {
      const client = await this.#pool.connect()
      try {
        return await client.query<Row>(statement)
      } finally {
        client.release()
      }
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_CONCURRENT_WRITES) {
      if (this.#waiting.length >= MAX_WAITING) throw new DeviceError(503, 'busy', 30)
      await new Promise<void>((go) => this.#waiting.push(go))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}

export type StatementClient = Pick<pg.ClientBase, 'query'>
