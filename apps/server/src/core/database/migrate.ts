import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { installQueue } from './queue-schema.ts'

/** The database and this program are incompatible. The message is the complete line that the operator sees. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

export type Migration = { readonly tag: string; readonly checksum: string; readonly statements: readonly string[] }

/** The folder of the sources, or the copy next to the bundle. */
export const MIGRATIONS = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../migrations' : 'migrations',
)

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
