import type pg from 'pg'
import type { Pool, PoolClient } from 'pg'
import { DeviceProblem } from './answer.ts'

/** Writes of devices at once: the console shares the pool. */
const AT_ONCE = 6
/** More than these waiting would only wait to time out. */
const MAX_WAITING = 2000

/** Runs the transactions of devices, a few at a time; a call that finds too many waiting is told to come again. */
export class Writes {
  readonly #pool: Pool
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  run<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#transaction(work))
  }

  /** One statement that needs no transaction around it: a quarter of the trips to the database. */
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
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw new DeviceProblem(503, 'busy', 30)
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

  async #transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure))
      throw error
    } finally {
      client.release(broken)
    }
  }
}

export type Querying = Pick<pg.ClientBase, 'query'>
