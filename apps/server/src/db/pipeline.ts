import pg from 'pg'

/** The second takes over where many wait on the first; one alone wakes PostgreSQL least often. */
const CONNECTIONS = 2
const MANY = 32

interface Lane {
  client: Promise<pg.Client> | undefined
  waiting: number
}

/**
 * Short reads, each sent without waiting for the answers of those before it: many calls at once cost PostgreSQL and this
 * process one wake-up instead of one each. For single statements outside transactions only. Opens its connections when
 * the first one comes.
 */
export class Pipeline {
  readonly #connection: pg.ClientConfig
  readonly #lanes: Lane[] = Array.from({ length: CONNECTIONS }, () => ({ client: undefined, waiting: 0 }))
  #closed = false

  constructor(connection: pg.ClientConfig) {
    this.#connection = connection
  }

  /** Rows as arrays, in the order of the selection. A broken connection fails what is under way on it, as in a pool. */
  async rows(statement: { readonly name: string; readonly text: string; readonly values: unknown[] }) {
    const lane = this.#lanes.find(({ waiting }) => waiting < MANY) ?? this.#shortest()
    lane.waiting += 1
    try {
      const client = await (lane.client ??= this.#open(lane))
      const { rows } = await client.query<unknown[]>({ ...statement, rowMode: 'array' })
      return rows
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
