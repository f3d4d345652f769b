import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { md5Hex } from '#core/auth/passwords.ts'
import { useApp } from '#test/harness.ts'
import { createDemoData } from './fill.ts'
import { CUSTOMERS, DEMO_ACCOUNT, DEMO_PASSWORD, SCENES } from './vendor.ts'

const [first, second] = [useApp(), useApp()]

const COUNTS = sql`select
  (select count(*)::int from tenants where id > 1) as customers,
  (select count(*)::int from accounts) as accounts, (select count(*)::int from scenes) as scenes,
  (select count(*)::int from device_types) as types, (select count(*)::int from device_models) as models,
  (select count(*)::int from devices) as devices, (select count(*)::int from device_versions) as history,
  (select count(*)::int from device_group_members) as members, (select count(*)::int from devices where online = 1) as online,
  (select md5(string_agg(sn || tenant_id || coalesce(ver_code, 0) || array_to_string(tags, ','), ',' order by id)) from devices) as fleet,
  (select count(*)::int from ota_versions) as versions,
  (select count(*)::int from ota_versions where status = 0) as drafts,
  (select count(*)::int from ota_versions where status = 1) as enabled,
  (select count(*)::int from ota_versions where status = 2) as disabled,
  (select json_object_agg(state, n) from (select state, count(*)::int as n from ota_tasks group by state) t) as tasks,
  (select md5(string_agg(sha256, ',' order by id)) from ota_components) as bytes,
  (select md5(string_agg(account || realname, ',' order by uid)) from accounts where account <> 'admin') as people,
  (select count(*)::int from login_logs) as logins, (select count(*)::int from oper_logs) as operations`

describe('demo data', () => {
  test('creates the same vendor at every first start, once', { timeout: 300_000 }, async () => {
    const counts = []
    for (const { services, db } of [first, second]) {
      expect(await createDemoData(services)).toBe(true)
      counts.push((await db.execute(COUNTS)).rows[0])
    }
    expect(counts[0]).toEqual(counts[1])
    expect(counts[0]).toMatchObject({
      customers: CUSTOMERS.length,
      types: 5,
      models: 10,
      scenes: SCENES.length,
      devices: 2000,
      versions: 40 + 15,
      drafts: 10 + 5,
      enabled: 20 + 5,
      disabled: 10 + 5,
    })
    expect(await createDemoData(first.services)).toBe(false)
    expect((await first.db.execute(COUNTS)).rows[0]).toEqual(counts[0])
  })

  test('creates the demo account with all permissions and twelve unread messages', async () => {
    const payload = { account: DEMO_ACCOUNT, pswdMd5: md5Hex(DEMO_PASSWORD) }
    const { code, data } = await first.stranger().call('POST', '/api/v1/account/login', payload)
    expect({ code, mustChange: data.mustChangePassword }).toEqual({ code: 200, mustChange: false })
    const demo = first.withTicket(data.token)
    expect((await demo.call('GET', '/api/v1/sys/notice/unread/count')).data.count).toBe(12)
    expect((await demo.call('GET', '/api/v1/sys/account/perms')).data.buttons[0]).toBe('*:*:*')
  })

  test('distributes log entries over weeks, and every file has its bytes', async () => {
    const { rows } = await first.db.execute<{ days: number; today: number }>(sql`select
      count(distinct login_time::date)::int as days, count(*) filter (where login_time > now())::int as today
      from login_logs where login_time < date_trunc('day', now()) or login_time > now()`)
    expect(rows[0]).toEqual({ days: 28, today: 0 })
    const { rows: files } = await first.db.execute<{ sha256: string; size: number }>(
      sql`select sha256, size from files`,
    )
    for (const { sha256, size } of files)
      expect(await first.services.files.stat(sha256)).toEqual({ size: Number(size) })
  })
})
