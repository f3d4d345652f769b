import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import S3rver from 's3rver'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openSession, listTables, summarizeRows } from '#cli/archive.ts'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { pollUntil } from '#core/database/embedded/processes.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { cephInstalled, type RealS3, startCeph } from '#test/clients/real-s3.ts'
import { oms, type Serving, serve } from '#test/serving.ts'

const WRITERS = 40
const ROLE = '/api/v1/tenant/role'
type Env = Record<string, string>

let base: string
let demo: Serving
let source: Env
let store: RealS3 | undefined
let external: ClusterSite
let target: Env

beforeAll(async () => {
  base = mkdtempSync(join(inject('scratch'), 'backup-'))
  source = { DATA_DIR: join(base, 'demo'), OMS_DEMO: 'on' }
  // Creating the demo data takes a minute on a busy machine.
  demo = await serve(source, 240_000)
  if (demo.url === '') throw new Error(demo.lines.join('\n'))
}, 300_000)
afterAll(async () => {
  demo.child.kill('SIGTERM')
  await demo.gone
  await store?.stop()
  if (external) await stopPostmaster(external)
})

async function login() {
  const payload = { account: 'demo', pswdMd5: computeMd5Hex('Demo-2026') }
  return (await demo.call('POST', '/api/v1/account/login', { payload })).data.token as string
}

/** Writes roles of mixed width, and one writer files, one after the other until `isDone`. */
async function write(ticket: string, writer: number, isDone: () => boolean, count: (writer: number) => void) {
  for (let at = 0; !isDone(); at += 1) {
    const remark = '长'.repeat(1 + ((writer * 37 + at * 53) % 180))
    const payload = { roleName: `写${writer}x${at}`, roleCode: `w${writer}_${at}`, remark }
    const { code, msg } = await demo.call('POST', ROLE, { ticket, payload })
    if (code !== 200) throw new Error(msg)
    count(writer)
    if (writer === 0) await demo.upload(ticket, `说明${at}.pdf`, Buffer.from(`%PDF-1.7\n${remark}${at}`))
  }
}

/** Starts the writers and waits until each has saved three roles. `counts` has the saved roles of each writer. */
async function startWriters(ticket: string) {
  let isDone = false
  const counts = Array.from({ length: WRITERS }, () => 0)
  const count = (writer: number) => void (counts[writer] = (counts[writer] ?? 0) + 1)
  const writing = counts.map((_, writer) => write(ticket, writer, () => isDone, count))
  const hasBegun = await pollUntil(60_000, 50, () => counts.every((saved) => saved >= 3) || undefined)
  return {
    counts,
    hasBegun,
    async stop() {
      isDone = true
      await Promise.all(writing)
    },
  }
}

/**
 * Asserts that the backup shows one moment: the first roles of each writer without a gap, at least the roles saved
 * before the backup. Each role has exactly one row in the operation log.
 */
async function expectSnapshot(env: Env, before: readonly number[], after: readonly number[]) {
  const cluster = await openCluster({ dataDir: env.DATA_DIR ?? '', role: 'tool', warn: () => {} })
  const client = await openSession(cluster.connection)
  try {
    const { rows } = await client.query<{ name: string; logged: number }>(
      `select role_name as name, (select count(*)::int from oper_logs where biz_type = 'role' and biz_id = r.id::text) as logged
       from roles r where role_name ~ '^写\\d+x\\d+$'`,
    )
    expect(rows.filter(({ logged }) => logged !== 1)).toEqual([])
    const { rows: logs } = await client.query<{ n: number }>(
      `select count(*)::int as n from oper_logs where action ~ '^新增角色「写\\d+x\\d+」'`,
    )
    expect(logs[0]?.n).toBe(rows.length)
    const numbers = Map.groupBy(rows, ({ name }) => Number(/\d+/.exec(name)))
    for (const [writer, saved] of before.entries()) {
      const found = (numbers.get(writer) ?? []).map(({ name }) => Number(/\d+$/.exec(name))).sort((a, b) => a - b)
      expect(found).toEqual(found.map((_, at) => at))
      expect(found.length).toBeGreaterThanOrEqual(saved)
      expect(found.length).toBeLessThanOrEqual(after[writer] ?? 0)
    }
  } finally {
    await client.end()
    await cluster.close()
  }
}

/** Starts Ceph where installed, a real S3 server, otherwise a substitute. */
async function startStore(): Promise<RealS3> {
  if (cephInstalled()) return startCeph()
  const address = '127.0.0.1'
  const directory = join(base, 'bucket')
  const bucket = new S3rver({ port: 0, address, directory, silent: true, configureBuckets: [{ name: 'oms' }] })
  const { port } = await bucket.run()
  const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }
  const config = { endpoint: `http://${address}:${port}`, region: 'us-east-1', bucket: 'oms', ...keys, pathStyle: true }
  return { config, stop: () => bucket.close() }
}

/** Returns the digest of every table, and digest and size of every stored file. */
async function contentsOf(env: Env, connection: pg.ClientConfig, s3?: Parameters<typeof openFileStore>[0]['s3']) {
  const client = await openSession(connection)
  // Every backup stores its time.
  await client.query(`delete from settings where key = 'lastBackup'`)
  const tables: Record<string, unknown> = {}
  for (const { name, columns } of await listTables(client)) {
    // A restore replaces transaction ids of another cluster (`changed`) that lie in the future of this one.
    const compared = { name, columns: columns.filter((column) => column !== 'changed') }
    tables[name] = await summarizeRows(client, compared)
  }
  const { rows } = await client.query<{ sha256: string; size: string }>('select distinct sha256, size from files')
  await client.end()
  const stored = await openFileStore({ dataDir: env.DATA_DIR ?? '', s3 })
  const files: Record<string, number | undefined> = {}
  for (const { sha256 } of rows) files[sha256] = (await stored.stat(sha256))?.size
  expect(files).toEqual(Object.fromEntries(rows.map(({ sha256, size }) => [sha256, Number(size)])))
  return { tables, files }
}

async function embeddedContents(env: Env) {
  const cluster = await openCluster({ dataDir: env.DATA_DIR ?? '', role: 'tool', warn: () => {} })
  try {
    return await contentsOf(env, cluster.connection)
  } finally {
    await cluster.close()
  }
}

/** Starts a PostgreSQL server that the program only reaches by DATABASE_URL. */
async function startExternal() {
  const dataDir = join(base, 'external')
  const opened = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  await opened.close()
  const { site } = opened
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  await ensureRunning(site)
  return site
}

test('FAULT a backup of the demo during parallel writes is verified and can be restored', {
  timeout: 600_000,
}, async () => {
  const writers = await startWriters(await login())
  expect(writers.hasBegun).toBe(true)
  const before = [...writers.counts]
  const out = join(base, 'busy')
  const backup = await oms(['backup', '--out', out], source)
  await writers.stop()
  expect(backup).toMatchObject({ code: 0, err: [] })
  expect(backup.out[0]).toBe(`备份完成：${out}`)
  expect(backup.out).toContain('已恢复到临时数据库逐表核对，内容一致')
  expect(before.every((saved, writer) => saved < (writers.counts[writer] ?? 0))).toBe(true)

  const restored = { DATA_DIR: join(base, 'busy-restored') }
  expect(await oms(['restore', out], restored)).toMatchObject({ code: 0, err: [] })
  expect(await oms(['check'], restored)).toMatchObject({ code: 0, err: [] })
  await expectSnapshot(restored, before, writers.counts)
})

test('FAULT rows and files are equal after moving from embedded and local storage to external and S3, and back', {
  timeout: 900_000,
}, async () => {
  demo.child.kill('SIGTERM')
  await demo.gone
  const expected = await embeddedContents(source)
  expect(Object.keys(expected.files).length).toBeGreaterThan(10)
  const first = join(base, 'first')
  expect(await oms(['backup', '--out', first], source)).toMatchObject({ code: 0, err: [] })

  store = await startStore()
  const { config: s3 } = store
  external = await startExternal()
  target = {
    DATA_DIR: join(base, 'target'),
    DATABASE_URL: `postgres://oms@localhost/oms?host=${external.sockets}`,
    OMS_S3_ENDPOINT: s3.endpoint,
    OMS_S3_REGION: s3.region,
    OMS_S3_BUCKET: s3.bucket,
    OMS_S3_ACCESS_KEY: s3.accessKey,
    OMS_S3_SECRET_KEY: s3.secretKey,
  }
  expect(await oms(['restore', first], target)).toMatchObject({ code: 0, err: [] })
  const connection = { host: external.sockets, port: 5432, user: 'oms', database: 'oms' }
  expect(await contentsOf(target, connection, s3)).toEqual(expected)

  // With the right to create databases, the tables are compared here too; otherwise the first line reports the missing
  // right.
  const second = join(base, 'second')
  const verified = await oms(['backup', '--out', join(base, 'verified')], target)
  expect(verified).toMatchObject({ code: 0, err: [] })
  expect(verified.out).toContain('已恢复到临时数据库逐表核对，内容一致')
  const admin = new pg.Client({ host: external.sockets, port: 5432, user: 'postgres', database: 'oms' })
  await admin.connect()
  await admin.query('alter role oms nocreatedb')
  await admin.end()
  const { code, out } = await oms(['backup', '--out', second], target)
  expect({ code, first: out[0] }).toEqual({ code: 0, first: `备份完成（未经恢复验证：数据库账号无权建库）：${second}` })

  // The videos stay where the cameras uploaded them: a backup does not hold them.
  const home = { DATA_DIR: join(base, 'home'), OMS_MEDIA_DIR: join(base, 'demo', 'media') }
  expect(await oms(['restore', second], home)).toMatchObject({ code: 0, err: [] })
  expect(await embeddedContents(home)).toEqual(expected)
})
