import pg from 'pg'
import { runPrepared } from './prepared-statements.ts'

/**
 * Number of connections. The second is used when many queries wait; a single connection wakes PostgreSQL least often.
 */
const CONNECTIONS = 2
const MIN_QUERIES_FOR_SECOND_CONNECTION = 32

interface Lane {
  client: Promise<pg.Client> | undefined
  waiting: number
}

/**
 * Sends short reads in pipeline mode, without waiting for earlier responses. Concurrent calls then cost PostgreSQL and
 * this process one wake-up instead of one each. Only for single statements outside transactions. Opens its connections
 * at first use.
 */
export class Pipeline {
  readonly #connection: pg.ClientConfig
  readonly #lanes: Lane[] = Array.from({ length: CONNECTIONS }, () => ({ client: undefined, waiting: 0 }))
  #closed = false

  constructor(connection: pg.ClientConfig) {
    this.#connection = connection
  }

  /**
   * Returns rows as arrays in the order of the selection. A broken connection fails its running queries, as in a pool.
   */
  async rows(statement: { readonly name: string; readonly text: string; readonly values: unknown[] }) {
    const lane = this.#lanes.find(({ waiting }) => waiting < MIN_QUERIES_FOR_SECOND_CONNECTION) ?? this.#shortest()
    lane.waiting += 1
    try {
      const client = await (lane.client ??= this.#open(lane))
      return await runPrepared(client, statement)
    } finally {
      lane.waiting -= 1
    }
  }

  async close() {
    this.#closed = true
    await Promise.all(this.#lanes.map(async ({ client }) => (await client?.catch(() => undefined))?.end()))
  }

  #shortest() {
    return this.#lanes.reduce((least, other) => (other.waiting < least.waiting ? other : least))
  }

  #open(lane: Lane): Promise<pg.Client> {
    if (this.#closed) return Promise.reject(new Error('the pipeline is closed'))
    const client = new pg.Client({ ...this.#connection, connectionTimeoutMillis: 2_000, pipeline: true })
    const opening = client.connect().then(() => client)
    const forget = () => {
      if (lane.client === opening) lane.client = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    opening.catch(forget)
    return opening
  }
}
