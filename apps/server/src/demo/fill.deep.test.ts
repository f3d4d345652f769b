import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { ORDER_INVARIANT_QUERY } from '#modules/agent/orders/invariants.ts'
import { readUsageLimit } from '#modules/agent/usage/usage-limit.ts'
import { useDemoApp } from '#test/demo-app.ts'
import { useApp } from '#test/harness.ts'
import { createDemoData } from './fill.ts'
import { DEMO_TENANTS, DEMO_ACCOUNT, DEMO_AD_AUDITOR, DEMO_AD_OPERATOR, DEMO_PASSWORD, DEMO_SCENES } from './vendor.ts'

const [first, second] = [useDemoApp(), useApp()]

const COUNTS = sql`select
  (select count(*)::int from tenants where id > 1) as customers,
  (select count(*)::int from accounts) as accounts, (select count(*)::int from scenes) as scenes,
  (select count(*)::int from device_types) as types, (select count(*)::int from device_models) as models,
  (select count(*)::int from devices) as devices, (select count(*)::int from device_versions) as history,
  (select count(*)::int from device_group_members) as members, (select count(*)::int from devices where online = 1) as online,
  (select md5(string_agg(d.sn || t.name || coalesce(d.ver_code, 0) || array_to_string(d.tags, ','), ',' order by d.id))
    from devices d join tenants t on t.id = d.tenant_id) as fleet,
  (select count(*)::int from ota_versions) as versions,
  (select count(*)::int from ota_versions where status = 0) as drafts,
  (select count(*)::int from ota_versions where status = 1) as enabled,
  (select count(*)::int from ota_versions where status = 2) as disabled,
  (select json_object_agg(state, n) from (select state, count(*)::int as n from ota_tasks group by state) t) as tasks,
  (select md5(string_agg(sha256, ',' order by id)) from ota_components) as bytes,
  (select md5(string_agg(account || realname, ',' order by uid)) from accounts where account <> 'admin') as people,
  (select count(*)::int from login_logs) as logins, (select count(*)::int from oper_logs) as operations`

/** Queries for rows whose dates contradict each other, by their description. */
const CONTRADICTIONS = {
  'device that was activated, or online, before its registration': `select sn, create_time, activate_time from devices
    where activate_time < create_time or last_online_time < create_time`,
  'device that was online before its activation': 'select sn from devices where last_online_time < activate_time',
  'device registered before its tenant or its model': `select d.sn from devices d join tenants t on t.id = d.tenant_id
    join device_models m on m.id = d.model_id where d.create_time < t.create_time or d.create_time < m.create_time`,
  'model older than its type': `select m.model_name from device_models m join device_types t on t.id = m.type_id
    where m.create_time < t.create_time`,
  'account or App account active before it existed': `select account from accounts where last_login_time < create_time
    union all select account from app_accounts where last_active_time < register_time`,
  'login before its account existed': `select l.account from login_logs l join accounts a on a.account = l.account
    where l.login_time < a.create_time`,
  'ticket reported before its device or tenant existed': `select k.feedback_no from tickets k
    left join devices d on d.id = k.device_id join tenants t on t.id = k.tenant_id
    where k.create_time < d.create_time or k.create_time < t.create_time`,
  'ticket answered or closed before it was reported': `select feedback_no from tickets
    where first_respond_time < create_time or close_time < create_time or close_time < first_respond_time`,
  'certificate used before its earlier step': `select uid from licenses where allot_time < import_time
    or bind_time < allot_time or activate_time < bind_time`,
  'certificate activated or bound before its device existed': `select l.uid from licenses l
    join devices d on d.id = l.device_id where l.activate_time < d.create_time or l.bind_time < d.create_time`,
  'certificate allotted before its tenant existed': `select l.uid from licenses l join tenants t on t.id = l.tenant_id
    where l.allot_time < t.create_time`,
  'version enabled before it was created, or created before its model': `select v.ver_name from ota_versions v
    join device_models m on m.id = v.model_id where v.enable_time < v.create_time or v.create_time < m.create_time`,
  'version reported before its release': `select d.sn from device_versions h join devices d on d.id = h.device_id
    join ota_versions v on v.model_id = d.model_id and v.kind = 1 and v.ver_code = h.ver_code
    where h.create_time < v.release_date`,
  'task before its device or release existed, or closed before it began': `select k.task_id from ota_tasks k
    join devices d on d.id = k.device_id join ota_versions v on v.ota_id = k.ota_id
    where k.create_time < d.create_time or k.create_time < v.enable_time or k.close_time < k.create_time`,
  'release approved before it was submitted': `select ota_id from ota_policies where audit_time < submit_time
    or submit_time < create_time`,
  'application or grant decided before it was made': `select id from user_applications where audit_time < create_time
    union all select id from license_grants where audit_time < create_time`,
  'conversation before its device was bound, or ended before its last turn': `select s.id from agent_sessions s
    join agent_devices d on d.device_id = s.device_id
    where s.first_time < d.create_time or s.end_time < s.last_time or s.first_time > now()`,
  'screen on a device that was never activated': `select d.sn from ad_screens s join devices d on d.id = s.device_id
    where d.activate_time is null or d.activate_time > now()`,
  'program on screens for weeks that its screens do not have': `select program_name from ad_programs
    where published_ver > 0 and delivered_ver <> published_ver and program_name <> '整点问候'`,
  'order of a voice package before the package or its devices existed, or paid before it was made': `select o.order_no
    from agent_orders o join agent_products p on p.id = o.package_id where o.create_time < p.create_time or o.pay_time < o.create_time
    union all select g.target_name from agent_grants g join devices d on d.id = g.target_id
    where g.scope = 1 and g.create_time < d.create_time`,
  'notice published before it was written, or read before it was published': `select n.notice_id from notices n
    left join notice_reads r on r.notice_id = n.notice_id
    where n.publish_time < n.create_time or r.read_time < n.publish_time`,
}

/** Refuses the last row of the demo data while a time limit of ordinary calls applies. */
const REFUSE_TIME_LIMITS = `create function refuse_time_limits() returns trigger language plpgsql as $$ begin
    if current_setting('statement_timeout') <> '0' or current_setting('idle_in_transaction_session_timeout') <> '0' then
      raise exception 'a time limit applies'; end if;
    return new; end $$;
  create trigger refuse_time_limits before insert on settings for each row when (new.key = 'demo')
    execute function refuse_time_limits()`

/** An interrupted first start leaves gaps in the ids, because sequences do not roll back. */
const LEAVE_GAPS = `select setval('tenants_id_seq', 40)`

describe('demo data', () => {
  test('every first start creates the same demo vendor once, also after an interrupted start', {
    timeout: 300_000,
  }, async () => {
    await second.db.execute(sql.raw(REFUSE_TIME_LIMITS))
    await second.db.execute(sql.raw(LEAVE_GAPS))
    expect(await createDemoData(second.services)).toBe(true)
    const counts = [(await first.db.execute(COUNTS)).rows[0], (await second.db.execute(COUNTS)).rows[0]]
    expect(counts[0]).toEqual(counts[1])
    expect(counts[0]).toMatchObject({
      customers: DEMO_TENANTS.length,
      types: 6,
      models: 13,
      scenes: DEMO_SCENES.length,
      devices: 2000 + 40,
      versions: 40 + 15,
      drafts: 10 + 5,
      enabled: 20 + 5,
      disabled: 10 + 5,
    })
    expect(await createDemoData(first.services)).toBe(false)
    expect((await first.db.execute(COUNTS)).rows[0]).toEqual(counts[0])
  })

  test('AD-11 the demo has ads in every state, programs, screens of four tenants and plays of 30 days', async () => {
    const { rows } =
      await first.db.execute(sql`select count(*)::int as ads, count(distinct advertiser)::int as advertisers,
      count(*) filter (where audit_status = 1)::int as waiting, count(*) filter (where audit_status = 3)::int as rejected,
      count(*) filter (where valid_to < current_date)::int as expired,
      (select count(*)::int from ad_programs) as programs, (select count(*)::int from ad_screens) as screens,
      (select count(distinct tenant_id)::int from ad_screens) as tenants,
      (select count(*)::int from ad_screens where last_report_time < now() - interval '1 hour') as silent,
      (select count(*)::int from ad_screens where failed <> '[]') as failing,
      (select count(distinct day)::int from ad_play_days) as days,
      (select round(100.0 * sum(partial) / sum(plays))::int from ad_play_days) as partial,
      (select count(*)::int from ad_play_days d join ad_screens s using (device_id)
        where d.exposure <> d.plays * s.audience_factor * 100) as differing
      from ads`)
    expect(rows).toEqual([
      {
        ads: 40,
        advertisers: 8,
        waiting: 3,
        rejected: 2,
        expired: 1,
        programs: 9,
        screens: 80,
        tenants: 4,
        silent: 12,
        failing: 5,
        // The shops of the demo open at eight, so the present day may have no plays yet.
        days: expect.toSatisfy((days: number) => days === 29 || days === 30),
        partial: 2,
        differing: 0,
      },
    ])
  })

  test('AGENT-13 AGENT-14 the demo has orders in every state, and their grants are charged with the demo conversations', async () => {
    const { rows } = await first.db.execute<{ state: number }>(
      sql`select distinct state from agent_orders order by state`,
    )
    expect(rows.map(({ state }) => state)).toEqual([0, 1, 2, 3, 4, 5])
    expect((await first.services.database.pool.query(ORDER_INVARIANT_QUERY)).rows).toEqual([])
    const { rows: spent } = await first.db.execute<{ unit: number }>(
      sql`select distinct unit from agent_grants where spent > 0 order by unit`,
    )
    expect(spent.map(({ unit }) => unit)).toEqual([1, 2, 3, 4, 5])
  })

  test('AGENT-16 in the demo the limit stops one device of a tenant, and other devices have a pack that ends soon', async () => {
    const { services, db } = first
    const { rows: devices } = await db.execute<{ deviceId: number; agentId: number; tenantId: number }>(sql`
      select device_id as "deviceId", agent_id as "agentId", tenant_id as "tenantId" from agent_devices order by 1`)
    const now = services.now().getTime()
    const limits = await Promise.all(
      devices.map(async (device) => {
        const params = await services.agentParameters.of(device.tenantId)
        return readUsageLimit({ reads: services.voiceServers.reads, params, now }, device)
      }),
    )
    expect(limits.filter(({ state }) => state === LIMIT_STATE_CODE.stopped)).toMatchObject([
      { notice: expect.stringContaining('续费') },
    ])
    const { rows: ending } = await db.execute(sql`select from agent_grants where state = 1 and scope = 1
      and valid_until between now() and now() + interval '30 days' and target_id = any(${sql.param(
        devices.map(({ deviceId }) => deviceId),
      )}::int[])`)
    expect(ending.length).toBeGreaterThan(0)
  })

  test('the demo account has all permissions and twelve unread notices', async () => {
    const payload = { account: DEMO_ACCOUNT, pswdMd5: computeMd5Hex(DEMO_PASSWORD) }
    const { code, data } = await first.stranger().call('POST', '/api/v1/account/login', payload)
    expect({ code, mustChange: data.mustChangePassword }).toEqual({ code: 200, mustChange: false })
    const demo = first.withTicket(data.token)
    expect((await demo.call('GET', '/api/v1/sys/notice/unread/count')).data.count).toBe(12)
    expect((await demo.call('GET', '/api/v1/sys/account/perms')).data.buttons[0]).toBe('*:*:*')
  })

  test('notices that concern only the platform are not sent to tenants', async () => {
    const { rows } = await first.db.execute(sql`select distinct a.tenant_id as "tenantId" from notices n
      join accounts a on n.target = 1 or (n.target = 2 and a.tenant_id = any(n.target_ids))
      where n.title like '%合同即将到期%'`)
    expect(rows).toEqual([{ tenantId: 1 }])
  })

  test('the demo has an account that submits ads and another account that approves them', async () => {
    const buttonsOf = async (account: string) => {
      const payload = { account, pswdMd5: computeMd5Hex(DEMO_PASSWORD) }
      const { data } = await first.stranger().call('POST', '/api/v1/account/login', payload)
      expect(data.mustChangePassword).toBe(false)
      return (await first.withTicket(data.token).call('GET', '/api/v1/sys/account/perms')).data.buttons as string[]
    }
    const [submit, audit] = ['advertiseManage:adList:submit', 'advertiseManage:adList:audit']
    expect(await buttonsOf(DEMO_AD_OPERATOR)).toContain(submit)
    expect(await buttonsOf(DEMO_AD_OPERATOR)).not.toContain(audit)
    expect(await buttonsOf(DEMO_AD_AUDITOR)).toContain(audit)
    expect(await buttonsOf(DEMO_AD_AUDITOR)).not.toContain(submit)
  })

  test('the administrator of the demo tenant with voice devices may order packages, but may not confirm or refund orders', async () => {
    await first.db.execute(sql`update accounts set pwd_must_change = false where account = 'kh01_admin'`)
    const payload = { account: 'kh01_admin', pswdMd5: computeMd5Hex(DEMO_PASSWORD) }
    const { data } = await first.stranger().call('POST', '/api/v1/account/login', payload)
    const customer = first.withTicket(data.token)
    const { data: own } = await customer.call('GET', '/api/v1/sys/account/perms')
    expect(own.buttons).toEqual(expect.arrayContaining(['agent:agent:test', 'agent:device:bind', 'agent:order:list']))
    expect(own.buttons).toContain('agent:order:add')
    for (const action of ['confirm', 'grant', 'refund', 'refundAudit'])
      expect(own.buttons).not.toContain(`agent:order:${action}`)
    expect((await customer.call('GET', '/api/v1/agent/device/page')).data.total).toBeGreaterThan(0)
  })

  test('the log entries of the demo are spread over weeks, and every file has its bytes', async () => {
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

  test.each(Object.entries(CONTRADICTIONS))('the demo data contains no %s', async (_, rows) => {
    expect((await first.db.execute(sql.raw(`${rows} limit 3`))).rows).toEqual([])
  })
})
