import { join, resolve, dirname } from 'node:path'
import { readConfig } from '#core/config/config.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import { assertSecretKey } from '#core/crypto/installation-keys.ts'
import { type Command, CommandError, openExistingDatabase, parseOptions } from './command.ts'
import { createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { createHash, randomBytes } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { readMigrations } from '#core/database/migrate.ts'
import { makeDirectory, blockFileRemoval } from '#core/storage/local/local-files.ts'
import { syncDirectory } from '#core/storage/spool.ts'
import type { FileStore } from '#core/storage/store.ts'
import {
  hasTable,
  openSession,
  listPartitions,
  quoteIdentifier,
  readSequences,
  listTables,
  filePath,
  BACKUP_MANIFEST_FILE,
  type Manifest,
  rowsPath,
  SECRET_KEY,
  createDigestStream,
  writeRows,
} from './archive.ts'
import { verifyBackupMembers, restoreRows } from './restore.ts'

const UNDEFINED_TABLE = '42P01'
/** Stores the time of a complete backup for the metric `oms_backup_timestamp_seconds`. */
const RECORD = `insert into settings (key, value) values ('lastBackup', to_jsonb(extract(epoch from now())))
  on conflict (key) do update set value = excluded.value`
const USAGE = 'backup [--out <目录>]'

export const backupCommand: Command = {
  name: 'backup',
  usage: USAGE,
  summary: '备份数据库与文件并立即验证；服务运行时也可以做',
  async run(args, { env, print }) {
    const { out } = parseOptions(args, USAGE, { out: { type: 'string' } })
    if (out === '') throw new CommandError(`--out 后请给出目录；用法：npm run oms -- ${USAGE}`)
    const config = readConfig(env)
    const stamp = new Date().toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
    const folder = resolve(out ?? join(config.dataDir, 'backups', stamp))
    const database = await openExistingDatabase(config, print)
    try {
      // Without this check the backup could lack the key of this database or contain another key.
      await assertSecretKey(database, config, { isRecorded: false }).catch(ignoreEmptyDatabase)
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const source = { connection: database.connection, files, secretKeyFile }
      const { manifest, isVerified } = await backup(source, folder)
      await database.pool.query(RECORD)
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(isVerified ? `备份完成：${folder}` : `备份完成（未经恢复验证：数据库账号无权建库）：${folder}`)
      print(`${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件`)
      print(isVerified ? '已恢复到临时数据库逐表核对，内容一致' : '只核对了备份的校验和')
      if (manifest.secretKey) print('备份内含密钥 secret.key，请妥善保管')
    } finally {
      await database.close()
    }
  },
}

/** Ignores the missing key of a database without tables; the backup refuses such a database with its own message. */
function ignoreEmptyDatabase(error: unknown) {
  if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return
  throw error
}

const SCRATCH_PREFIX = 'oms_verify_'
/** Class of the advisory locks that mark scratch databases in use; the object is the hash of the name. */
const SCRATCH_LOCK = 7_302_516

type BackupSource = {
  readonly connection: pg.ClientConfig
  readonly files: FileStore
  /** Path of `secret.key`; undefined when the operator sets `OMS_SECRET_KEY`. */
  readonly secretKeyFile?: string | undefined
}

type BackupResult = {
  readonly manifest: Manifest
  /** False when the database account may not create the scratch database that the comparison needs. */
  readonly isVerified: boolean
}

/**
 * Writes a consistent copy of database and files while servers run, and restores it into a scratch database to compare
 * every table. The folder gets its final name after the comparison. A failed backup leaves nothing behind.
 */
export async function backup(source: BackupSource, folder: string): Promise<BackupResult> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) throw new CommandError(`备份目录 ${folder} 不是空的`)
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  try {
    const manifest = await blockFileRemoval(source.connection, () => writeBackup(source, partial))
    await verifyBackupMembers(partial, manifest)
    const isVerified = await verifyBackup(source.connection, partial, manifest)
    await rm(folder, { recursive: true, force: true })
    await rename(partial, folder)
    await syncDirectory(dirname(folder))
    return { manifest, isVerified }
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function writeBackup({ connection, files, secretKeyFile }: BackupSource, folder: string): Promise<Manifest> {
  makeDirectory(join(folder, 'rows'), 0o700)
  const hasKey = secretKeyFile !== undefined && existsSync(secretKeyFile)
  if (hasKey) await copyFile(secretKeyFile, join(folder, SECRET_KEY))
  const rows = await takeRows(connection, folder)
  for (const { sha256, size } of rows.files) await takeFile(files, folder, sha256, size)
  const manifest: Manifest = { format: 2, ...rows, secretKey: hasKey }
  await writeSynced(join(folder, BACKUP_MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

/** Copies all tables from one snapshot, so that a concurrent change is in all of its tables or in none. */
async function takeRows(connection: pg.ClientConfig, folder: string) {
  const client = await openSession(connection)
  try {
    await client.query('begin isolation level repeatable read read only')
    if (!(await hasTable(client, 'schema_migrations'))) throw new CommandError('数据库是空的，没有可备份的内容')
    const [moment] = (
      await client.query<{ takenAt: string; postgres: string }>(
        `select to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "takenAt", current_setting('server_version') as postgres`,
      )
    ).rows
    const migrations = await client.query<{ tag: string; checksum: string }>(
      'select tag, checksum from schema_migrations order by position',
    )
    const known = readMigrations().map(({ checksum }) => checksum)
    if (migrations.rows.some(({ checksum }, at) => known[at] !== checksum))
      throw new CommandError('数据库与本程序的版本不一致，请用运行服务的同一版本备份')
    const tables: Manifest['tables'] = []
    for (const table of await listTables(client))
      tables.push({ ...table, ...(await writeRows(client, table, rowsPath(folder, table.name))) })
    const files = await client.query<{ sha256: string; size: number }>(
      'select distinct on (sha256) sha256, size::float8 as size from files order by sha256',
    )
    const [partitions, sequences] = [await listPartitions(client), await readSequences(client)]
    await client.query('commit')
    if (!moment) throw new CommandError('数据库没有回答')
    return { ...moment, migrations: migrations.rows, tables, partitions, sequences, files: files.rows }
  } finally {
    await client.end()
  }
}

async function takeFile(files: FileStore, folder: string, sha256: string, size: number) {
  const path = filePath(folder, sha256)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const source = await files.openRead(sha256).catch(() => {
    throw new CommandError(`文件 ${sha256} 有记录但没有内容；请先运行 npm run oms -- check`)
  })
  const hash = createHash('sha256')
  let length = 0
  source.on('data', (chunk: Buffer) => (length += chunk.length))
  await pipeline(source, createDigestStream(hash), createWriteStream(path, { flush: true, mode: 0o600 }))
  if (hash.digest('hex') !== sha256 || length !== size)
    throw new CommandError(`文件 ${sha256} 的内容已损坏；请先运行 npm run oms -- check`)
}

/** Restores the rows into a scratch database and compares them; returns false when the account may not create one. */
export async function verifyBackup(connection: pg.ClientConfig, folder: string, manifest: Manifest): Promise<boolean> {
  const admin = await openSession(connection)
  try {
    const allowed = await admin.query<{ may: boolean }>(
      'select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user',
    )
    if (allowed.rows[0]?.may !== true) return false
    await dropAbandonedScratch(admin)
    const name = `${SCRATCH_PREFIX}${randomBytes(6).toString('hex')}`
    await admin.query(`select pg_advisory_lock(${SCRATCH_LOCK}, hashtext($1))`, [name])
    // An embedded cluster has only template1, which nobody changes.
    const { rowCount } = await admin.query(`select from pg_database where datname = 'template0'`)
    await admin.query(`create database ${name} template ${rowCount ? 'template0' : 'template1'} encoding 'UTF8'`)
    try {
      await restoreRows(withDatabase(connection, name), folder, manifest)
    } finally {
      await admin.query(`drop database ${name}`)
    }
    return true
  } finally {
    await admin.end()
  }
}

/** Drops scratch databases of killed backups. A running backup holds the advisory lock of its own database. */
async function dropAbandonedScratch(admin: pg.Client) {
  const { rows } = await admin.query<{ name: string }>(
    `select datname as name from pg_database join pg_roles r on r.oid = datdba
     where datname like $1 and r.rolname = current_user and pg_try_advisory_lock(${SCRATCH_LOCK}, hashtext(datname))`,
    [`${SCRATCH_PREFIX.replaceAll('_', '\\_')}%`],
  )
  for (const { name } of rows) await admin.query(`drop database if exists ${quoteIdentifier(name)} with (force)`)
}

function withDatabase({ connectionString, ...rest }: pg.ClientConfig, database: string): pg.ClientConfig {
  if (connectionString === undefined) return { ...rest, database }
  const { host, port, user, password, ssl } = new pg.Client({ connectionString })
  return { ...rest, host, port, user, password, ssl, database }
}

async function writeSynced(path: string, text: string) {
  const file = await open(path, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
  await file.close()
}
