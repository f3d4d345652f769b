import { drizzle, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Config } from '#core/config/config.ts'
import { hasCluster, openCluster } from './embedded/cluster.ts'
import type { Role } from './embedded/directory-lock.ts'
import { qualifySelectedColumns } from './lists/list-query.ts'
import { replaceDrizzleTransaction } from './transactions.ts'

/** Database access of services: the pool, or one transaction. */
export type Db = PgDatabase<NodePgQueryResultHKT>

export type Database = {
  readonly pool: pg.Pool
  readonly db: Db
  /** Settings for connections outside the pool: LISTEN, COPY, migrations. */
  readonly connection: pg.ClientConfig
  readonly embedded: boolean
  close(): Promise<void>
  /** Stops the embedded database at once, for a process that must exit before `close` has ended. */
  abort(): Promise<void>
}

export type DatabaseOptions = {
  readonly role?: Role
  readonly warn?: (message: string) => void
  /** Returns the key of the database template for a new embedded cluster. Called only when a cluster is created. */
  readonly templateKey?: () => Promise<string>
}

/** The database cannot be used. The message is the complete line that the operator sees. */
export class DatabaseError extends Error {
  override name = 'DatabaseError'
}

const OLDEST_VERSION = 150_000
/** A longer wait for a connection would delay the "database unavailable" response. */
const WAIT_MS = 2_000
/**
 * Time that idle connections stay open, in milliseconds. The first call on a new connection is slow, because PostgreSQL
 * starts a process, reads its catalogs and plans every statement again.
 */
const IDLE_MS = 600_000

// Dates keep the text that PostgreSQL sent, because Date objects cost more than the rest of a page. 64-bit ids become
// numbers, because all ids are small enough.
type TypeId = Parameters<typeof pg.types.getTypeParser>[0]
type ReadArray = (text: string) => (string | null)[]
const INT8_ARRAY: number = 1016
const TEXT_ARRAY: number = 1009
const keepText = (text: string) => text
const readTexts: ReadArray = pg.types.getTypeParser(TEXT_ARRAY as TypeId)
for (const type of [1082, 1114, 1184, 1186]) pg.types.setTypeParser(type, keepText)
for (const type of [1115, 1182, 1185, 1187]) pg.types.setTypeParser(type, readTexts)
pg.types.setTypeParser(20, Number)
pg.types.setTypeParser(INT8_ARRAY, (text: string) =>
  readTexts(text).map((item) => (item === null ? null : Number(item))),
)

/** Returns true when the embedded database does not exist yet and opening would create one. */
export const isNewDatabase = ({ database, dataDir }: Config) => !database.url && !hasCluster(dataDir)

/** Opens the embedded database of the data folder, or the database of `DATABASE_URL`. */
export async function openDatabase(config: Config, options: DatabaseOptions = {}): Promise<Database> {
  const { role = 'server', warn = () => {}, templateKey } = options
  const { url } = config.database
  const cluster = url ? undefined : await openCluster({ dataDir: config.dataDir, role, warn, templateKey })
  const name = `oms-${role === 'server' ? config.role : role}-${process.pid}`
  const base = { application_name: name, ...(cluster?.connection ?? readUrl(url ?? '')) }
  const connection = buildConnectionSettings(base, config)
  const closeCluster = async () => cluster?.close()
  try {
    return await openPool(connection, {
      size: config.poolSize,
      embedded: !url,
      warn,
      closeAfter: closeCluster,
      abort: async () => cluster?.abort(),
    })
  } catch (error) {
    await closeCluster()
    throw error
  }
}

type PoolOptions = {
  readonly size: number
  readonly embedded: boolean
  readonly warn: (message: string) => void
  readonly closeAfter: () => Promise<unknown>
  readonly abort?: () => Promise<unknown>
  /** Longest wait for a free connection. Tests of simultaneous calls set more, for slow machines. */
  readonly waitMs?: number
}

export async function openPool(connection: pg.ClientConfig, options: PoolOptions): Promise<Database> {
  await checkServer(connection, options)
  const pool = new pg.Pool({
    ...connection,
    max: options.size,
    connectionTimeoutMillis: options.waitMs ?? WAIT_MS,
    idleTimeoutMillis: IDLE_MS,
  })
  // A connection that breaks while idle or inside a transaction must not end the process. Its query fails, and the
  // pool opens a new connection for the next query.
  let isClosing = false
  pool.on('error', ({ message }) => {
    // The embedded database stops right after the pool, and may still interrupt connections that are being closed.
    if (!isClosing) options.warn(`数据库连接中断：${message}`)
  })
  pool.on('connect', (client) => client.on('error', () => {}))
  // No schema is passed: no code uses `db.query`, and processing all tables would slow every start.
  const db = drizzle(pool, { casing: 'snake_case' })
  qualifySelectedColumns(db)
  replaceDrizzleTransaction(db, pool)
  const close = async () => {
    isClosing = true
    await pool.end()
    await options.closeAfter()
  }
  const abort = async () => {
    isClosing = true
    await options.abort?.()
  }
  return { pool, db, connection, embedded: options.embedded, close, abort }
}

/** Returns the settings that every connection sends when it opens. */
export function buildConnectionSettings(
  base: pg.ClientConfig,
  { timeZone }: Pick<Config, 'timeZone'>,
): pg.ClientConfig {
  const settings = {
    random_page_cost: '1.1',
    statement_timeout: '10s',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: '15s',
    TimeZone: timeZone,
    DateStyle: 'ISO',
    // `assertSettings` reads this value at the start to detect a pooler that drops settings.
    'oms.settings': 'sent',
  }
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  return { ...base, keepAlive: true, options: [...ours, ...(base.options ? [base.options] : [])].join(' ') }
}

/**
 * Parses a connection URL. pg lets URL parameters override other settings, so `options` of the URL are extracted and
 * merged with ours. The URL of a socket has no host before its path, which `URL` refuses; `?host=` replaces the
 * placeholder host.
 */
export function readUrl(text: string): pg.ClientConfig {
  const url = new URL(text.replace('@/', '@localhost/'))
  const options = url.searchParams.get('options')
  url.searchParams.delete('options')
  return { connectionString: url.href, ...(options && { options }) }
}

const POOLER = 'DATABASE_URL 须直接指向 PostgreSQL，不能经过 PgBouncer 等连接池'

async function checkServer(connection: pg.ClientConfig, { embedded, warn }: PoolOptions) {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    const hint = /timeout expired|startup parameter/.test(reason) ? `；${POOLER}` : ''
    throw new DatabaseError(`连接不上数据库：${reason}${hint}`)
  }
  try {
    await assertSupportedServer(client, embedded, warn)
    if (!embedded) await assertSettings(client)
  } finally {
    await client.end()
  }
}

/**
 * Refuses a pooler that drops the settings of a connection. Without the settings, statements would have no time limit.
 */
async function assertSettings(client: pg.Client) {
  const { rows } = await client.query<{ sent: string | null }>(`select current_setting('oms.settings', true) as sent`)
  if (rows[0]?.sent !== 'sent') throw new DatabaseError(`数据库连接丢失了会话设置（options）；${POOLER}`)
}

async function assertSupportedServer(client: pg.Client, embedded: boolean, warn: (message: string) => void) {
  const { rows } = await client.query<{ version: number; name: string; bypasses: boolean; trigrams: boolean }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
       (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as bypasses,
       exists (select from pg_extension where extname = 'pg_trgm') as trigrams`,
  )
  const [found] = rows
  if (!found || found.version < OLDEST_VERSION)
    throw new DatabaseError(`数据库版本过低：需要 PostgreSQL 15 以上，当前 ${found?.name}`)
  if (!embedded && found.bypasses) warn('DATABASE_URL 的账号是超级用户，行级安全对它不起作用；请改用普通账号')
  if (found.trigrams) return
  await client.query('create extension if not exists pg_trgm').catch(({ message }: Error) => {
    throw new DatabaseError(`不能启用 pg_trgm 扩展，请由数据库管理员执行 create extension pg_trgm：${message}`)
  })
}
