import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { STANDARD_SLA } from '@oms/contract/ticket/ticket-desk.ts'
import { type SQL, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { createDevice } from '#modules/ticket/ticket-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { TODOS } from '#modules/home/todos.ts'

const app = useApp()
const idOf = async (query: SQL) => (await app.db.execute<{ id: number }>(query)).rows[0]!.id
const tenantNamed = (name: string) => idOf(sql`select id from tenants where name = ${name}`)
const permissionsOf = (calls: readonly Endpoint[]) => [...new Set(calls.map(({ access }) => access))]
const countsOf = async (who: Caller): Promise<Record<string, number>> => {
  const { list } = (await who.call('GET', '/api/v1/home/todo')).data
  return Object.fromEntries(list.map(({ key, count }: { key: string; count: number }) => [key, count]))
}

/** Tenant in the data scope of the limited account, and a tenant outside. */
let inside: number
let outside: number
let limited: Caller
let serial = 0
/** Sends a call on a row that the limited account sees and may not change. */
const refusedCalls: [key: string, call: () => Promise<{ code: number }>][] = []
const refuse = (key: string, method: 'POST' | 'PUT', url: string, body?: object) =>
  refusedCalls.push([key, () => limited.call(method, `/api/v1${url}`, body)])

async function addVersion(kind: number, status: number, policy: SQL) {
  serial += 1
  const otaId = await idOf(sql`
    insert into ota_versions (kind, package_name, tenant_id, model_id, ver_code, ver_name, release_date, status, components, create_by)
    select ${kind}::int, ${kind === 1 ? '' : 'app'}, 1, min(id), ${serial}, '版本', '2020-01-01', ${status}::int, 1, 0
    from device_models returning ota_id as id`)
  await app.db.execute(sql`insert into ota_policies (ota_id, tenant_id, submit_by, mode, state, tenant_ids, pending)
    select ${otaId}::int, 1, 0, ${policy}`)
  return otaId
}
const toTenant = (id: number) => sql`2, 1, array[${id}::int], null::jsonb`
const toAll = sql`2, 1, '{}'::int[], null::jsonb`

async function addReleases() {
  for (const kind of [1, 2]) {
    const [own, foreign] = [await addVersion(kind, 1, toTenant(inside)), await addVersion(kind, 1, toAll)]
    for (const otaId of [own, foreign])
      await app.db.execute(
        sql`insert into ota_alarms (tenant_id, ota_id, kind, message) values (1, ${otaId}, 1, '损坏')`,
      )
    const [path, key] = kind === 1 ? ['release', 'releaseAudits'] : ['software/release', 'softwareAudits']
    refuse(key!, 'POST', `/upgrade/${path}/audit`, { otaId: foreign, pass: 1, rev: 0 })
  }
  await addVersion(1, 0, sql`1, 0, '{}'::int[], null::jsonb`)
  const draft = await addVersion(1, 0, sql`1, 0, '{}'::int[], '{"plan": {"fields": {}}}'::jsonb`)
  refuse('firmwareDrafts', 'POST', `/device/ota/ver/enable/${draft}`)
}

async function addTicketsAndAccounts() {
  const uid = sql`${limited.uid}::int`
  await app.db.execute(sql`insert into tickets (tenant_id, problem_type, content, feedback_no, handler_id) values
    (${inside}, 1, '坏', 'T1', ${uid}), (${inside}, 1, '坏', 'T2', ${uid} + 1), (${inside}, 1, '坏', 'T3', null),
    (${outside}, 1, '坏', 'T4', null)`)
  await app.db.execute(sql`insert into user_applications (apply_no, uid, account, realname, tenant_id, status) values
    ('A1', 0, 'a', '张三', ${inside}, 0), ('A2', ${uid}, 'b', '本人', ${inside}, 0), ('A3', 0, 'c', '李四', ${outside}, 0)`)
  await app.db.execute(sql`insert into accounts (account, realname, tenant_id, password_hash) values
    ('locked-inside', '张三', ${inside}, 'none'), ('roleless', '李四', 1, 'none'), ('outside', '王五', ${outside}, 'none')`)
  const { account, uid: superUid } = await app.by({ superAdmin: true })
  for (const name of ['locked-inside', account])
    await app.db.execute(sql`insert into login_failures (key, count, last_time, lock_until)
      values (${`a:${name}`}, 5, now(), now() + interval '10 minutes')`)
  refuse('lockedAccounts', 'POST', `/sys/account/unlock/${superUid}`)
}

async function addSales() {
  const uid = sql`${limited.uid}::int`
  await app.db.execute(sql`insert into license_grants (grant_no, tenant_id, type_code, quota, valid_from, valid_to, status, apply_by)
    select no, t, 'P2P', 5, current_date, current_date + 30, 0, u
    from (values ('G1', ${inside}::int, 0), ('G2', ${outside}::int, 0), ('G3', ${inside}::int, ${uid})) g(no, t, u)`)
  const own = await idOf(sql`select id from license_grants where grant_no = 'G3'`)
  refuse('grantAudits', 'PUT', '/license/grant/audit', { id: own, rev: 0, pass: 1, auditRemark: '' })
  await app.db.execute(sql`
    with orders as (insert into agent_orders (order_no, tenant_id, package_id, package_version_id, package_name,
        target_count, copies, unit_price, amount, state, create_by)
      select 'AO' || s || t || '-' || u, t, 1, 1, '畅聊', 1, 1, 900, 900, s, u
      from unnest(array[0, 2]) s, (values (${inside}::int, 0), (${outside}::int, 0), (${inside}::int, ${uid})) o(t, u)
      returning id, state, tenant_id, create_by)
    insert into agent_order_refunds (tenant_id, order_id, amount, reason, create_by)
      select tenant_id, id, 900, '退货', create_by from orders where state = 2`)
  await app.db.execute(sql`insert into oss_entitlements (ent_no, device_id, sn, channel, tenant_id, package_id,
      package_version_id, package_name, package_code, record_type, storage_days, period_type, period_count, source, state,
      run_from, end_time)
    select 'OE' || t, t, 'S' || t, 1, t, 1, 1, '月卡', 'M1', 1, 7, 2, 1, 1, 1, now(), now() + interval '3 days'
    from unnest(array[${inside}, ${outside}]::int[]) t`)
  await app.db.execute(sql`insert into oss_queues (device_id, channel, tenant_id, end_time, next_time)
    select device_id, channel, tenant_id, end_time, end_time from oss_entitlements`)
  await app.db.execute(sql`insert into oss_grant_files (tenant_id, file_name, file_hash, package_id, package_name,
      effect_mode, source, reason, tenant_ids, state, create_by)
    select 1, 'a.csv', 'h' || n, 1, '月卡', 1, 2, '赠送', t, s, u from (values (1, array[${inside}::int], 0, 0),
      (2, array[${inside}::int], 0, ${uid}), (3, array[${inside}::int, ${outside}::int], 0, 0),
      (4, array[${inside}::int], 2, 0)) b(n, t, s, u)`)
  const batch = await idOf(sql`select id from oss_grant_files where create_by = ${uid}`)
  refuse('batchGrants', 'PUT', '/oss/device/import/audit', { id: batch, rev: 0, pass: 0, auditRemark: '不开' })
  await app.db.execute(
    sql`update tenants set expire_time = now() + interval '5 days' where id in (${inside}, ${outside})`,
  )
  await app.db.execute(sql`insert into license_thresholds (vendor, threshold) values (3, 10)
    on conflict (vendor) do update set threshold = 10`)
}

/** Creates programs with a waiting version: of another account, of the account itself, and outside the data scope. */
async function addPrograms() {
  const uid = sql`${limited.uid}::int`
  await app.db.execute(sql`
    with made as (insert into ad_programs (tenant_id, program_name, date_from, date_to, status, ver_no, target_type, target_ids)
      select 1, name, '2026-01-01', '2036-01-01', 1, 1, 4, array[t] from (values ('他人提交', ${inside}::int),
        ('本人提交', ${inside}), ('范围之外', ${outside})) p(name, t) returning id, program_name, target_ids)
    insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
      select id, 1, 1, '{}', 4, target_ids, 1, case program_name when '本人提交' then ${uid} else 0 end from made`)
  for (const name of ['本人提交', '范围之外']) {
    const id = await idOf(sql`select id from ad_programs where program_name = ${name}`)
    refuse('programAudits', 'POST', '/advertise/program/audit', { id, verNo: 1, auditStatus: 3, remark: '不播' })
  }
}

async function addContents() {
  const uid = sql`${limited.uid}::int`
  await app.db.execute(sql`
    with made as (insert into ads (tenant_id, ad_name, ad_type, audit_status, ver_no)
      select t, name, 1, 1, 1 from (values (1, '他人提交'), (1, '本人提交'), (1, '本人上传'), (${inside}::int, '客户自审'),
        (${outside}::int, '范围之外')) a(t, name) returning id, tenant_id, ad_name)
    insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, uploaders)
      select id, 1, tenant_id, '{}', 'h', case ad_name when '本人提交' then ${uid} else 0 end,
        case ad_name when '本人上传' then array[${uid}] else '{}' end from made`)
  await addPrograms()
  const person = await idOf(sql`select uid as id from accounts where account = 'outside'`)
  const role = await idOf(
    sql`insert into roles (tenant_id, role_name, role_code) values (${outside}, '外', 'out') returning id`,
  )
  const drafts: [target: number, ids: number[]][] = [
    [2, [inside]],
    [1, []],
    [2, [inside, outside]],
    [3, [role]],
    [4, [person]],
  ]
  for (const [at, [target, ids]] of drafts.entries()) {
    const notice =
      await idOf(sql`insert into notices (title, type, content, priority, target, target_ids, status, tenant_id, create_by)
      values ('公告', 1, '<p>正文</p>', 1, ${target}, ${sql.param(ids)}::int[], 0, 1, 1) returning notice_id as id`)
    if (at > 0) refuse('noticeDrafts', 'POST', `/sys/notice/publish/${notice}`)
  }
  for (const [tenantId, mac] of [
    [inside, '020000000001'],
    [outside, '020000000002'],
  ] as const) {
    const { id } = await createDevice(app.db, tenantId, { sn: `TODO${mac}` })
    await app.db.execute(sql`insert into agent_devices (device_id, tenant_id, agent_id, mac, other_client_id)
      values (${id}, ${tenantId}, 1, ${mac}, 'other')`)
  }
  refuse('calendar', 'PUT', '/feedback/sla', { ...STANDARD_SLA, rev: 0 })
}

beforeAll(async () => {
  for (const tenant of ['范围内', '范围外']) await app.by({ tenant })
  ;[inside, outside] = [await tenantNamed('范围内'), await tenantNamed('范围外')]
  const permissions = permissionsOf(TODOS.flatMap(({ calls }) => calls))
  limited = await app.by({ permissions, dataScope: 3, scopeIds: [inside] })
  await addTicketsAndAccounts()
  await addContents()
  await addReleases()
  await addSales()
})

/** Keys of work on data that all tenants share, and of the account's own settings. */
const NOT_FOR_LIMITED = ['licensesLow', 'calendar', 'ownMfa']

test('each to-do counts only rows that an account limited to some tenants may handle', async () => {
  const wanted = TODOS.flatMap(({ key }) => (NOT_FOR_LIMITED.includes(key) ? [] : [[key, 1]]))
  expect(await countsOf(limited)).toEqual(Object.fromEntries(wanted))
  for (const [key, call] of refusedCalls) expect([400, 501], key).toContain((await call()).code)
})

test('each to-do is listed only for accounts that have the permission for one of its calls', async () => {
  const shared = TODOS.filter(({ calls }) => calls.some(({ allTenants }) => allTenants)).map(({ key }) => key)
  expect(shared).toEqual(NOT_FOR_LIMITED.filter((key) => key !== 'ownMfa'))
  for (const { key, calls } of TODOS)
    for (const access of permissionsOf(calls)) {
      const listed = Object.keys(await countsOf(await app.as(access)))
      const allowed = TODOS.filter((todo) => todo.calls.some((call) => call.access === access)).map((todo) => todo.key)
      expect([key, listed.filter((each) => !allowed.includes(each))]).toEqual([key, []])
      // Own tickets belong to the limited account; the calendar depends on the current date.
      if (!['ownTickets', 'calendar'].includes(key)) expect(listed).toContain(key)
    }
})

test('the first setup steps of limited staff omit steps that create data shared by all tenants', async () => {
  const permissions = [
    'tenantManage:tenant:add',
    'device:_manage:add',
    'device:updateManage:add',
    'device:apkManage:add',
    'upgrade:ota:add',
    'AfterService:Questions:add',
  ]
  const stepsOf = async (dataScope: number) => {
    const { steps } = (await (await app.by({ permissions, dataScope })).call('GET', '/api/v1/home/todo')).data
    return steps.map(({ key }: { key: string }) => key)
  }
  await app.db.execute(sql`delete from ota_policies`)
  expect(await stepsOf(1)).toEqual(['tenant', 'type', 'model', 'device', 'firmware', 'ticket'])
  expect(await stepsOf(3)).toEqual(['tenant', 'device', 'firmware', 'ticket'])
})
