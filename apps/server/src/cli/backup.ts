import { createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { createHash, randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { readMigrations } from '#db/migrate.ts'
import { makeFolder } from '#kernel/files/make-folder.ts'
import type { FileStore } from '#kernel/files/store.ts'
import { hasTable, openSession, partitionsOf, sequencesOf, tablesOf } from './catalog.ts'
import { CommandError } from './command.ts'
import { filePath, MANIFEST, type Manifest, rowsPath, SECRET_KEY } from './manifest.ts'
import { restoreRows } from './restore.ts'
import { summed, writeRows } from './rows.ts'

export type BackupSource = {
  readonly connection: pg.ClientConfig
  readonly files: FileStore
  /** Where the server keeps its own key, if it does. */
  readonly secretKeyFile?: string | undefined
}

/** Takes a consistent copy beside a running server; the folder appears under its name only when it is whole. */
export async function backup({ connection, files, secretKeyFile }: BackupSource, folder: string): Promise<Manifest> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) throw new CommandError(`备份目录 ${folder} 不是空的`)
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  makeFolder(join(partial, 'rows'), 0o700)
  const hasKey = secretKeyFile !== undefined && existsSync(secretKeyFile)
  if (hasKey) await copyFile(secretKeyFile, join(partial, SECRET_KEY))
  const rows = await takeRows(connection, partial)
  for (const { sha256, size } of rows.files) await takeFile(files, partial, sha256, size)
  const manifest: Manifest = { format: 1, ...rows, secretKey: hasKey }
  await writeSynced(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  await rm(folder, { recursive: true, force: true })
  await rename(partial, folder)
  return manifest
}

/** All rows from one snapshot: no change made meanwhile is seen in one table and not in another. */
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
    for (const table of await tablesOf(client))
      tables.push({ ...table, ...(await writeRows(client, table, rowsPath(folder, table.name))) })
    const files = await client.query<{ sha256: string; size: number }>(
      'select distinct on (sha256) sha256, size::float8 as size from files order by sha256',
    )
    const [partitions, sequences] = [await partitionsOf(client), await sequencesOf(client)]
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
  await pipeline(source, summed(hash), createWriteStream(path, { flush: true, mode: 0o600 }))
  if (hash.digest('hex') !== sha256 || length !== size)
    throw new CommandError(`文件 ${sha256} 的内容已损坏；请先运行 npm run oms -- check`)
}

/** Restores the rows into a database made for it and compares; false when the account may not make one. */
export async function verify(connection: pg.ClientConfig, folder: string, manifest: Manifest): Promise<boolean> {
  const name = `oms_verify_${randomBytes(6).toString('hex')}`
  const admin = await openSession(connection)
  try {
    const allowed = await admin.query<{ may: boolean }>(
      'select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user',
    )
    if (allowed.rows[0]?.may !== true) return false
    // An embedded cluster keeps one template, and that as it came.
    const { rowCount } = await admin.query(`select from pg_database where datname = 'template0'`)
    await admin.query(`create database ${name} template ${rowCount ? 'template0' : 'template1'} encoding 'UTF8'`)
    try {
      await restoreRows(inDatabase(connection, name), folder, manifest)
    } finally {
      await admin.query(`drop database ${name} with (force)`)
    }
    return true
  } finally {
    await admin.end()
  }
}

function inDatabase({ connectionString, ...rest }: pg.ClientConfig, database: string): pg.ClientConfig {
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
