import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { files as filesTable } from '#db/schema/system.ts'
import { tenants } from '#db/schema/tenant.ts'
import { LocalStore } from '#kernel/files/local-store.ts'
import { createTestDatabase } from '#test/database.ts'
import { backup, verify } from './backup.ts'
import { openSession, tablesOf } from './catalog.ts'
import { checkIntegrity } from './check.ts'
import { rowsPath } from './manifest.ts'
import { restore } from './restore.ts'
import { sumRows } from './rows.ts'

let base: string
let source: Database
let target: Database
let store: LocalStore
let stored: { sha256: string; md5: string; sha1: string; size: number }
const BODY = Buffer.from('固件 \0 bytes'.repeat(5_000))

async function* once(body: Buffer) {
  yield body
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'oms-backup-'))
  source = await createTestDatabase()
  store = new LocalStore(join(base, 'files'), 0)
  stored = await store.put(once(BODY))
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

/** Every table as its number of rows and the sum of their bytes. */
async function sumsOf({ connection }: Database) {
  const client = await openSession(connection)
  const sums: Record<string, unknown> = {}
  for (const table of await tablesOf(client)) sums[table.name] = await sumRows(client, table)
  await client.end()
  return sums
}

describe('backup', () => {
  test('brings back every row and every byte', async () => {
    const folder = folderOf()
    const manifest = await take(folder)
    expect(await verify(source.connection, folder, manifest)).toBe(true)
    const files = emptyStore()
    await restore({ connection: target.connection, files }, folder)
    expect(await sumsOf(target)).toEqual(await sumsOf(source))
    expect((await buffer(await files.openRead(stored.sha256))).equals(BODY)).toBe(true)
    // The counters came along: the next row gets the next number.
    const [next] = await target.db.insert(tenants).values({ tenantNo: 'next', name: 'n', shortName: 'n' }).returning()
    const [expected] = await source.db
      .insert(tenants)
      .values({ tenantNo: 'next', name: 'n', shortName: 'n' })
      .returning()
    expect(next?.id).toBe(expected?.id)
    expect(await checkIntegrity(target.pool, files)).toMatchObject({ checked: 1, broken: [], orphans: 0, behind: [] })
  })

  test('is one moment although rows are written meanwhile', async () => {
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
    await restore({ connection: target.connection, files: emptyStore() }, folder)
    const { rows } = await target.pool.query<{ pairs: number; tenants: number }>(
      `select (select count(*) from settings where key like 'live%') as pairs,
         (select count(*) from tenants where tenant_no like 'live%') as tenants`,
    )
    expect(rows[0]?.pairs).toBe(rows[0]?.tenants)
  })

  test('is refused by a target with rows or files', async () => {
    const folder = folderOf()
    await take(folder)
    await expect(restore({ connection: target.connection, files: store }, folder)).rejects.toThrow('不是空的')
    await target.db.insert(tenants).values({ tenantNo: 'T', name: 'n', shortName: 'n' })
    await expect(restore({ connection: target.connection, files: emptyStore() }, folder)).rejects.toThrow('tenants')
  })

  test('is refused when a member was damaged, before anything is touched', async () => {
    const folder = folderOf()
    await take(folder)
    writeFileSync(rowsPath(folder, 'tenants'), 'x')
    await expect(restore({ connection: target.connection, files: emptyStore() }, folder)).rejects.toThrow('备份已损坏')
    expect(await target.db.$count(tenants)).toBe(0)
  })

  test('keeps the folder to its owner and never writes over another backup', async () => {
    const folder = folderOf()
    await take(folder)
    expect(statSync(join(folder, 'rows')).mode & 0o077).toBe(0)
    await expect(take(folder)).rejects.toThrow('不是空的')
  })
})

describe('check', () => {
  test('names missing and damaged files and counters that are behind', async () => {
    const files = emptyStore()
    expect((await checkIntegrity(source.pool, files)).broken).toEqual([`文件 ${stored.sha256} 没有内容`])
    await target.pool.query(
      `insert into tenants (id, tenant_no, name, short_name) overriding system value values (900, 'T', 'n', 'n')`,
    )
    expect((await checkIntegrity(target.pool, files)).behind.join()).toContain('tenants')
  })
})
