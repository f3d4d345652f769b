import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { decrypt } from '#core/crypto/keys.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { recordDueEntitlements } from './clock.ts'
import { useStorage } from '#test/fixtures/storage-fixture.ts'
import { runStorageNotices } from './notices.ts'

const app = useApp()
const { at, call, newDevice, open, packages, rowsOf, step } = useStorage(app)

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
  await recordDueEntitlements(app.services)
  return (await runStorageNotices(app.services)).notices
}

test('the staff of a tenant get one notice each 30, 7 and 1 days before the end of a queue and at its end', async () => {
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
    '2个通道的云存储将在 30 天内到期',
    '2个通道的云存储将在 7 天内到期',
    '2个通道的云存储将在 1 天内到期',
  ])
  expect(await run('2026-07-01')).toBe(0)
  expect(await run('2026-07-02')).toBe(0)
  expect((await titles()).slice(3)).toEqual(['2个通道的云存储已过期'])
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

test('a delayed run sends only the notice with the shortest time; opening a short package sends no notice', async () => {
  at('2026-08-01')
  const before = (await titles()).length
  const [late, short] = [await newDevice(tenantId), await newDevice(tenantId)]
  await open([late], 'M1', { copies: 2 })
  await open([short], 'W1')
  expect(await run('2026-08-01')).toBe(0)
  expect(await run('2026-09-28')).toBe(1)
  expect((await titles()).slice(before)).toEqual(['1个通道的云存储将在 7 天内到期'])
})

test('a renewal permits new notices about the new end, and a suspended queue causes no notice', async () => {
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

test('a cancellation by staff sends a notice to the user but not to the staff', async () => {
  at('2027-03-01')
  const [sn, expiring] = [await newDevice(tenantId), await newDevice(tenantId)]
  await open([sn], 'M1')
  await open([expiring], 'W1')
  at('2027-03-08')
  expect((await step('cancel', [(await rowsOf(sn))[0]!.id])).code).toBe(200)
  const before = (await titles()).length
  await run('2027-03-08')
  expect((await titles()).slice(before)).toEqual(['1个通道的云存储已过期'])
  const { rows } = await app.db.execute(sql`select days from oss_notices where kind = 2 and sn = ${sn}`)
  expect(rows).toHaveLength(1)
})

test('users get one notice two days before stored videos are deleted, also by mail if they have a mail address', async () => {
  const sent: { to: string; subject: string; text: string }[] = []
  const { mail, jobs } = app.services
  const queued = jobs.sendMessage
  Object.assign(app.services, { mail: { configured: true } })
  Object.assign(jobs, {
    sendMessage: (_db: unknown, _kind: string, { encrypted }: { encrypted: string }) => {
      sent.push(JSON.parse(decrypt(app.services.config.secretKey, encrypted)))
      return Promise.resolve()
    },
  })
  at('2028-01-01')
  const [watched, unbound, empty] = [await newDevice(tenantId), await newDevice(tenantId), await newDevice(tenantId)]
  await open([watched, unbound, empty], 'M1')
  await app.db.execute(sql`with made as (insert into app_accounts (tenant_id, account, email)
    values (${tenantId}, 'wang', 'wang@example.com') returning uid)
    update devices set app_account_id = made.uid from made where sn = ${watched}`)
  await app.db.execute(sql`insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type,
      expire_days, segments, events, duration_ms, bytes, first_ms, last_ms)
    select id, 0, '2028-01-31', tenant_id, 0, 1, 1, '{2028-02-08}', 1, 0, 4000, 9, 1, 2 from devices
    where sn in (${watched}, ${unbound})`)
  await run('2028-02-02')
  const before = (await titles()).length
  sent.length = 0
  expect(await run('2028-02-05')).toBe(0)
  expect(await run('2028-02-07')).toBe(2)
  expect(await run('2028-02-07')).toBe(0)
  expect((await titles()).slice(before)).toEqual(['2个通道的录像将在 2 天内删除'])
  expect(sent).toEqual([
    {
      to: 'wang@example.com',
      subject: '云存储提醒',
      text: `设备 ${watched} 通道0：云存储已过期，保留的录像将在 2 天内删除，续费后可继续查看。`,
    },
  ])
  // A notice from before the present owner got the device is not mailed to this owner.
  await app.db.execute(sql`insert into oss_notices (tenant_id, device_id, sn, channel, kind, days, end_time, create_time)
    select tenant_id, id, sn, 1, 1, 7, '2028-02-14', '2028-02-07 00:00Z' from devices where sn = ${watched}`)
  await app.db.execute(sql`update devices set owner_time = '2028-02-07 01:00Z' where sn = ${watched}`)
  await run('2028-02-07')
  expect(sent).toHaveLength(1)
  Object.assign(app.services, { mail })
  Object.assign(jobs, { sendMessage: queued })
})

test('card files that were not downloaded are erased after 24 hours', async () => {
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
