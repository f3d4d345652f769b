import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Database, Db } from '#core/database/client.ts'
import { coalesceCalls } from '#core/process/concurrency.ts'

/** Events between processes by topic. A payload must stay below PostgreSQL's 8,000 bytes: send ids instead of rows. */
export interface Topics {
  /** Sessions ended; all processes remove them from their caches. */
  session: { ids: string[]; reason: string }
  /** Roles, menus, scenes or accounts changed; `uids` limits the change to these accounts. */
  rights: { version: string; uids?: number[] }
  dict: { type: string }
  /** Rows of the calls `/api/v1/<resource>/…` changed; `tenantId` null means all tenants. */
  changed: { resource: string; tenantId: number | null }
  /** Messages of these accounts changed; without `uids`, of all accounts. */
  notice: { uids?: number[]; noticeId?: number; title?: string }
  /**
   * Published when rows change that the device protocols cache in memory. Triggers send one event per transaction and
   * table. For member lists, the event contains the ids of the lists, and of the devices when they are few.
   */
  fleet: { table: string; lists?: number[] | null; devices?: number[] | null }
  /** A tenant, a model or an account was renamed; sent by triggers. */
  names: { table: string }
  /** A parameter of agents and voice servers changed. */
  agentParams: Record<string, never>
  /** A consent to view recordings was given or withdrawn. */
  consent: { id: number }
  /** The outbox has a new event, or a delivery is due. */
  outbox: Record<string, never>
  job: { jobId: number; uid: number | null; state: string; percent: number }
}
type Topic = keyof Topics

const CHANNEL = 'oms'
/**
 * Heartbeat intervals. A connection whose peer vanished without FIN or RST is closed after at most the sum of both,
 * below 15 s.
 */
const HEARTBEAT_MS = 5000
const ANSWER_WITHIN_MS = 5000

/**
 * Publishes and receives events between processes over LISTEN/NOTIFY. Events of a transaction are sent at its commit.
 */
export class Events {
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  readonly #channels = new Map<string, (payload: string) => void>()
  readonly #database: Database
  readonly #log: Logger
  #client: pg.Client | undefined
  #closed = false
  #retry: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  /** Statements that every new connection runs. */
  readonly #setup = new Set<string>()
  /**
   * Statements that the present connection has not run yet. Its next query sends them, because a connection runs one
   * query at a time.
   */
  readonly #unsent: string[] = []

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  async publish<T extends Topic>(db: Db, topic: T, payload: Topics[T]) {
    await db.execute(sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ topic, ...payload })})`)
  }

  /** Subscribes to a topic. Returns the function that unsubscribes. */
  on<T extends Topic>(topic: T, listener: (payload: Topics[T]) => void): () => void {
    this.#emitter.on(topic, listener)
    return () => this.#emitter.off(topic, listener)
  }

  /** Calls the listener after a reconnect. Notifications may have been lost, so caches must be cleared. */
  onReconnect(listener: () => void): () => void {
    this.#emitter.on('reconnect', listener)
    return () => this.#emitter.off('reconnect', listener)
  }

  /** Subscribes to another channel on the same connection. Returns the function that unsubscribes. */
  async listen(channel: string, listener: (payload: string) => void): Promise<() => void> {
    this.#channels.set(channel, listener)
    await this.#setUp(`listen ${pg.escapeIdentifier(channel)}`)
    return () => void this.#channels.delete(channel)
  }

  async start() {
    await this.#connect()
  }

  /**
   * Resolves when all notifications published before this call are received. PostgreSQL delivers waiting notifications
   * before a response. Resolves at once while disconnected. When no response arrives within 5 s, resolves and closes
   * the connection. The reconnect then clears the caches. Returns whether the database responded.
   */
  readonly caughtUp = coalesceCalls(async () => {
    const client = this.#client
    return client ? this.#probe(client) : false
  })

  /** Holds a shared advisory lock while this process runs. A new connection takes the lock again. */
  async holdLock(key: string) {
    await this.#setUp(`select pg_advisory_lock_shared(${key})`)
  }

  async close() {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#heartbeat)
    await this.#client?.end().catch(() => {})
  }

  async #setUp(statement: string) {
    this.#setup.add(statement)
    this.#unsent.push(statement)
    await this.caughtUp()
  }

  async #connect() {
    const client = new pg.Client({ ...this.#database.connection, connectionTimeoutMillis: 5000 })
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL) this.#receive(payload)
      else this.#channels.get(channel)?.(payload ?? '')
    })
    client.on('error', () => {})
    client.on('end', () => this.#lost(client))
    await client.connect()
    this.#unsent.length = 0
    const setup = [`listen ${CHANNEL}`, ...this.#setup].join('; ')
    await within(ANSWER_WITHIN_MS, client.query(setup)).catch((error: unknown) => {
      disconnect(client)
      throw error
    })
    this.#client = client
    this.#beat(client)
  }

  /** Sends heartbeat queries, because a vanished peer is noticed only by its silence. */
  #beat(client: pg.Client) {
    clearTimeout(this.#heartbeat)
    if (this.#closed || this.#client !== client) return
    this.#heartbeat = setTimeout(() => {
      void this.caughtUp().then(() => this.#beat(client))
    }, HEARTBEAT_MS).unref()
  }

  async #probe(client: pg.Client) {
    const text = ['select', ...this.#unsent.splice(0)].join('; ')
    try {
      await within(ANSWER_WITHIN_MS, client.query(text))
      return true
    } catch (error) {
      if (this.#closed || this.#client !== client) return false
      this.#log.warn({ err: error }, 'event connection does not answer, reconnecting')
      disconnect(client)
      this.#lost(client)
      return false
    }
  }

  #lost(client: pg.Client) {
    // The caller already retries a failed connect. Retrying here too would double the connections each time.
    if (this.#closed || this.#client !== client) return
    this.#client = undefined
    this.#schedule(250)
  }

  #schedule(delay: number) {
    if (this.#closed) return
    this.#retry = setTimeout(() => {
      this.#connect().then(
        () => this.#emitter.emit('reconnect'),
        (error: unknown) => {
          this.#log.warn({ err: error }, 'event connection lost, trying again')
          this.#schedule(Math.min(delay * 2, 5000))
        },
      )
    }, delay)
  }

  #receive(payload: string | undefined) {
    try {
      const { topic, ...rest } = JSON.parse(payload ?? '{}') as { topic?: string }
      if (topic) this.#emitter.emit(topic, rest)
    } catch (error) {
      this.#log.error({ err: error }, 'unreadable event')
    }
  }
}

/** Rejects when `work` does not end in time. A later failure of `work` is ignored. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  const { promise, reject } = Promise.withResolvers<never>()
  // After a blocked event loop the response may wait in the socket. `setImmediate` lets the socket be read first.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Destroys the socket without a protocol message, because the peer may be gone. */
function disconnect(client: pg.Client) {
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}

/** Open event streams of this process, counted by the metrics. */
export const openStreams = new Set<object>()
