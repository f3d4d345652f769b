import pg, { type Pool, type QueryResultRow } from 'pg'

/**
 * Maximum number of named prepared statements of one connection. Each statement uses memory in PostgreSQL for its plan.
 */
export const MAX_STATEMENTS = 100

type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] }
/** Number of running queries by statement name, the least recently used name first. */
type Usage = Map<string, number>

const usageByClient = new WeakMap<pg.ClientBase, Usage>()

/**
 * Runs a named prepared statement with rows as arrays. Deallocates the least recently used statement of the connection
 * when there are too many. For connections in pipeline mode too.
 */
export async function runPrepared(client: pg.ClientBase, statement: Statement) {
  const { name } = statement
  const usage = usageByClient.get(client) ?? new Map<string, number>()
  usageByClient.set(client, usage)
  const running = usage.get(name) ?? 0
  usage.delete(name)
  usage.set(name, running + 1)
  const deallocated = usage.size > MAX_STATEMENTS ? deallocateOldest(client, usage) : undefined
  // Only a pipelined connection accepts the next query before this query ends.
  if (!isPipelined(client)) await deallocated
  try {
    return (await client.query<unknown[]>({ ...statement, rowMode: 'array' })).rows
  } finally {
    usage.set(name, (usage.get(name) ?? 1) - 1)
  }
}

const isPipelined = (client: pg.ClientBase) => (client as unknown as { pipeline?: boolean }).pipeline === true

function deallocateOldest(client: pg.ClientBase, usage: Usage): Promise<unknown> | undefined {
  // A running statement may not be parsed yet. Deallocating it would corrupt the driver's list of parsed statements.
  const oldest = [...usage].find(([, running]) => running === 0)?.[0]
  if (oldest === undefined) return undefined
  usage.delete(oldest)
  const { connection } = client as unknown as { connection: Record<string, Record<string, string>> }
  for (const list of ['parsedStatements', 'submittedNamedStatements']) delete connection[list]?.[oldest]
  // DEALLOCATE is sent before the next use of the name. It fails harmlessly when the statement was never parsed.
  return client.query(`deallocate "${oldest}"`).catch(() => {})
}

/**
 * Returns the rows of a query that runs without the statement timeout of the pool. For checks that read whole tables,
 * which take minutes on a large installation.
 */
export async function queryWithoutTimeout<R extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin; set local statement_timeout = 0')
    const { rows } = await client.query<R>(text, [...values])
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}

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
