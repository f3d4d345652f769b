import { createReadStream } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { migrateTo, readMigrations } from '#db/migrate.ts'
import type { FileStore } from '#kernel/files/store.ts'
import { openSession, quote, tablesOf } from './catalog.ts'
import { CommandError } from './command.ts'
import { filePath, type Manifest, readManifest, rowsPath, SECRET_KEY } from './manifest.ts'
import { loadRows, sumFile, sumRows } from './rows.ts'

export type RestoreTarget = {
  readonly connection: pg.ClientConfig
  readonly files: FileStore
  readonly secretKeyFile?: string | undefined
}

/** Brings a backup back into an empty place. Files come first: a row never points at bytes that are not there. */
export async function restore({ connection, files, secretKeyFile }: RestoreTarget, folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await inspectMembers(folder, manifest)
  await refuseUsed(connection, files)
  if (manifest.secretKey && secretKeyFile !== undefined) await restoreKey(folder, secretKeyFile)
  for (const { sha256, size } of manifest.files)
    await files.put(createReadStream(filePath(folder, sha256)), { expect: { sha256, size } })
  await restoreRows(connection, folder, manifest)
  await migrateTo(connection, readMigrations())
  return manifest
}

/** Before anything is touched: is every member there, and as it was written? */
export async function inspectMembers(folder: string, manifest: Manifest): Promise<void> {
  const members = [
    ...manifest.tables.map(({ name, memberSha256 }) => ({ path: rowsPath(folder, name), sha256: memberSha256 })),
    ...manifest.files.map(({ sha256 }) => ({ path: filePath(folder, sha256), sha256 })),
  ]
  for (const { path, sha256 } of members)
    if ((await sumFile(path).catch(() => '')) !== sha256) throw new CommandError(`备份已损坏：${path}`)
}

async function refuseUsed(connection: pg.ClientConfig, files: FileStore) {
  const client = await openSession(connection)
  try {
    for (const { name } of await tablesOf(client)) {
      const { rows } = await client.query<{ used: boolean }>(`select exists (select from ${quote(name)}) as used`)
      if (rows[0]?.used) throw new CommandError(`目标数据库不是空的（表 ${name} 里有数据），恢复只能到空的数据目录`)
    }
  } finally {
    await client.end()
  }
  for await (const { sha256 } of files.list())
    throw new CommandError(`目标文件库不是空的（有文件 ${sha256}），恢复只能到空的数据目录`)
}

async function restoreKey(folder: string, target: string) {
  const theirs = await readFile(join(folder, SECRET_KEY), 'utf8')
  const ours = await readFile(target, 'utf8').catch(() => theirs)
  if (ours !== theirs) throw new CommandError(`${target} 与备份的密钥不同，恢复只能到空的数据目录`)
  await copyFile(join(folder, SECRET_KEY), target)
}

/** All rows or none, and every table compared with the sum taken when it was written. */
export async function restoreRows(connection: pg.ClientConfig, folder: string, manifest: Manifest): Promise<void> {
  const known = readMigrations()
  if (manifest.migrations.some(({ checksum }, at) => known[at]?.checksum !== checksum))
    throw new CommandError('备份来自更新的或不同的程序版本，请用备份时的版本或更新的版本恢复')
  await migrateTo(connection, known.slice(0, manifest.migrations.length))
  const client = await openSession(connection)
  try {
    await client.query('begin')
    await fill(client, folder, manifest)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function fill(client: pg.Client, folder: string, { tables, partitions, sequences }: Manifest) {
  const names = (await tablesOf(client)).map(({ name }) => name)
  if (names.join() !== tables.map(({ name }) => name).join()) throw new CommandError('备份的表与程序的表不一致')
  for (const { name, parent, bound } of partitions)
    await client.query(`create table if not exists ${quote(name)} partition of ${quote(parent)} ${bound}`)
  // First of all: some tables refuse to be emptied by anybody else.
  for (const name of names) await client.query(`alter table ${quote(name)} disable trigger user`)
  if (names.length > 0) await client.query(`truncate ${names.map(quote).join(', ')}`)
  const links = await dropLinks(client)
  for (const table of tables) await fillTable(client, table, folder)
  await settleTransactionIds(client)
  for (const name of names) await client.query(`alter table ${quote(name)} enable trigger user`)
  // Put back last, and checked: references may run in circles, and no order of tables would do.
  for (const { tbl, name, definition } of links)
    await client.query(`alter table ${tbl} add constraint ${quote(name)} ${definition}`)
  for (const { name, value, called } of sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [`public.${quote(name)}`, value, called])
}

/** Numbers of another cluster's transactions may lie in this one's future: whoever follows a table would never get past them. */
async function settleTransactionIds(client: pg.Client) {
  const { rows } = await client.query<{ tbl: string; name: string }>(
    `select attrelid::regclass::text as tbl, attname as name from pg_attribute join pg_class c on c.oid = attrelid
     where atttypid = 'xid8'::regtype and attnum > 0 and relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { tbl, name } of rows)
    await client.query(
      `update ${tbl} set ${quote(name)} = pg_current_xact_id() where ${quote(name)} > pg_current_xact_id()`,
    )
}

async function dropLinks(client: pg.Client) {
  const { rows } = await client.query<{ tbl: string; name: string; definition: string }>(
    `select conrelid::regclass::text as tbl, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`,
  )
  for (const { tbl, name } of rows) await client.query(`alter table ${tbl} drop constraint ${quote(name)}`)
  return rows
}

async function fillTable(client: pg.Client, table: Manifest['tables'][number], folder: string) {
  await loadRows(client, table, rowsPath(folder, table.name))
  const { rows, sha256 } = await sumRows(client, table)
  if (rows !== table.rows || sha256 !== table.sha256)
    throw new CommandError(`表 ${table.name} 恢复后与备份不一致（${rows} 行，应为 ${table.rows} 行）`)
}
