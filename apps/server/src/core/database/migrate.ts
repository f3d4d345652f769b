import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** The database and this program are incompatible. The message is the complete line that the operator sees. */
class MigrationError extends Error {
  override name = 'MigrationError'
}

type Migration = { readonly tag: string; readonly checksum: string; readonly statements: readonly string[] }

/** The folder of the sources, or the copy next to the bundle. */
const MIGRATIONS = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../migrations' : 'migrations')

/** Advisory lock: only one process migrates, however many servers start together. */
const LOCK = '7302515, 3'

/** Reads the migrations of a folder in the order of their numbers. Statements end at drizzle-kit's breakpoint comments. */
export function readMigrations(folder: string = MIGRATIONS): Migration[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return files.toSorted().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const statements = text.split('--> statement-breakpoint').filter((statement) => statement.trim() !== '')
    return { tag: file.slice(0, -'.sql'.length), checksum: createHash('sha256').update(text).digest('hex'), statements }
  })
}

/** Returns the number of missing migrations. Refuses a database newer than the program. */
export async function countPendingMigrations(pool: pg.Pool): Promise<number> {
  const known = readMigrations()
  const { rows } = await pool.query<{ found: boolean }>(`select to_regclass('schema_migrations') is not null as found`)
  return known.length - (rows[0]?.found ? await compare(pool, known) : 0)
}

/**
 * Migrates the database to this program's schema, including the tables of the job queue. Returns the applied
 * migrations. After an interruption, the next start continues.
 */
export function migrateDatabase(connection: pg.ClientConfig, folder?: string): Promise<string[]> {
  return migrateLocked(connection, readMigrations(folder), installQueue)
}

/** Applies the given migrations without the job queue. A restore creates the schema of the backup this way. */
export function migrateTo(connection: pg.ClientConfig, migrations: readonly Migration[]): Promise<string[]> {
  return migrateLocked(connection, migrations)
}

async function migrateLocked(
  connection: pg.ClientConfig,
  migrations: readonly Migration[],
  after?: (client: pg.Client) => Promise<void>,
): Promise<string[]> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    await client.query(`select pg_advisory_lock(${LOCK})`)
    await client.query(
      `create table if not exists schema_migrations (
         position integer primary key, tag text not null, checksum text not null,
         applied_at timestamptz not null default now())`,
    )
    const applied = await compare(client, migrations)
    const missing = migrations.slice(applied)
    for (const [offset, migration] of missing.entries()) await apply(client, applied + offset, migration)
    await after?.(client)
    return missing.map(({ tag }) => tag)
  } finally {
    await client.end()
  }
}

/** Returns the number of applied migrations. Throws when they differ from the migrations of this program. */
async function compare(client: Pick<pg.Client, 'query'>, known: readonly Migration[]): Promise<number> {
  const { rows } = await client.query<{ tag: string; checksum: string }>(
    'select tag, checksum from schema_migrations order by position',
  )
  const newest = rows.at(-1)
  if (rows.length > known.length && newest)
    throw new MigrationError(
      `数据库比程序新（数据库已到 ${newest.tag}，程序只到 ${known.at(-1)?.tag ?? '（空）'}）；请升级程序后再启动`,
    )
  for (const [position, { tag, checksum }] of rows.entries())
    if (known[position]?.tag !== tag || known[position].checksum !== checksum)
      throw new MigrationError(
        `数据库由其他版本的程序创建（迁移 ${tag} 不一致），无法升级，未做任何改动；请换用原来的程序，或新的数据目录或数据库`,
      )
  return rows.length
}

async function apply(client: pg.Client, position: number, { tag, checksum, statements }: Migration) {
  await client.query('begin')
  try {
    for (const statement of statements) await client.query(statement)
    await client.query('insert into schema_migrations (position, tag, checksum) values ($1, $2, $3)', [
      position,
      tag,
      checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new MigrationError(`数据库迁移 ${tag} 失败，已撤回：${error instanceof Error ? error.message : error}`)
  }
}

/** The schema that holds the tables of the job queue (pg-boss). Backups leave it out: jobs are queued again from `jobs`. */
export const QUEUE_SCHEMA = 'pgboss'
/** Schema version of the installed pg-boss release. A test compares the number with the library. */
export const QUEUE_VERSION = 46

/** The queue's tables cannot be installed. The message is the complete line that the operator sees. */
class QueueSchemaError extends Error {
  override name = 'QueueSchemaError'
}

type Client = Pick<pg.Client, 'query'>

/** Creates or upgrades the queue's tables. The caller holds the migration lock. */
async function installQueue(client: Client): Promise<void> {
  const installed = await installedVersion(client)
  if (installed === QUEUE_VERSION) return
  if (installed !== undefined && installed > QUEUE_VERSION)
    throw new QueueSchemaError(`任务队列的表比程序新（${installed}，程序只到 ${QUEUE_VERSION}）；请升级程序后再启动`)
  const { getConstructionPlans, getMigrationPlans } = await import('pg-boss')
  if (installed !== undefined) await client.query(getMigrationPlans(QUEUE_SCHEMA, installed))
  else await client.query(getConstructionPlans(QUEUE_SCHEMA, { createSchema: !(await hasSchema(client)) }))
}

/** Returns true when the queue's tables have the version of this program. */
export const isQueueCurrent = async (client: Client) => (await installedVersion(client)) === QUEUE_VERSION

async function installedVersion(client: Client): Promise<number | undefined> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('${QUEUE_SCHEMA}.version') is not null as found`,
  )
  if (!tables[0]?.found) return undefined
  const { rows } = await client.query<{ version: number }>(`select version from ${QUEUE_SCHEMA}.version`)
  return rows[0]?.version
}

/**
 * Returns true when the schema exists. A role without the right to create schemas needs an administrator to create it.
 */
async function hasSchema(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean; mayCreate: boolean; role: string }>(
    `select to_regnamespace('${QUEUE_SCHEMA}') is not null as found, quote_ident(current_user) as role,
       has_database_privilege(current_database(), 'create') as "mayCreate"`,
  )
  const { found = false, mayCreate = false, role = '' } = rows[0] ?? {}
  if (!found && !mayCreate)
    throw new QueueSchemaError(
      `数据库账号不能创建任务队列的架构，请由数据库管理员执行 create schema ${QUEUE_SCHEMA} authorization ${role}`,
    )
  return found
}
