import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { transact } from '#core/tenancy/tenancy.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { DEVICE_PERMISSIONS, findSerialsByQuery, DEVICE_URL, insertModel, insertTenant } from './device-fixture.ts'
import { findIdsBySerialPart } from './device-serials.ts'

const server = useApp()
let me: Caller
let customer: Caller
let model: number
let theirs: number

const BUCKET = 2 ** 20

/** Inserts devices with given ids, so that they fall into given buckets of the index. */
const put = (rows: readonly { id: number; sn: string; tenant?: number }[]) =>
  server.db.execute(sql`insert into devices (id, tenant_id, model_id, sn)
    select x.id, coalesce(x.tenant, 1), ${model}, x.sn
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id int, sn text, tenant int)`)

beforeAll(async () => {
  me = await server.as(...DEVICE_PERMISSIONS)
  customer = await server.by({ tenant: '云栖', permissions: DEVICE_PERMISSIONS })
  theirs = await insertTenant(server.db, '云栖')
  model = await insertModel(server.db, 'S1')
  await put([
    { id: 10, sn: 'AB12-ef90-77' },
    { id: 11, sn: 'XX-ab12EF90', tenant: theirs },
    { id: BUCKET - 1, sn: 'ab12_50%zz' },
    { id: BUCKET, sn: 'ZZAB12' },
    { id: 9 * BUCKET + 5, sn: 'ab1-AB12', tenant: theirs },
  ])
})

test.each([
  ['ab12', ['ab1-AB12', 'ZZAB12', 'ab12_50%zz', 'XX-ab12EF90', 'AB12-ef90-77']],
  ['AB12EF', ['XX-ab12EF90']],
  ['2-ef90-7', ['AB12-ef90-77']],
  ['ab12-ef90-77', ['AB12-ef90-77']],
  ['ab12-ef90-78', []],
  ['12_5', ['ab12_50%zz']],
  ['1__5', []],
  ['50%z', ['ab12_50%zz']],
  ['50%zzz', []],
])('MODULE-01 a search for the serial part %o finds devices in every id range, newest first', async (sn, expected) => {
  expect(await findSerialsByQuery(me, { sn })).toEqual(expected)
})

test('a search by serial part supports other filters, sort orders and later pages', async () => {
  expect(await findSerialsByQuery(me, { sn: 'ab12', tenantId: theirs })).toEqual(['ab1-AB12', 'XX-ab12EF90'])
  expect(await findSerialsByQuery(me, { sn: 'ab12', status: 0 })).toEqual([])
  expect((await findSerialsByQuery(me, { sn: 'ab12', orderByColumn: 'sn', isAsc: 'asc' }))[0]).toBe('AB12-ef90-77')
  const { data } = await me.call('GET', `${DEVICE_URL}/page?sn=ab12&pageNum=2&pageSize=2`)
  expect(data).toMatchObject({ total: 5, list: [{ sn: 'ab12_50%zz' }, { sn: 'XX-ab12EF90' }] })
})

test('a search by serial part finds only devices of the tenant, also through row-level security', async () => {
  expect(await findSerialsByQuery(customer, { sn: 'ab12' })).toEqual(['ab1-AB12', 'XX-ab12EF90'])
  const user = { isPlatform: false, tenantId: theirs } as Parameters<typeof transact>[0]['user']
  const hits = await transact({ services: server.services, user }, (db) => findIdsBySerialPart(db, 'ab12'))
  expect(hits).toEqual([9 * BUCKET + 5, 11])
})

test('a search by serial part finds changed serial numbers and no deleted devices', async () => {
  await put([{ id: 20, sn: 'OLDNAME' }])
  await server.db.execute(sql`update devices set sn = 'NEWNAME' where id = 20`)
  expect(await findSerialsByQuery(me, { sn: 'oldn' })).toEqual([])
  expect(await findSerialsByQuery(me, { sn: 'newn' })).toEqual(['NEWNAME'])
  await server.db.execute(sql`update devices set deleted_at = now() where id = 20`)
  expect(await findSerialsByQuery(me, { sn: 'newn' })).toEqual([])
})

/** Returns the serials and total of a page of twenty. */
async function pageOf(sn: string, pageNum: number) {
  const { data } = await me.call('GET', `${DEVICE_URL}/page?sn=${sn}&pageNum=${pageNum}&pageSize=20`)
  const { total, totalIsEstimate } = data
  return { total, totalIsEstimate, sns: data.list.map((row: { sn: string }) => row.sn) as string[] }
}

test('the total of a search is an estimate until a requested page needs an exact count', async () => {
  const many = Array.from({ length: 260 }, (_, at) => ({ id: 5 * BUCKET - 30 + at, sn: `SOME-${at}` }))
  await put(many)
  const from = (row: number) =>
    many
      .toReversed()
      .slice(row, row + 20)
      .map(({ sn }) => sn)
  const first = await pageOf('some', 1)
  expect(first).toMatchObject({ totalIsEstimate: true, sns: from(0) })
  expect(first.total).toBeGreaterThanOrEqual(230)
  expect(await pageOf('some', 11)).toMatchObject({ totalIsEstimate: true, sns: from(200) })
  expect(await pageOf('some', 12)).toMatchObject({ totalIsEstimate: true, sns: from(220) })
  expect(await pageOf('some', 14)).toEqual({ total: 260, sns: [] })
  expect((await me.call('GET', `${DEVICE_URL}/page?sn=some&orderByColumn=sn&isAsc=asc`)).data).toMatchObject({
    total: 260,
  })
})

test('a search with 1,200 matches among the lowest million ids has an exact total', async () => {
  await put(Array.from({ length: 1200 }, (_, at) => ({ id: 1000 + at, sn: `PLENTY-${at}` })))
  expect(await pageOf('plenty', 1)).toMatchObject({ total: 1200, totalIsEstimate: undefined })
})

test('a search with more matches than the pager shows returns every page newest first', async () => {
  const many = Array.from({ length: 10_500 }, (_, at) => ({ id: 3 * BUCKET - 400 + at, sn: `COMMON-${at}` }))
  await put(many)
  await put([{ id: 30, sn: 'COMMON-OF-THEIRS', tenant: theirs }])
  const from = (row: number) =>
    many
      .toReversed()
      .slice(row, row + 20)
      .map(({ sn }) => sn)
  for (const page of [1, 7, 500])
    expect(await pageOf('mmon', page)).toMatchObject({ totalIsEstimate: true, sns: from((page - 1) * 20) })
  expect((await pageOf('mmon', 1)).total).toBeGreaterThan(2000)
  expect(await findSerialsByQuery(customer, { sn: 'mmon' })).toEqual(['COMMON-OF-THEIRS'])
  expect(await findSerialsByQuery(me, { sn: 'mmon', tenantId: theirs })).toEqual(['COMMON-OF-THEIRS'])
})
