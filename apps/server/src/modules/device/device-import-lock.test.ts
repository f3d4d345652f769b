import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createUser } from '#core/auth/rights.ts'
import { isLockConflict, isTransientError } from '#core/jobs/isolated.ts'
import { findImport } from '#core/spreadsheet/import/import.ts'
import { importLines } from '#core/spreadsheet/import/take-lines.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { DEVICE_PERMISSIONS, DEVICE_URL, insertGroup, insertModel, insertTenant } from './device-fixture.ts'

const server = useApp()
let me: Caller
let modelId: number
let theirs: number

beforeAll(async () => {
  me = await server.as(...DEVICE_PERMISSIONS)
  await server.by({ tenant: '锁公司' })
  theirs = await insertTenant(server.db, '锁公司')
  modelId = await insertModel(server.db, 'LOCK')
  await insertGroup(server.db, theirs, '仓库')
})
beforeEach(() => server.db.execute(sql`update tenants set device_quota = 5000 where id = ${theirs}`))

const HEAD = '*序列号,设备名称,型号编码,客户编号,MAC,IMEI,固件版本号,硬件版本,标签,分组,保修到期,备注'
let tenantNo = ''
const line = (sn: string) => `${sn},,LOCK,${tenantNo},,,7,,,仓库,,`
const add = (sn: string) => me.call('POST', DEVICE_URL, { sn, modelId, tenantId: theirs })
const count = (prefix: string) =>
  server.db.execute<{ n: number }>(sql`select count(*)::int as n from devices where sn like ${`${prefix}%`}`)
const lastId = async () =>
  (await server.db.execute<{ id: string }>(sql`select last_value as id from devices_id_seq`)).rows[0]!.id

const readTenantNo = async (id: number) =>
  (await server.db.execute<{ no: string }>(sql`select tenant_no as no from tenants where id = ${id}`)).rows[0]!.no

/** Imports devices, and calls `during` after every batch while the transaction of the import is open. */
async function importSerials(sns: readonly string[], dryRun: '0' | '1', during: (done: number) => Promise<unknown>) {
  tenantNo = await readTenantNo(theirs)
  return importTable(sns.map(line), dryRun, during)
}
async function importTable(lines: readonly string[], dryRun: '0' | '1', during: (done: number) => Promise<unknown>) {
  const rights = await server.services.sessions.rightsOf(me.uid)
  const text = [HEAD, ...lines].join('\n')
  const context = { services: server.services, now: new Date() }
  return importLines(
    { ...context, user: createUser(rights!, { id: '', tenantId: 1 }) },
    {
      definition: findImport('device')!,
      input: { dryRun, update: '0' } as { dryRun: '0' | '1' },
      table: { name: 'd.csv', bytes: Buffer.from(text) },
      onLine: async (done) => void (done % 2000 === 0 && (await during(done))),
    },
  )
}
const serials = (prefix: string, total: number) => Array.from({ length: total }, (_, at) => `${prefix}-${at}`)

test('a dry run locks no row, writes no device and uses no id of the sequence', { timeout: 60_000 }, async () => {
  await add('TAKEN-1')
  const before = await lastId()
  const report = await importSerials([...serials('DRY', 4000), 'TAKEN-1', 'DRY-1'], '1', async (done) => {
    expect(await add(`BESIDE-${done}`)).toMatchObject({ code: 200 })
    expect(await add(`DRY-${done - 1}`)).toMatchObject({ code: 200 })
  })
  expect(report).toMatchObject({ total: 4002, created: 4000, failed: 2 })
  expect(report.rows.map(({ msg }) => msg)).toEqual(['序列号已存在', '与第3行的序列号重复'])
  expect(Number(await lastId()) - Number(before)).toBe(4)
})

test('a running import does not lock the device quota of its tenant', { timeout: 60_000 }, async () => {
  const report = await importSerials(serials('RUN', 2500), '0', async () => {
    expect(await add('MEANWHILE-1')).toMatchObject({ code: 200 })
  })
  expect(report).toMatchObject({ created: 2500, failed: 0 })
})

test('an import whose quota other additions use up is retried and refuses the lines above the quota', {
  timeout: 60_000,
}, async () => {
  const { rows } = await server.db.execute<{ n: number }>(
    sql`select count(*)::int as n from devices where tenant_id = ${theirs} and deleted_at is null`,
  )
  await server.db.execute(sql`update tenants set device_quota = ${rows[0]!.n + 2100} where id = ${theirs}`)
  const error = await importSerials(serials('FULL', 2100), '0', () => add('MEANWHILE-2')).catch(
    (thrown: unknown) => thrown,
  )
  expect(isTransientError(error) && isLockConflict(error)).toBe(true)
  expect((await count('FULL-')).rows[0]!.n).toBe(0)
  const again = await importSerials(serials('FULL', 2100), '0', async () => {})
  expect(again).toMatchObject({ created: 2099, failed: 1 })
  expect(again.rows[0]).toMatchObject({ field: '客户编号', msg: expect.stringContaining('设备数量已达上限') })
})

test('two imports that add devices to the same tenants in opposite order both succeed', {
  timeout: 60_000,
}, async () => {
  await server.by({ tenant: '另一家' })
  const other = await insertTenant(server.db, '另一家')
  await server.db.execute(sql`update tenants set device_quota = -1 where id in (${theirs}, ${other})`)
  const nos = [await readTenantNo(theirs), await readTenantNo(other)] as const
  const started = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() }
  /** Imports 2,000 devices of one tenant and, once the other import has done so too, one device of the other tenant. */
  const run = (name: 'a' | 'b', [first, second]: readonly [string, string]) => {
    const lines = serials(`OPPOSITE-${name}`, 2001).map((sn, at) => `${sn},,LOCK,${at < 2000 ? first : second},,,,,,,,`)
    return importTable(lines, '0', async () => {
      started[name].resolve()
      await Promise.all([started.a.promise, started.b.promise])
    })
  }
  const reports = await Promise.all([run('a', nos), run('b', [nos[1], nos[0]])])
  expect(reports).toMatchObject([{ created: 2001 }, { created: 2001 }])
})
