import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { migrateTo, readMigrations } from '#core/database/migrate.ts'
import { openSession, quoteIdentifier, RESTORE_TABLE, listTables } from './catalog.ts'
import { CommandError } from './command.ts'
import { filePath, type Manifest, readManifest, rowsPath, SECRET_KEY } from './manifest.ts'
import { beginRestore, type RestoreTarget } from './restore-attempt.ts'
import { loadRows, computeFileDigest, summarizeRows } from './rows.ts'

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
