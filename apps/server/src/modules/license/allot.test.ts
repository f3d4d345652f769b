import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { breaches, CERT, CERT_ALL, GRANT, GRANT_ALL, stock, tenantOf, uidOf } from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
let me: Caller
let boss: Caller
let theirs: number

beforeAll(async () => {
  registerImports(server.services)
  me = await server.as(...CERT_ALL, ...GRANT_ALL)
  boss = await server.as(...GRANT_ALL)
  await server.by({ tenant: '蓉城' })
  theirs = await tenantOf(server.db, '蓉城')
})

/** Creates a grant that one person requests and another approves. */
async function granted(typeCode: string, quota: number, more: object = {}) {
  const input = { tenantId: theirs, typeCode, quota, validFrom: '2020-01-01', validTo: '2099-12-31', ...more }
  const { data, msg } = await me.call('POST', GRANT, input)
  if (!data?.id) throw new Error(msg)
  expect(await boss.call('PUT', `${GRANT}/audit`, { id: data.id, rev: 0, pass: 1 })).toMatchObject({ code: 200 })
  return data.id as number
}
const grantOf = async (id: number) => (await me.call('GET', `${GRANT}/detail/${id}`)).data
const allot = (input: object, path = 'allot') => me.call('POST', `${CERT}/${path}`, { tenantId: theirs, ...input })
const held = async (type: string) =>
  (
    await server.db.execute<{ n: number }>(
      sql`select count(*)::int as n from licenses where tenant_id = ${theirs} and type_code = ${type}`,
    )
  ).rows[0]?.n

test('MODULE-01 an allotment takes the oldest certificates in stock and charges the grant for exactly these', async () => {
  const ids = await stock(server.db, { prefix: 'OLDA', count: 10, typeCode: 'A' })
  const grant = await granted('A', 8)
  const input = { mode: 1, vendor: 2, typeCode: 'a', count: 6 }
  expect((await allot(input, 'allot/plan')).data).toMatchObject({
    count: 6,
    skipped: 0,
    tenantName: '蓉城',
    covered: true,
    groups: [{ typeCode: 'A', count: 6, remaining: 8 }],
    batches: [{ batchNo: 'B-OLDA', count: 6 }],
  })
  expect(await allot({ ...input, expect: 5 })).toMatchObject({ msg: '库存已变化，现在可分配6个，请重新核对' })
  expect(await allot({ ...input, expect: 6, reason: '首批' })).toMatchObject({ code: 200, data: { count: 6 } })
  const { rows } = await server.db.execute(
    sql`select array_agg(id order by id) as ids from licenses where tenant_id = ${theirs} and type_code = 'A'`,
  )
  expect(rows[0]).toEqual({ ids: ids.slice(0, 6) })
  expect(await grantOf(grant)).toMatchObject({ quota: 8, used: 6, remaining: 2, status: 1 })
  expect(await allot(input, 'allot/plan')).toMatchObject({ msg: '库存不足，当前可分配4个' })
  expect(await allot({ ...input, count: 3 })).toMatchObject({
    msg: '「A」的授权余额不足，还差1个，请先增加额度或申请授权',
  })
  expect(await held('A')).toBe(6)
  await allot({ ...input, count: 2 })
  expect(await grantOf(grant)).toMatchObject({ used: 8, remaining: 0, status: 2 })
  await me.call('POST', `${CERT}/recall`, { ids: ids.slice(0, 3), reason: '退货' })
  expect(await grantOf(grant)).toMatchObject({ used: 5, remaining: 3, status: 1 })
  const { data } = await me.call('GET', `${GRANT}/ledger/${grant}`)
  expect(data.list.map(({ kind, amount, balance }: Record<string, number>) => [kind, amount, balance])).toEqual([
    [4, 3, 3],
    [3, -2, 0],
    [3, -6, 2],
    [1, 8, 8],
  ])
  expect(await breaches(server.db)).toEqual([])
})

test('an allotment of a range or batch takes only certificates in stock; its plan reports skipped certificates', async () => {
  await stock(server.db, { prefix: 'RNG', count: 20, typeCode: 'R' })
  await granted('R', 100)
  const range = { mode: 2, first: uidOf('RNG', 5), last: uidOf('RNG', 8) }
  expect(await allot({ ...range, first: 'NOPE' })).toMatchObject({ code: 400, data: { field: 'first' } })
  expect(await allot({ ...range, first: range.last, last: range.first })).toMatchObject({ data: { field: 'last' } })
  expect((await allot(range)).data).toEqual({ count: 4 })
  const { rows } = await server.db.execute<{ id: number }>(
    sql`select batch_id as id from licenses where uid = ${range.first}`,
  )
  const batch = { mode: 3, batchId: rows[0]?.id }
  expect((await allot(batch, 'allot/plan')).data).toMatchObject({ count: 16, skipped: 4 })
  expect((await allot(batch)).data).toEqual({ count: 16 })
  expect(await allot(batch)).toMatchObject({ msg: '所选范围内没有可分配的库存证书' })
  expect(await breaches(server.db)).toEqual([])
})

test('an allotment without a grant requires its own permission and is logged', async () => {
  await stock(server.db, { prefix: 'FREE', count: 4, typeCode: 'F' })
  const input = { mode: 1, vendor: 2, typeCode: 'F', count: 2 }
  expect(await allot(input)).toMatchObject({ msg: '客户没有「F」的有效授权，请先申请授权' })
  expect((await allot(input, 'allot/plan')).data).toMatchObject({ covered: false, groups: [{ remaining: null }] })
  expect(await allot(input, 'allot/free')).toMatchObject({ code: 400, data: { field: 'reason' } })
  const clerk = await server.as('LicenseManage:Certificate:allot')
  expect(await clerk.call('POST', `${CERT}/allot/free`, { ...input, tenantId: theirs, reason: '急' })).toMatchObject({
    code: 501,
  })
  expect((await allot({ ...input, reason: '样机' }, 'allot/free')).data).toEqual({ count: 2 })
  const { rows } = await server.db.execute(
    sql`select distinct e.reason, l.grant_id as grant from license_events e join licenses l on l.id = e.license_id where l.uid like 'FREE%' and e.action = 'allot'`,
  )
  expect(rows).toEqual([{ reason: '免授权分配：样机', grant: null }])
})

test('a grant for one model is charged before a grant for any model', async () => {
  await stock(server.db, { prefix: 'MODA', count: 2, typeCode: 'M', modelId: 7 })
  await stock(server.db, { prefix: 'MODB', count: 2, typeCode: 'M' })
  const any = await granted('M', 2)
  await server.db.execute(sql`insert into device_types (id, type_name, type_code) values (77, 'x', 'x')`)
  await server.db.execute(
    sql`insert into device_models (id, type_id, model_name, model_code) values (7, 77, 'm7', 'm7')`,
  )
  const own = await granted('M', 2, { modelId: 7 })
  expect((await allot({ mode: 1, vendor: 2, typeCode: 'M', count: 4 })).data).toEqual({ count: 4 })
  expect(await grantOf(any)).toMatchObject({ used: 2 })
  expect(await grantOf(own)).toMatchObject({ used: 2 })
})

test('twenty simultaneous allotments allot no certificate twice and exceed no grant', async () => {
  await stock(server.db, { prefix: 'RACE', count: 150, typeCode: 'X' })
  const grant = await granted('X', 100)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => allot({ mode: 1, vendor: 2, typeCode: 'X', count: 10 })),
  )
  const won = answers.filter(({ code }) => code === 200).length
  expect(won).toBeLessThanOrEqual(10)
  expect(won).toBeGreaterThan(0)
  expect(await held('X')).toBe(won * 10)
  const { rows } = await server.db.execute<{
    n: number
    d: number
  }>(sql`select count(*)::int as n, count(distinct license_id)::int as d
    from license_events e join licenses l on l.id = e.license_id where l.type_code = 'X' and e.action = 'allot'`)
  expect(rows[0]).toEqual({ n: won * 10, d: won * 10 })
  expect(await grantOf(grant)).toMatchObject({ used: won * 10 })
  expect(await breaches(server.db)).toEqual([])
})

test('all sums are correct after simultaneous allotments, recalls and scrappings', async () => {
  const ids = await stock(server.db, { prefix: 'MIX', count: 60, typeCode: 'Y' })
  await granted('Y', 1000)
  await allot({ mode: 1, vendor: 2, typeCode: 'Y', count: 40 })
  await Promise.all([
    ...Array.from({ length: 4 }, () => allot({ mode: 1, vendor: 2, typeCode: 'Y', count: 5 })),
    ...Array.from({ length: 6 }, (_, at) => me.call('POST', `${CERT}/recall`, { ids: ids.slice(at * 5, at * 5 + 8) })),
    ...Array.from({ length: 3 }, (_, at) =>
      me.call('POST', `${CERT}/scrap`, { ids: ids.slice(at * 7, at * 7 + 4), reason: '坏' }),
    ),
  ])
  expect(await breaches(server.db)).toEqual([])
})

test('the UIDs of a spreadsheet are allotted all together, or the lines that cannot be allotted are reported', async () => {
  await stock(server.db, { prefix: 'FILE', count: 5, typeCode: 'Z' })
  const take = async (lines: string[], dryRun: string) => {
    const b = 'x-allot'
    const part = (name: string, value: string) =>
      `--${b}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const file = `--${b}\r\nContent-Disposition: form-data; name="file"; filename="u.csv"\r\nContent-Type: text/csv\r\n\r\n${['*UID', ...lines].join('\n')}\r\n--${b}--\r\n`
    const payload = part('tenantId', String(theirs)) + part('dryRun', dryRun) + file
    const headers = { 'content-type': `multipart/form-data; boundary=${b}` }
    return (await me.inject({ method: 'POST', url: `${CERT}/allot/file`, headers, payload })).json()
  }
  const lines = [
    uidOf('FILE', 1),
    uidOf('FILE', 2).toLowerCase(),
    'NOPE-000001-ABCDE',
    uidOf('FILE', 1),
    uidOf('RACE', 1),
  ]
  expect(await take(lines, '0')).toMatchObject({ code: 501, msg: '客户没有「Z」的有效授权，请先申请授权' })
  expect(await held('Z')).toBe(0)
  const grant = await granted('Z', 3)
  for (const dryRun of ['1', '0'])
    expect((await take(lines, dryRun)).data).toMatchObject({
      total: 5,
      updated: 2,
      failed: 3,
      rows: [
        { row: 4, msg: 'UID 不存在' },
        { row: 5, msg: '与第2行的UID重复' },
        { row: 6, msg: '证书已分配，不在库存中' },
      ],
    })
  expect(await grantOf(grant)).toMatchObject({ used: 2, remaining: 1 })
  expect(await breaches(server.db)).toEqual([])
})
