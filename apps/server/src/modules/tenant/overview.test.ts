import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { TENANT_MANAGER_PERMISSIONS, createTenant } from './tenant-fixture.ts'

const app = useApp()

/** List call of each page that a figure of the tenant page opens. */
const LIST_OF: Readonly<Record<string, string>> = {
  '/device/apkManage': '/api/v1/device/info/page',
  '/LicenseManage/Certificate': '/api/v1/license/cert/page',
  '/ossManage/deviceList': '/api/v1/oss/device/page',
  '/AfterService/Questions': '/api/v1/feedback/page',
  '/system/userList': '/api/v1/sys/account/all/page',
  '/system/loginLog': '/api/v1/sys/loginlog/page',
  '/tenantManage/userapplication': '/api/v1/tenant/user/apply/list',
  '/AccountAdministration/accountList': '/api/v1/account/app/page',
  '/agent/order': '/api/v1/agent/order/page',
  '/agent/order?view=grants': '/api/v1/agent/order/grant/page',
  '/agent/order?view=usage': '/api/v1/agent/usage/day',
}

/** Adds rows on both sides of the first day of each period. */
async function seedDemoPeriods(id: number) {
  const first = (days: number) => sql`date_trunc('day', now()) - make_interval(days => ${days - 1})`
  const each = (days: number) =>
    sql`(values (now()), (${first(days)}), (${first(days)} - interval '1 second')) as v(at)`
  await app.db.execute(sql`insert into accounts (account, realname, tenant_id, password_hash, last_login_time)
    select 'period' || row_number() over (), '成员', ${id}::int, 'none', at from ${each(30)}`)
  await app.db.execute(sql`insert into login_logs (account, ip, tenant_id, login_type, status, login_time)
    select 'period', '127.0.0.1', ${id}::int, type, status, at from ${each(7)}, (values (1, 1), (1, 0), (4, 1), (5, 1)) as t(type, status)`)
  await app.db.execute(sql`insert into app_accounts (account, tenant_id, register_time, last_active_time)
    select 'period' || row_number() over (), ${id}::int, at, at from ${each(30)}`)
  await app.db.execute(sql`insert into tickets (feedback_no, tenant_id, problem_type, content, create_time, close_time, status)
    select 'PERIOD' || row_number() over (), ${id}::int, 1, '坏了', at, at, 5 from ${each(30)}`)
  await seedDemoVoice(id)
  await app.db.execute(sql`insert into devices (tenant_id, model_id, sn, app_account_id)
    select ${id}::int, 1, 'PERIOD' || n, nullif(n, 3) from generate_series(1, 3) as n`)
  await app.db.execute(sql`update devices set activate_time = now() where sn = 'PERIOD1'`)
}

/** Adds orders of voice packages, grants and turns in this month and before. */
async function seedDemoVoice(id: number) {
  await app.db.execute(sql`
    with product as (insert into agent_products (package_code, package_name) values ('VOICE360', '畅聊') returning id),
    terms as (insert into agent_product_versions (package_id, version, allowances, scope, activate_days, valid_days, price)
      select id, 1, '[{"unit":2,"amount":10}]', 3, 30, 30, 900 from product returning id, package_id),
    orders as (insert into agent_orders (order_no, tenant_id, package_id, package_version_id, package_name, target_count, copies,
        unit_price, amount, state)
      select 'AO360' || s, ${id}::int, package_id, id, '畅聊', 1, 1, 900, 900, s from terms, generate_series(0, 1) s
      returning id, state)
    insert into agent_grants (tenant_id, order_id, scope, target_id, target_name, pack_no, unit, is_unlimited, total, remaining,
        state, valid_days, activate_until, create_time)
      select ${id}::int, id, 3, ${id}::int, '客户', p, 2, 0, 10, 10, p - 1, 30, now(), now()
      from orders, generate_series(1, 2) p where state = 1`)
  const since = sql`date_trunc('month', now())::date`
  await app.db.execute(sql`insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
    select at, ${id}::int, 0, 0, 0, 1, unit, 3 from (values (now()::date), (${since}), (${since} - 1)) v(at), (values (2), (4)) u(unit)`)
}

test('every linked figure on the page of a tenant equals the number of rows in the linked list', async () => {
  const { id } = await createTenant(app, await app.as(...TENANT_MANAGER_PERMISSIONS))
  await seedDemoPeriods(id)
  const all = await app.by({ superAdmin: true })
  const seen: { label: string; value: number; rows: number; url: string }[] = []
  const plain: string[] = []
  for (const { key } of (await all.call('GET', `/api/v1/tenant/overview/${id}`)).data.blocks) {
    for (const { label, value, url } of (await all.call('GET', `/api/v1/tenant/overview/${id}/${key}`)).data.figures) {
      if (!url) {
        plain.push(label)
        continue
      }
      const [path, query] = url.split('?')
      const view = /^view=\w+/.exec(query)
      const list = LIST_OF[view ? `${path}?${view[0]}` : path]
      const { data } = await all.call('GET', `${list}?${query}&pageNum=1&pageSize=10`)
      seen.push({ label, value, rows: data.total.turns ?? data.total, url })
    }
  }
  expect(seen.filter(({ value, rows }) => value !== rows)).toEqual([])
  const of = (label: string) => seen.find((each) => each.label === label)?.value
  expect({
    login: of('近 7 天登录'),
    failed: of('近 7 天失败'),
    active: of('近 30 天活跃'),
    fresh: of('近 30 天新增'),
  }).toEqual({
    login: 2,
    failed: 2,
    active: 2,
    fresh: 2,
  })
  expect(of('已绑定设备')).toBe(2)
  // 离线 means the same as on the home page and in rows: a device that was never activated is 未激活.
  expect([of('离线'), of('未激活')]).toEqual([1, 2])
  expect([of('待确认订单'), of('已支付订单'), of('使用中权益')]).toEqual([1, 1, 1])
  expect(of('本月对话轮数')).toBe(6)
  expect(plain).toEqual([])
})
