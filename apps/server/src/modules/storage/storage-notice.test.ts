import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { runStorageClock } from './storage-clock.ts'
import { useStorage } from './storage-fixture.ts'
import { runStorageNotices } from './storage-notice.ts'

const app = useApp()
const { at, call, newDevice, open, packages } = useStorage(app)

let tenantId: number
let keeper: Caller
beforeAll(async () => {
  at('2026-05-01')
  keeper = await app.by({ tenant: '甲公司', permissions: ['ossManage:deviceList:renew'] })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '甲公司'`)
  tenantId = rows[0]!.id
})

/** Titles of all messages to the keeper, oldest first. */
const titles = async () => {
  const { rows } = await app.db.execute<{ title: string }>(
    sql`select title from notices where ${keeper.uid} = any(target_ids) order by notice_id`,
  )
  return rows.map(({ title }) => title)
}
const run = async (day: string) => {
  at(day)
  await runStorageClock(app.services)
  return (await runStorageNotices(app.services)).notices
}

test('staff of the tenant is told 30, 7 and 1 days before the end of a queue, once each', async () => {
  const sns = [await newDevice(tenantId), await newDevice(tenantId)]
  await open(sns, 'M1', { copies: 2 })
  // The first package ends on 1 June, but another one follows: the queue ends on 1 July.
  expect(await run('2026-05-30')).toBe(0)
  expect(await run('2026-06-02')).toBe(2)
  expect(await run('2026-06-02')).toBe(0)
  expect(await run('2026-06-25')).toBe(2)
  expect(await run('2026-06-26')).toBe(0)
  expect(await run('2026-06-30')).toBe(2)
  expect(await titles()).toEqual([
    '2个通道的云存储将在30天内到期',
    '2个通道的云存储将在7天内到期',
    '2个通道的云存储将在1天内到期',
  ])
  expect(await run('2026-07-01')).toBe(0)
  const { rows } = await app.db.execute<{ days: number; n: number }>(
    sql`select days, count(*)::int as n from oss_notices group by 1 order by 1`,
  )
  expect(rows).toEqual([
    { days: 0, n: 2 },
    { days: 1, n: 2 },
    { days: 7, n: 2 },
    { days: 30, n: 2 },
  ])
})

test('a late run announces only the shortest time, a short package is not announced when it is opened', async () => {
  at('2026-08-01')
  const before = (await titles()).length
  const [late, short] = [await newDevice(tenantId), await newDevice(tenantId)]
  await open([late], 'M1', { copies: 2 })
  await open([short], 'W1')
  expect(await run('2026-08-01')).toBe(0)
  expect(await run('2026-09-28')).toBe(1)
  expect((await titles()).slice(before)).toEqual(['1个通道的云存储将在7天内到期'])
})

test('a renewal starts the notices again, and a suspended queue has none', async () => {
  at('2026-11-01')
  const sn = await newDevice(tenantId)
  await open([sn], 'M1', { copies: 2 })
  expect(await run('2026-12-26')).toBe(1)
  const { data } = await call('GET', `/api/v1/oss/device/page?sn=${sn}&state=1`)
  await call('POST', '/api/v1/oss/device/renew', { ids: [data.list[0].id], reason: '续费' })
  expect(await run('2026-12-27')).toBe(0)
  expect(await run('2027-01-26')).toBe(1)
  const current = (await call('GET', `/api/v1/oss/device/page?sn=${sn}&state=1`)).data.list[0]
  await call('POST', '/api/v1/oss/device/suspend', { ids: [current.id], reason: '维修' })
  expect(await run('2027-01-31')).toBe(0)
})

test('card files that nobody downloaded are destroyed after 24 hours', async () => {
  at('2027-02-01')
  const input = { packageId: packages['M1'], count: 1, validTo: '2099-12-31' }
  const { data } = await call('POST', '/api/v1/oss/card/create', input)
  const encrypted = async () =>
    (
      await app.db.execute<{ n: number }>(
        sql`select length(file_encrypted) as n from oss_card_batches where id = ${data.id}`,
      )
    ).rows[0]!.n
  await run('2027-02-01')
  expect(await encrypted()).toBeGreaterThan(0)
  await run('2027-02-02')
  expect(await encrypted()).toBe(0)
})
