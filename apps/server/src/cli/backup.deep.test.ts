import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#core/database/client.ts'
import { migrateDatabase } from '#core/database/migrate.ts'
import { LocalStore } from '#core/storage/local/local-store.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { files as filesTable } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { createTestDatabase, emptyDatabase } from '#test/database.ts'
import { backup, verifyBackup } from './backup.ts'
import {
  listTables,
  openSession,
  RESTORE_TABLE,
  BACKUP_MANIFEST_FILE,
  type Manifest,
  rowsPath,
  SECRET_KEY,
  summarizeRows,
} from './archive.ts'
import { checkIntegrity } from './check.ts'
import { restoreBackup, beginRestore, restoreCommand } from './restore.ts'

let base: string
let source: Database
let target: Database
let store: LocalStore
let stored: { sha256: string; md5: string; sha1: string; size: number }
const BODY = Buffer.from('固件 \0 bytes'.repeat(5_000))

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'oms-backup-'))
  source = await createTestDatabase()
  store = new LocalStore(join(base, 'files'), 0)
  stored = await putBytes(store, BODY)
  const { sha256, md5, sha1, size } = stored
  await source.db
    .insert(filesTable)
    .values({ id: 'a'.repeat(32), purpose: 'ota', name: '固件\t"1"\n.bin', size, md5, sha1, sha256 })
  const names = Array.from({ length: 300 }, (_, n) => ({
    tenantNo: `T${n}`,
    name: `客户\\N ${n}\n`,
    shortName: `客${n}`,
  }))
  await source.db.insert(tenants).values(names)
})
beforeEach(async () => {
  await target?.close()
  target = await createTestDatabase()
})
afterAll(async () => {
  await source.close()
  await target?.close()
  rmSync(base, { recursive: true, force: true })
})

let made = 0
const folderOf = () => join(base, `backup-${(made += 1)}`)
const emptyStore = () => new LocalStore(join(base, `restored-${(made += 1)}`), 0)
const take = (folder: string) => backup({ connection: source.connection, files: store }, folder)

/** Returns the number of rows and the digest of every table. */
async function sumsOf({ connection }: Database) {
  const client = await openSession(connection)
  const sums: Record<string, unknown> = {}
  for (const table of await listTables(client)) sums[table.name] = await summarizeRows(client, table)
  await client.end()
  return sums
}

describe('backup', { timeout: 240_000 }, () => {
  test('restoring a backup restores every row and every byte', async () => {
    const folder = folderOf()
    expect((await take(folder)).isVerified).toBe(true)
    const files = emptyStore()
    await restoreBackup({ connection: target.connection, files }, folder)
    expect(await sumsOf(target)).toEqual(await sumsOf(source))
    expect((await buffer(await files.openRead(stored.sha256))).equals(BODY)).toBe(true)
    // The sequences are restored too: the next row gets the next number.
    const [next] = await target.db.insert(tenants).values({ tenantNo: 'next', name: 'n', shortName: 'n' }).returning()
    const [expected] = await source.db
      .insert(tenants)
      .values({ tenantNo: 'next', name: 'n', shortName: 'n' })
      .returning()
    expect(next?.id).toBe(expected?.id)
    expect(await checkIntegrity(target.pool, files)).toMatchObject({ checked: 1, broken: [], orphans: 0, behind: [] })
  })

  test('a backup contains one consistent snapshot although rows are written meanwhile', async () => {
    let isDone = false
    const writing = (async () => {
      for (let n = 0; !isDone; n += 1)
        await source.pool.query(
          `with t as (insert into tenants (tenant_no, name, short_name) values ($1, $1, 'x') returning id)
           insert into settings (key, value) select $1, to_jsonb(id) from t`,
          [`live${n}`],
        )
    })()
    const folder = folderOf()
    await take(folder)
    isDone = true
    await writing
    await restoreBackup({ connection: target.connection, files: emptyStore() }, folder)
    const { rows } = await target.pool.query<{ pairs: number; tenants: number }>(
      `select (select count(*) from settings where key like 'live%') as pairs,
         (select count(*) from tenants where tenant_no like 'live%') as tenants`,
    )
    expect(rows[0]?.pairs).toBe(rows[0]?.tenants)
  })

  test('restoring into a target with rows or files is refused', async () => {
    const folder = folderOf()
    await take(folder)
    await expect(restoreBackup({ connection: target.connection, files: store }, folder)).rejects.toThrow('不是空的')
    await target.db.insert(tenants).values({ tenantNo: 'T', name: 'n', shortName: 'n' })
    // A trigger also keeps the name of the tenant.
    await expect(restoreBackup({ connection: target.connection, files: emptyStore() }, folder)).rejects.toThrow(
      'ad_names',
    )
  })

  test('a damaged backup is refused before the target is changed', async () => {
    const folder = folderOf()
    await take(folder)
    writeFileSync(rowsPath(folder, 'tenants'), 'x')
    await expect(restoreBackup({ connection: target.connection, files: emptyStore() }, folder)).rejects.toThrow(
      '备份已损坏',
    )
    expect(await target.db.$count(tenants)).toBe(0)
  })

  test('tables are compared independently of the physical order of their rows', async () => {
    const many = await createTestDatabase()
    try {
      // 40 clients write and update rows of mixed width, so that COPY reads them in another order after a restore.
      const insert = `insert into settings (key, value) select $1 || n, to_jsonb(repeat(md5(n::text), 1 + n * 7 % 55))
        from generate_series(1, 60) n`
      await Promise.all(Array.from({ length: 40 }, (_, client) => many.pool.query(insert, [`wide${client}_`])))
      await many.pool.query(`delete from settings where key like 'wide%7'`)
      await many.pool.query(
        `update settings set value = to_jsonb(repeat('x', length(key) * 90)) where key like 'wide%3'`,
      )
      const folder = folderOf()
      expect((await backup({ connection: many.connection, files: emptyStore() }, folder)).isVerified).toBe(true)
      await restoreBackup({ connection: target.connection, files: emptyStore() }, folder)
      expect(await sumsOf(target)).toEqual(await sumsOf(many))
    } finally {
      await many.close()
    }
  })

  test('a restore leaves no files when a file is missing or the comparison fails', async () => {
    const folder = folderOf()
    const withoutBytes = backup({ connection: source.connection, files: emptyStore() }, folder)
    await expect(withoutBytes).rejects.toThrow('没有内容')
    expect([existsSync(folder), existsSync(`${folder}.partial`)]).toEqual([false, false])
    // The scratch database lacks this column, so that the restore into it fails.
    await target.pool.query('alter table tenants add column stray integer')
    await expect(backup({ connection: target.connection, files: emptyStore() }, folder)).rejects.toThrow('stray')
    expect([existsSync(folder), existsSync(`${folder}.partial`)]).toEqual([false, false])
    const { rows } = await target.pool.query(`select from pg_database where datname like 'oms\\_verify\\_%'`)
    expect(rows).toHaveLength(0)
  })

  test('an unusable directory for videos is reported before a database is created', async () => {
    const folder = folderOf()
    await take(folder)
    const [dataDir, file] = [join(base, 'data'), join(base, 'file')]
    writeFileSync(file, 'not a directory')
    const env = { DATA_DIR: dataDir, OMS_MEDIA_DIR: join(file, 'media') }
    await expect(restoreCommand.run([folder], { env, print: () => {} })).rejects.toThrow('ENOTDIR')
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a failed restore leaves an empty target that accepts the next restore', async () => {
    const folder = folderOf()
    await take(folder)
    const [files, secretKeyFile] = [emptyStore(), join(base, 'restored.key')]
    const manifest = readFileSync(join(folder, BACKUP_MANIFEST_FILE), 'utf8')
    writeFileSync(join(folder, SECRET_KEY), 'key of the installation')
    const broken = JSON.parse(manifest) as Manifest
    const tables = broken.tables.map((table) => (table.name === 'tenants' ? { ...table, rows: 1 } : table))
    writeFileSync(join(folder, BACKUP_MANIFEST_FILE), JSON.stringify({ ...broken, tables, secretKey: true }))
    const attempt = () => restoreBackup({ connection: target.connection, files, secretKeyFile }, folder)
    await expect(attempt()).rejects.toThrow('表 tenants 恢复后与备份不一致')
    for await (const { sha256 } of files.list()) expect.unreachable(`left ${sha256}`)
    expect(existsSync(secretKeyFile)).toBe(false)
    writeFileSync(join(folder, BACKUP_MANIFEST_FILE), manifest)
    await attempt()
    expect(await sumsOf(target)).toEqual(await sumsOf(source))
  })

  test('a restore removes the remains of a killed restore, but never changes a target with rows', async () => {
    const folder = folderOf()
    await take(folder)
    const [files, bare] = [emptyStore(), await emptyDatabase()]
    try {
      const killed = await beginRestore({ connection: bare.connection, files })
      await killed.announceFile(stored.sha256)
      await putBytes(files, BODY)
      await migrateDatabase(bare.connection)
      await killed.close()
      await restoreBackup({ connection: bare.connection, files }, folder)
      expect(await sumsOf(bare)).toEqual(await sumsOf(source))
      await bare.pool.query(`create table ${RESTORE_TABLE} (kind text, name text)`)
      await bare.pool.query(`insert into ${RESTORE_TABLE} values ('schema', 'public'), ('file', $1)`, [stored.sha256])
      await expect(restoreBackup({ connection: bare.connection, files }, folder)).rejects.toThrow('不是空的')
      expect(await files.stat(stored.sha256)).not.toBeNull()
    } finally {
      await bare.close()
    }
  })

  test('a failed restore into an empty database leaves no objects and no default privileges', async () => {
    const folder = folderOf()
    await take(folder)
    const bare = await emptyDatabase()
    const objects = async () =>
      (
        await bare.pool.query(
          `select classid::regclass::text as kind, objid from pg_depend
           where refclassid = 'pg_namespace'::regclass and refobjid = 'public'::regnamespace order by 1, 2`,
        )
      ).rows
    try {
      const before = await objects()
      const manifest = JSON.parse(readFileSync(join(folder, BACKUP_MANIFEST_FILE), 'utf8')) as Manifest
      const tables = manifest.tables.map((table) => (table.name === 'tenants' ? { ...table, rows: 1 } : table))
      writeFileSync(join(folder, BACKUP_MANIFEST_FILE), JSON.stringify({ ...manifest, tables }))
      await expect(restoreBackup({ connection: bare.connection, files: emptyStore() }, folder)).rejects.toThrow(
        'tenants',
      )
      expect(await objects()).toEqual(before)
    } finally {
      await bare.close()
    }
  })

  test('a backup reports that the database account may not create the scratch database', async () => {
    const folder = folderOf()
    const { manifest } = await take(folder)
    const limited = { ...source.connection, options: `${source.connection.options} -c role=oms_tenant` }
    expect(await verifyBackup(limited, folder, manifest)).toBe(false)
  })

  test('the backup folder is created for its owner only, and another backup is never overwritten', async () => {
    const folder = folderOf()
    await take(folder)
    expect(statSync(join(folder, 'rows')).mode & 0o077).toBe(0)
    await expect(take(folder)).rejects.toThrow('不是空的')
  })
})

describe('check', () => {
  test('check reports missing and damaged files, and sequences that are too low', async () => {
    const files = emptyStore()
    expect((await checkIntegrity(source.pool, files)).broken).toEqual([`文件 ${stored.sha256} 没有内容`])
    await target.pool.query(
      `insert into tenants (id, tenant_no, name, short_name) overriding system value values (900, 'T', 'n', 'n')`,
    )
    expect((await checkIntegrity(target.pool, files)).behind.join()).toContain('tenants')
  })
})
