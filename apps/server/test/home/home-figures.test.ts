import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { type SQL, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { DATA_SCOPE_CODE } from '#core/auth/rights.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { createDevice, createTicketBy } from '#modules/ticket/ticket-fixture.ts'

const app = useApp()
/** List call of each console page, or of one view of a page. */
const CALL_OF: Readonly<Record<string, string>> = {
  '/device/apkManage': '/api/v1/device/info/page',
  '/tenantManage/tenant': '/api/v1/tenant/page',
  '/AccountAdministration/accountList': '/api/v1/account/app/page',
  '/AfterService/Questions': '/api/v1/feedback/page',
  '/AfterService/PendingList': '/api/v1/feedback/pending/page',
  '/agent/device': '/api/v1/agent/device/page',
  '/agent/order': '/api/v1/agent/order/page',
  '/LicenseManage/Certificate': '/api/v1/license/cert/page',
  '/ossManage/deviceList': '/api/v1/oss/device/page',
  '/ossManage/deviceList?view=files': '/api/v1/oss/device/import/page',
  '/upgrade/ota': '/api/v1/device/ota',
  '/system/userList': '/api/v1/sys/account/all/page',
  '/system/manager': '/api/v1/tenant/user/list',
  '/system/noticeManage': '/api/v1/sys/notice/page',
  '/advertiseManage/ProgramList/screens': '/api/v1/advertise/screen/page',
  '/advertiseManage/adList': '/api/v1/advertise/ad/page',
  '/advertiseManage/ProgramList': '/api/v1/advertise/program/page',
  '/tenantManage/userapplication': '/api/v1/tenant/user/apply/list',
  '/LicenseManage/ConsentManage': '/api/v1/license/grant/page',
  '/upgrade/GeneralSoftware': '/api/v1/device/software',
  '/system/loginLog?view=online': '/api/v1/sys/online/page',
}
/** Pages without a list of the counted rows. */
const NO_LIST = ['/advertiseManage/statisticalAnalysis', '/system/AboutUs', '/system/operLog', '/notice']

let admin: Caller
let desk: Caller
/** An account with all permissions and the data scope "own records". */
let own: Caller

interface Figure {
  readonly name: string
  readonly value: number
  readonly url: string
}

const get = async (who: Caller, path: string) => (await who.call('GET', path)).data

/** Returns all linked figures of the home page. */
async function figuresOf(who: Caller): Promise<Figure[]> {
  const { blocks } = await get(who, '/api/v1/home/summary')
  const { list: todo } = await get(who, '/api/v1/home/todo')
  const { spreads } = await get(who, '/api/v1/home/blocks')
  const lines = []
  for (const by of spreads) lines.push(...(await get(who, `/api/v1/home/distribution?by=${by}`)).list)
  return [
    ...blocks.flatMap(({ title, value, url, items, parts = [], figures = [] }: Block) => [
      ...(items ? [] : [{ name: title, value, url }]),
      ...[...parts, ...figures].map((part) => ({ name: `${title} ${part.title}`, value: part.value, url: part.url })),
    ]),
    ...lines,
    ...todo.map(({ title, count, url }: { title: string; count: number; url: string }) => ({
      name: title,
      value: count,
      url,
    })),
  ].filter(({ url }) => url !== '')
}
interface LinkedFigure {
  readonly title: string
  readonly value: number
  readonly url: string
}
interface Block {
  readonly title: string
  readonly value: number
  readonly url: string
  readonly items?: unknown
  readonly parts?: readonly LinkedFigure[]
  readonly figures?: readonly LinkedFigure[]
}

/** Returns the number of rows on the page behind a figure; undefined for a page without a list. */
async function rowsBehind(who: Caller, url: string): Promise<number | undefined> {
  const [path = '', query = ''] = url.split('?')
  const call = CALL_OF[`${path}?view=${new URLSearchParams(query).get('view')}`] ?? CALL_OF[path]
  // `home-voice.test.ts` compares the figures of this view.
  if (!call || query.startsWith('view=usage')) return undefined
  const { code, msg, data } = await who.call('GET', `${call}?${query}&pageNum=1&pageSize=10`)
  if (code !== 200) throw new Error(`${url}: ${code} ${msg}`)
  return data.total
}

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  own = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: DATA_SCOPE_CODE.mine })
  desk = await app.as('AfterService:PendingList:list', 'AfterService:PendingList:query')
  for (const sn of ['FIG00001', 'FIG00002', 'FIG00003']) await createDevice(app.db, 1, { sn })
  await app.db.execute(sql`update devices set online = 1 where sn = 'FIG00001'`)
  await app.db.execute(sql`update devices set activate_time = null, ver_code = null where sn = 'FIG00002'`)
  const first = await createTicketBy(admin, { content: '甲' })
  await createTicketBy(admin, { content: '乙' })
  await app.db.execute(sql`update tickets set handler_id = ${admin.uid}, sla_state = 3 where id = ${first}`)
  await app.db.execute(sql`insert into tenants (tenant_no, name, status, expire_time) values
    ('FIG-OFF', '停用客户', 0, null), ('FIG-DUE', '到期客户', 1, now() + interval '5 days'),
    ('FIG-END', '过期客户', 0, now())`)
  await app.db.execute(sql`insert into app_accounts (tenant_id, account, last_active_time) values
    (1, 'fig-active', now() - interval '6 days'), (1, 'fig-quiet', now() - interval '8 days')`)
  await app.db.execute(sql`insert into licenses (uid, vendor, type_code, batch_id, tenant_id, state)
    select 'OMSX-00000' || g || '-ABCDE', 9, 'P2P', 1, case when g < 3 then null else 1 end, case when g < 3 then 0 else 1 end from generate_series(1, 5) g`)
})

test('every figure on the home page equals the number of rows in the linked list', async () => {
  for (const who of [admin, desk, own]) {
    const figures = await figuresOf(who)
    const seen = []
    for (const { name, value, url } of figures) {
      const rows = await rowsBehind(who, url)
      if (rows !== undefined) seen.push({ name, url, value, rows })
    }
    expect(seen.filter(({ value, rows }) => value !== rows)).toEqual([])
    expect(seen.length).toBeGreaterThan(who === admin ? 12 : 0)
    const small = [
      '客户 30 天内到期',
      '客户 停用',
      '客户 已过期',
      'App账号 近 7 天活跃',
      '待处理工单 超时',
      '剩余证书 已分配',
    ]
    if (who === admin) expect(seen.map(({ name }) => name)).toEqual(expect.arrayContaining(small))
  }
})

test('an account with the scope "own records" sees no figures of all files or sessions', async () => {
  const keysOf = async (who: Caller) => {
    const { blocks } = await get(who, '/api/v1/home/blocks')
    return blocks.map(({ key }: { key: string }) => key)
  }
  expect(await keysOf(admin)).toEqual(expect.arrayContaining(['storage', 'sessions']))
  const shown = await keysOf(own)
  expect(shown).toContain('devices')
  expect(shown.filter((key: string) => ['storage', 'sessions'].includes(key))).toEqual([])
  for (const key of ['storage', 'sessions'])
    expect((await get(own, `/api/v1/home/summary?block=${key}`)).blocks).toEqual([])
})

/** Binds the three devices: one talks, one is silent and has another identity, one never booted. */
async function bindDevices() {
  await app.db.execute(sql`insert into agent_devices (device_id, tenant_id, agent_id, mac, turn_time, other_client_id)
    select id, tenant_id, 1, '02000000000' || substr(sn, 8), case sn when 'FIG00001' then now() when 'FIG00002'
      then now() - interval '3 days' end, case sn when 'FIG00002' then 'other' else '' end
    from devices where sn like 'FIG0000_'`)
  await app.db.execute(sql`insert into agent_sessions (tenant_id, session_id, device_id, agent_id, turns)
    select 1, 's' || g, 1, 1, 4 from generate_series(1, 2) g`)
  await app.db.execute(
    sql`insert into agent_try_days (tenant_id, day, tokens_in, tokens_out) values (1, current_date, 40, 2)`,
  )
}

test('MODULE-01 the home page counts voice devices by state, and the conversations of today', async () => {
  await bindDevices()
  const blockOf = async (who: Caller) => (await get(who, '/api/v1/home/summary?block=agentDevices')).blocks[0]
  const shown = await blockOf(admin)
  expect(shown).toMatchObject({ value: 3, detail: '今日 2 次对话，8 轮，试用 42 tokens', url: '/agent/device' })
  expect(shown.parts.map(({ title, value }: { title: string; value: number }) => [title, value])).toEqual([
    ['对话中', 1],
    ['已启动', 0],
    ['静默', 1],
    ['从未启动', 1],
  ])
  for (const { value, url } of shown.parts) expect(await rowsBehind(admin, url)).toBe(value)
  const identities = async (who: Caller) =>
    (await get(who, '/api/v1/home/todo')).list.find(({ key }: { key: string }) => key === 'agentIdentities')
  const todo = await identities(admin)
  expect(todo).toMatchObject({ count: 1 })
  expect(await rowsBehind(admin, todo.url)).toBe(1)
  const viewer = await app.as('agent:device:list')
  expect(await identities(viewer)).toBeUndefined()
  expect(await blockOf(await app.as('agent:agent:list'))).toBeUndefined()
  const customer = await app.by({ tenant: '甲方', permissions: ['agent:device:list'] })
  expect(await blockOf(customer)).toMatchObject({ value: 0, detail: '今日 0 次对话，0 轮' })
})

/** Adds one row for each pending work, and rows beside it that the figures must not count. */
async function addWork(other: Caller) {
  const version = async (kind: number, verCode: number, createBy: number, policy: SQL) => {
    const { rows } = await app.db.execute<{ id: number }>(sql`
      insert into ota_versions (kind, package_name, tenant_id, model_id, ver_code, ver_name, release_date, status, components, create_by)
      select ${kind}::int, ${kind === 1 ? '' : 'app'}, 1, min(id), ${verCode}, '版本', '2020-01-01', 1, 1, ${createBy}::int from device_models
      returning ota_id as id`)
    const otaId = rows[0]?.id as number
    await app.db.execute(
      sql`insert into ota_policies (ota_id, tenant_id, state, pending, submit_by) select ${otaId}::int, 1, ${policy}`,
    )
    return otaId
  }
  for (const kind of [1, 2]) {
    const waiting = await version(kind, 901, 0, sql`1, null::jsonb, ${other.uid}::int`)
    await version(kind, 902, 0, sql`0, '{"percent": 1}'::jsonb, ${other.uid}::int`)
    await version(kind, 903, 0, sql`1, null::jsonb, ${admin.uid}::int`)
    await version(kind, 904, admin.uid, sql`1, null::jsonb, ${other.uid}::int`)
    await app.db.execute(sql`insert into ota_alarms (tenant_id, ota_id, kind, message, close_time)
      values (1, ${waiting}, 1, '损坏', null), (1, ${waiting}, 2, '暂停', null), (1, ${waiting + 1}, 1, '已处理', now())`)
  }
  await app.db.execute(sql`insert into license_grants (grant_no, tenant_id, type_code, quota, valid_from, valid_to, status)
    select 'G' || s, 1, 'P2P', 5, current_date, current_date + 30, s from generate_series(0, 1) s`)
  await app.db.execute(sql`insert into user_applications (apply_no, uid, account, realname, tenant_id, status)
    select 'A' || s, ${other.uid}::int, 'a', '张三', 1, s from generate_series(0, 1) s`)
  await app.db.execute(sql`insert into notices (title, type, content, priority, target, status, tenant_id)
    select '公告', 1, '<p>正文</p>', 1, 1, s, 1 from generate_series(0, 1) s`)
  await app.db.execute(sql`insert into oss_entitlements (ent_no, device_id, sn, channel, tenant_id, package_id,
      package_version_id, package_name, package_code, record_type, storage_days, period_type, period_count, source, state,
      run_from, end_time)
    select 'OE' || d, 1, 'FIG00001', d, 1, 1, 1, '月卡', 'M1', 1, 7, 2, 1, 1, 1, now(), now() + make_interval(days => d)
    from unnest(array[3, 20]) d`)
  await app.db.execute(sql`insert into oss_queues (device_id, channel, tenant_id, end_time, next_time)
    select device_id, channel, tenant_id, end_time, end_time from oss_entitlements`)
  await addOrders(other)
  await app.db.execute(sql`insert into accounts (account, realname, tenant_id, password_hash, status)
    select 'roleless' || s, '张三', 1, 'none', s from generate_series(0, 1) s`)
}

/**
 * Adds orders of voice packages and batch grants that wait for a second account. The administrator created one of each
 * state, and the other account created two.
 */
async function addOrders(other: Caller) {
  await app.db.execute(sql`
    with terms as (insert into agent_product_versions (package_id, version, allowances, scope, activate_days, valid_days, price)
      values (1, 1, '[{"unit":2,"amount":10}]', 3, 30, 30, 900) returning id),
    orders as (insert into agent_orders (order_no, tenant_id, package_id, package_version_id, package_name, target_count, copies,
        unit_price, amount, state, create_by)
      select 'AO' || s || '-' || n, 1, 1, id, '畅聊', 1, 1, 900, 900, s,
        case n when 1 then ${admin.uid}::int else ${other.uid}::int end
      from terms, unnest(array[0, 1, 2]) s, generate_series(1, 3) n returning id, state, create_by)
    insert into agent_order_refunds (tenant_id, order_id, amount, reason, create_by)
      select 1, id, 900, '退货', create_by from orders where state = 2`)
  await app.db.execute(sql`insert into oss_grant_files (tenant_id, file_name, file_hash, package_id, package_name,
      effect_mode, source, reason, state, create_by)
    select 1, 'a.csv', 'h' || n || s, 1, '月卡', 1, 2, '赠送', s,
      case n when 1 then ${admin.uid}::int else ${other.uid}::int end from generate_series(1, 3) n, unnest(array[0, 2]) s`)
  await app.db.execute(sql`
    with made as (insert into ads (tenant_id, ad_name, ad_type, audit_status, ver_no)
      select 1, 'a' || n, 1, 1, 1 from generate_series(1, 2) n returning id, ad_name)
    insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by)
      select id, 1, 1, '{}', 'h', case ad_name when 'a1' then ${admin.uid}::int else ${other.uid}::int end from made`)
  await app.db.execute(sql`
    with made as (insert into ad_programs (tenant_id, program_name, date_from, date_to, status, ver_no)
      select 1, 'p' || n, '2026-01-01', '2036-01-01', 1, 1 from generate_series(1, 2) n returning id, program_name)
    insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
      select id, 1, 1, '{"name": "p", "items": []}', 1, '{}', 1,
        case program_name when 'p1' then ${admin.uid}::int else ${other.uid}::int end from made`)
}

test('every to-do on the home page links to a list with exactly the counted rows', async () => {
  await addWork(await app.as())
  const limited = await app.by({
    permissions: ['upgrade:ota:list', 'upgrade:ota:audit', 'upgrade:ota:publish', 'AfterService:PendingList:list'],
    dataScope: 4,
  })
  for (const who of [admin, limited]) {
    const seen = []
    for (const { key, count, url } of (await get(who, '/api/v1/home/todo')).list)
      seen.push({ key, url, count, rows: await rowsBehind(who, url) })
    expect(seen.filter(({ count, rows }) => rows !== undefined && count !== rows)).toEqual([])
    if (who !== admin) continue
    expect(Object.fromEntries(seen.map(({ key, count }) => [key, count]))).toMatchObject({
      releaseAudits: 2,
      softwareAudits: 2,
      upgradeAlarms: 1,
      softwareAlarms: 1,
      storageDue: 1,
      grantAudits: 1,
      applications: 1,
      noticeDrafts: 1,
      rolelessStaff: 1,
      ownTickets: 1,
      orderConfirms: 2,
      orderRefunds: 2,
      batchGrants: 2,
      adAudits: 1,
      programAudits: 1,
    })
  }
})

test('the home page links only to lists that this test can count', async () => {
  const blocks: Block[] = (await get(admin, '/api/v1/home/summary')).blocks
  // A block without an address has no link.
  const paths = blocks.filter(({ url }) => url !== '').map(({ url }) => url.split('?')[0] ?? '')
  const known = new Set([...Object.keys(CALL_OF).map((url) => url.split('?')[0]), ...NO_LIST])
  expect(paths.filter((path) => !known.has(path))).toEqual([])
})
