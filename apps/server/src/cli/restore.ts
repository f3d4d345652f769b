import { join, resolve, dirname } from 'node:path'
import { type Config, readConfig } from '#core/config/config.ts'
import { type Database, openDatabase } from '#core/database/client.ts'
import type { Media } from '#core/media/media.ts'
import { openMedia } from '#core/media/open-media.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import { listRetainedDays, markMissingVideos } from '#modules/storage/verify.ts'
import { parseArguments, type Command, CommandError } from './command.ts'
import {
  readManifest,
  openSession,
  quoteIdentifier,
  RESTORE_TABLE,
  listTables,
  filePath,
  type Manifest,
  rowsPath,
  SECRET_KEY,
  loadRows,
  computeFileDigest,
  summarizeRows,
  hasTable,
} from './archive.ts'
import { createReadStream, existsSync } from 'node:fs'
import type pg from 'pg'
import { migrateTo, readMigrations } from '#core/database/migrate.ts'
import { copyFile, readFile, rm } from 'node:fs/promises'
import { makeDirectory } from '#core/storage/local/local-files.ts'
import type { FileStore } from '#core/storage/store.ts'

const USAGE = 'restore <目录>'

/**
 * Marks videos that the local store does not hold. Checks no bucket, because a bucket already holds the videos of the
 * former installation.
 */
async function missingVideos(media: Media, { pool }: Database): Promise<number> {
  // A backup of an earlier build has no table of videos.
  const { rows } = await pool.query<{ found: boolean }>(`select to_regclass('oss_segments') is not null as found`)
  if (!rows[0]?.found) return 0
  return media.kind === 'local' ? (await markMissingVideos(pool, media, await listRetainedDays(pool))).length : 0
}

/** Opens the store of videos. Throws when its directory is not usable. */
async function openUsableMedia(config: Config): Promise<Media> {
  const media = await openMedia(config)
  if (media.kind === 'local') await media.check()
  return media
}

export const restoreCommand: Command = {
  name: 'restore',
  usage: USAGE,
  summary: '把备份恢复到空的数据目录（DATA_DIR、DATABASE_URL）；先停止服务',
  async run(args, { env, print }) {
    const folder = resolve(parseArguments(args, USAGE, {}).first)
    const config = readConfig(env)
    // Reports a mistyped folder and an unusable directory for videos before a database is created for it.
    await readManifest(folder)
    const media = await openUsableMedia(config)
    // Opens the database as a server, so that no other process uses the folder meanwhile.
    const database = await openDatabase(config, { role: 'server', warn: print })
    try {
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const manifest = await restoreBackup({ connection: database.connection, files, secretKeyFile }, folder)
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(
        `恢复完成：${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件（备份于 ${manifest.takenAt}）`,
      )
      const missing = await missingVideos(media, database)
      if (missing > 0) print(`备份不含录像文件：${missing} 段录像不在录像存储中，已标记为缺失`)
    } finally {
      await database.close()
      await media.close()
    }
  },
}

/**
 * Restores a backup into an empty target. Files are restored before rows, so that no row refers to a missing file. A
 * failed restore empties the target again. The next restore removes remains of a killed restore.
 */
export async function restoreBackup(target: RestoreTarget, folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await verifyBackupMembers(folder, manifest)
  const attempt = await beginRestore(target)
  try {
    if (manifest.secretKey && target.secretKeyFile !== undefined)
      await attempt.addKey(join(folder, SECRET_KEY), target.secretKeyFile)
    for (const { sha256, size } of manifest.files) {
      await attempt.announceFile(sha256)
      await target.files.put(createReadStream(filePath(folder, sha256)), { expect: { sha256, size } })
    }
    await restoreRows(target.connection, folder, manifest)
    await migrateTo(target.connection, readMigrations())
    return manifest
  } catch (error) {
    // Undoing also fails while the database is unavailable. The next restore then clears the target.
    await attempt.undo().catch(() => {})
    throw error
  } finally {
    await attempt.close()
  }
}

/** Refuses a backup with a missing or damaged member. */
export async function verifyBackupMembers(folder: string, manifest: Manifest): Promise<void> {
  const members = [
    ...manifest.tables.map(({ name, memberSha256 }) => ({ path: rowsPath(folder, name), sha256: memberSha256 })),
    ...manifest.files.map(({ sha256 }) => ({ path: filePath(folder, sha256), sha256 })),
  ]
  for (const { path, sha256 } of members)
    if ((await computeFileDigest(path).catch(() => '')) !== sha256) throw new CommandError(`备份已损坏：${path}`)
}

/** Loads all rows in one transaction and compares every table with its digest in the manifest. */
export async function restoreRows(connection: pg.ClientConfig, folder: string, manifest: Manifest): Promise<void> {
  const known = readMigrations()
  if (manifest.migrations.some(({ checksum }, at) => known[at]?.checksum !== checksum))
    throw new CommandError('备份来自更新的或不同的程序版本，请用备份时的版本或更新的版本恢复')
  await migrateTo(connection, known.slice(0, manifest.migrations.length))
  const client = await openSession(connection)
  try {
    await client.query('begin')
    await fill(client, folder, manifest)
    // The restore is complete when the rows are committed. Nothing may be removed afterwards.
    await client.query(`drop table if exists ${RESTORE_TABLE}`)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function fill(client: pg.Client, folder: string, { tables, partitions, sequences }: Manifest) {
  const names = (await listTables(client)).map(({ name }) => name)
  if (names.join() !== tables.map(({ name }) => name).join()) throw new CommandError('备份的表与程序的表不一致')
  for (const { name, parent, bound } of partitions)
    await client.query(
      `create table if not exists ${quoteIdentifier(name)} partition of ${quoteIdentifier(parent)} ${bound}`,
    )
  // Disables triggers before `truncate`, because triggers of append-only tables refuse it.
  for (const name of names) await client.query(`alter table ${quoteIdentifier(name)} disable trigger user`)
  if (names.length > 0) await client.query(`truncate ${names.map(quoteIdentifier).join(', ')}`)
  const links = await dropLinks(client)
  for (const table of tables) await fillTable(client, table, folder)
  await replaceTransactionIds(client)
  for (const name of names) await client.query(`alter table ${quoteIdentifier(name)} enable trigger user`)
  // Foreign keys are added last, and checked, because references may be circular.
  for (const { tbl, name, definition } of links)
    await client.query(`alter table ${tbl} add constraint ${quoteIdentifier(name)} ${definition}`)
  for (const { name, value, called } of sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [
      `public.${quoteIdentifier(name)}`,
      value,
      called,
    ])
}

/**
 * Replaces transaction ids of the source cluster. Such ids may be in the future of this cluster, and readers of new
 * rows would wait for them.
 */
async function replaceTransactionIds(client: pg.Client) {
  const { rows } = await client.query<{ tbl: string; name: string }>(
    `select attrelid::regclass::text as tbl, attname as name from pg_attribute join pg_class c on c.oid = attrelid
     where atttypid = 'xid8'::regtype and attnum > 0 and relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { tbl, name } of rows)
    await client.query(
      `update ${tbl} set ${quoteIdentifier(name)} = pg_current_xact_id() where ${quoteIdentifier(name)} > pg_current_xact_id()`,
    )
}

async function dropLinks(client: pg.Client) {
  const { rows } = await client.query<{ tbl: string; name: string; definition: string }>(
    `select conrelid::regclass::text as tbl, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
  )
  for (const { tbl, name } of rows) await client.query(`alter table ${tbl} drop constraint ${quoteIdentifier(name)}`)
  return rows
}

async function fillTable(client: pg.Client, table: Manifest['tables'][number], folder: string) {
  const sha256 = await loadRows(client, table, rowsPath(folder, table.name))
  const { rows, rowsDigest } = await summarizeRows(client, table)
  const isEqual = sha256 === table.sha256 && rows === table.rows && rowsDigest === (table.rowsDigest ?? rowsDigest)
  if (!isEqual) throw new CommandError(`表 ${table.name} 恢复后与备份不一致（${rows} 行，备份中 ${table.rows} 行）`)
}

type RestoreTarget = {
  readonly connection: pg.ClientConfig
  readonly files: FileStore
  /** Path of `secret.key`; undefined when the operator sets `OMS_SECRET_KEY`. */
  readonly secretKeyFile?: string | undefined
}

type Addition = { readonly kind: 'schema' | 'key' | 'file'; readonly name: string }

/** Records what a restore adds to the target, so that a failure can remove it. */
type RestoreAttempt = {
  addKey(from: string, to: string): Promise<void>
  /** Records a file before it is stored. */
  announceFile(sha256: string): Promise<void>
  undo(): Promise<void>
  close(): Promise<void>
}

/**
 * Refuses a target in use and removes remains of a killed restore. A table of the target lists the additions until the
 * rows are committed, so that the next restore can remove them.
 */
export async function beginRestore({ connection, files }: RestoreTarget): Promise<RestoreAttempt> {
  const client = await openSession(connection)
  try {
    await assertNoRows(client)
    if (await hasTable(client, RESTORE_TABLE)) await removeAdditions(client, files, await recordedAdditions(client))
    await assertNoFiles(files)
    const hadSchema = await hasTable(client, 'schema_migrations')
    await client.query(`create table ${RESTORE_TABLE} (kind text not null, name text not null)`)
    const additions: Addition[] = []
    const record = async (kind: Addition['kind'], name: string) => {
      additions.push({ kind, name })
      await client.query(`insert into ${RESTORE_TABLE} values ($1, $2)`, [kind, name])
    }
    if (!hadSchema) await record('schema', 'public')
    return {
      async addKey(from, to) {
        if (!existsSync(to)) await record('key', to)
        await copyKey(from, to)
      },
      announceFile: (sha256) => record('file', sha256),
      undo: () => removeAdditions(client, files, additions),
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function recordedAdditions(client: pg.Client) {
  return (await client.query<Addition>(`select kind, name from ${RESTORE_TABLE}`)).rows
}

async function assertNoRows(client: pg.Client) {
  for (const { name } of await listTables(client)) {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from ${quoteIdentifier(name)}) as used`,
    )
    if (rows[0]?.used) throw new CommandError(`目标数据库不是空的（表 ${name} 里有数据），恢复只能到空的数据目录`)
  }
}

async function assertNoFiles(files: FileStore) {
  for await (const { sha256 } of files.list())
    throw new CommandError(`目标文件库不是空的（有文件 ${sha256}），恢复只能到空的数据目录`)
}

async function copyKey(from: string, to: string) {
  const restored = await readFile(from, 'utf8')
  const present = await readFile(to, 'utf8').catch(() => restored)
  if (present !== restored) throw new CommandError(`${to} 与备份的密钥不同，恢复只能到空的数据目录`)
  makeDirectory(dirname(to))
  await copyFile(from, to)
}

async function removeAdditions(client: pg.Client, files: FileStore, additions: readonly Addition[]) {
  for (const { kind, name } of additions) {
    if (kind === 'file') await files.remove(name)
    if (kind === 'key') await rm(name, { force: true })
  }
  if (additions.some(({ kind }) => kind === 'schema')) await dropSchemaObjects(client)
  else await emptyTables(client)
  await client.query(`drop table if exists ${RESTORE_TABLE}`)
}

/**
 * Deletes rows that remain when a migration failed after the rows were committed. The tables were empty before the
 * restore.
 */
async function emptyTables(client: pg.Client) {
  const names = (await listTables(client)).map(({ name }) => quoteIdentifier(name))
  if (names.length === 0) return
  await client.query('begin')
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${names.join(', ')}`)
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  await client.query('commit')
}

/**
 * Drops tables, functions, types and collations of the schema, but not those of extensions, which another role may own.
 * Revokes the default privileges of the schema.
 */
async function dropSchemaObjects(client: pg.Client) {
  const { rows } = await client.query<{ command: string }>(
    `with of_extension as (select classid, objid from pg_depend where deptype = 'e')
     select format('drop table if exists %s cascade', oid::regclass) as command, 1 as place from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and ('pg_class'::regclass, oid) not in (select * from of_extension)
     union all
     select format('drop sequence if exists %s cascade', oid::regclass), 2 from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S'
     union all
     select format('drop routine if exists %s cascade', oid::regprocedure), 3 from pg_proc
     where pronamespace = 'public'::regnamespace and ('pg_proc'::regclass, oid) not in (select * from of_extension)
     union all
     select format('drop type if exists %s cascade', oid::regtype), 4 from pg_type
     where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
       and ('pg_type'::regclass, oid) not in (select * from of_extension)
     union all
     select format('drop collation if exists %s cascade', oid::regcollation), 5 from pg_collation
     where collnamespace = 'public'::regnamespace
       and ('pg_collation'::regclass, oid) not in (select * from of_extension)
     union all
     select format('alter default privileges in schema public revoke all on %s from %s',
       case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'routines' else 'types' end,
       grantee::regrole), 6
     from pg_default_acl, aclexplode(defaclacl)
     where defaclnamespace = 'public'::regnamespace and defaclrole = (select oid from pg_roles where rolname = current_user) and grantee <> 0
     order by place`,
  )
  await client.query('begin')
  for (const { command } of rows) await client.query(command)
  await client.query('commit')
}
