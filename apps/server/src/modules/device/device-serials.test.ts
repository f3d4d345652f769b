import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { DEVICE_PERMISSIONS, findSerialsByQuery, DEVICE_URL, insertModel, insertTenant } from './device-fixture.ts'

const server = useApp()
let me: Caller
let customer: Caller
let model: number
let theirs: number

const MILLION = 1_000_000

/** Inserts devices with given ids. */
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
    { id: MILLION - 1, sn: 'ab12_50%zz' },
    { id: MILLION, sn: 'ZZAB12' },
    { id: 9 * MILLION + 5, sn: 'ab1-AB12', tenant: theirs },
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
})

test('a search by serial part finds changed serial numbers and no deleted devices', async () => {
  await put([{ id: 20, sn: 'OLDNAME' }])
  await server.db.execute(sql`update devices set sn = 'NEWNAME' where id = 20`)
  expect(await findSerialsByQuery(me, { sn: 'oldn' })).toEqual([])
  expect(await findSerialsByQuery(me, { sn: 'newn' })).toEqual(['NEWNAME'])
  await server.db.execute(sql`update devices set deleted_at = now() where id = 20`)
  expect(await findSerialsByQuery(me, { sn: 'newn' })).toEqual([])
})

test('a search with more matches than the pager shows returns every page newest first', async () => {
  const many = Array.from({ length: 10_500 }, (_, at) => ({ id: 3 * MILLION - 400 + at, sn: `COMMON-${at}` }))
  await put(many)
  await put([{ id: 30, sn: 'COMMON-OF-THEIRS', tenant: theirs }])
  for (const pageNum of [1, 7, 500]) {
    const { data } = await me.call('GET', `${DEVICE_URL}/page?sn=mmon&pageNum=${pageNum}&pageSize=20`)
    const expected = many.toReversed().slice((pageNum - 1) * 20, pageNum * 20)
    expect(data.list.map((row: { sn: string }) => row.sn)).toEqual(expected.map(({ sn }) => sn))
    expect(data.totalIsEstimate).toBe(true)
  }
  expect(await findSerialsByQuery(customer, { sn: 'mmon' })).toEqual(['COMMON-OF-THEIRS'])
  expect(await findSerialsByQuery(me, { sn: 'mmon', tenantId: theirs })).toEqual(['COMMON-OF-THEIRS'])
})
