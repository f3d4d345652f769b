import { EventEmitter } from 'node:events'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Database, Db } from '#db/client.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** What processes tell each other, by topic. Payloads stay under PostgreSQL's 8,000 bytes: name things, do not send them. */
export interface Topics {
  /** Sessions ended; the caches of all processes forget them. */
  session: { ids: string[]; reason: string }
  /** Roles, menus, scenes or accounts changed; `uids` when only these accounts are meant. */
  rights: { version: string; uids?: number[] }
  dict: { type: string }
  /** Rows behind the calls `/api/v1/<resource>/…` changed; `tenantId` null: of every tenant. */
  changed: { resource: string; tenantId: number | null }
  /** Messages of these accounts changed; absent: of everyone. */
  notice: { uids?: number[]; noticeId?: number; title?: string }
  /**
   * Rows the device side keeps in memory changed; sent by triggers, once a transaction and table. For lists of members:
   * which lists, and which devices when they are few.
   */
  fleet: { table: string; lists?: number[] | null; devices?: number[] | null }
  /** A customer, a model or an account was renamed; sent by triggers. */
  names: { table: string }
  job: { jobId: number; uid: number | null; state: string; percent: number }
}
export type Topic = keyof Topics

const CHANNEL = 'oms'

/** Carries events between processes over LISTEN/NOTIFY. One published inside a transaction leaves with its commit. */
export class Events {
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  readonly #database: Database
  readonly #log: Logger
  #client: pg.Client | undefined
  #closed = false
  #retry: NodeJS.Timeout | undefined

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  async publish<T extends Topic>(db: Db, topic: T, payload: Topics[T]) {
    await db.execute(sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ topic, ...payload })})`)
  }

  /** Returns the function that stops listening. */
  on<T extends Topic>(topic: T, listener: (payload: Topics[T]) => void): () => void {
    this.#emitter.on(topic, listener)
    return () => this.#emitter.off(topic, listener)
  }

  /** After a lost connection anything may have been missed: caches start over. */
  onReconnect(listener: () => void) {
    this.#emitter.on('reconnect', listener)
  }

  async start() {
    await this.#connect()
  }

  /**
   * Resolves when everything that was published before this call has been heard: PostgreSQL hands over what waits before it
   * answers. At once while the connection is away, as all is read anew when it is back. A connection takes one question
   * at a time: all who come while one is under way share the next.
   */
  readonly caughtUp = oneAtATime(async () => {
    await this.#client?.query('select').catch(() => {})
  })

  async close() {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#client?.end().catch(() => {})
  }

  async #connect() {
    const client = new pg.Client({ ...this.#database.connection, connectionTimeoutMillis: 5000 })
    client.on('notification', ({ payload }) => this.#receive(payload))
    client.on('error', () => {})
    client.on('end', () => this.#lost(client))
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    this.#client = client
  }

  #lost(client: pg.Client) {
    // A connection that never came about ends too, but its maker tries again already: two of each would soon be thousands.
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
