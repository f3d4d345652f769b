import { HISTORY_PERMISSIONS } from '@oms/contract/history-permissions.ts'
import { logs } from '@oms/contract/system/log.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const SYS = '/api/v1/sys'
const LOG = ['system:operLog:list', 'system:operLog:query', 'system:operLog:export', 'system:loginLog:list'].concat(
  'system:loginLog:export',
  'system:loginLog:unlock',
  'system:online:list',
  'system:online:forceLogout',
)

let boss: Caller
let auditor: Caller
let ours: Caller
let theirs: Caller
beforeAll(async () => {
  boss = await server.by({ superAdmin: true })
  auditor = await server.as(...LOG)
  ours = await server.by({ tenant: '甲公司', permissions: [...LOG, 'system:manager:add'], dataScope: 2 })
  theirs = await server.by({ tenant: '乙公司', permissions: [...LOG, 'system:manager:add'], dataScope: 2 })
  await ours.call('POST', '/api/v1/tenant/user', { account: 'ours_made', realname: '甲人' })
  await theirs.call('POST', '/api/v1/tenant/user', { account: 'theirs_made', realname: '乙人' })
})
const page = async (by: Caller, what: string, query = '') => (await by.call('GET', `${SYS}/${what}/page?${query}`)).data

test('the operation log is append-only: no call changes or deletes its rows', async () => {
  const writes = Object.values(logs).filter(({ method, path }) => method !== 'GET' && !path.includes('/online'))
  expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/v1/sys/loginlog/unlock'])
  for (const log of ['operlog', 'loginlog'])
    for (const method of ['PUT', 'DELETE', 'PATCH', 'POST'] as const)
      for (const path of ['', '/1', '/page', '/clean', '/export']) {
        const { statusCode } = await boss.inject({ method, url: `${SYS}/${log}${path}` })
        expect([404, 405], `${method} ${log}${path}`).toContain(statusCode)
      }
})

test('a change is logged with account, action, record, IP address and duration', async () => {
  const { list } = await page(auditor, 'operlog', 'operName=' + ours.account)
  expect(list).toMatchObject([
    {
      title: '新增用户',
      action: '新增用户「甲人（ours_made）」',
      businessType: 1,
      bizType: 'account',
      operName: ours.account,
      operIp: '127.0.0.1',
      operLocation: '内网',
      status: 1,
      tenantName: '甲公司',
    },
  ])
  const { data } = await auditor.call('GET', `${SYS}/operlog/${list[0].operId}`)
  expect(data).toMatchObject({ requestMethod: 'POST', operUrl: '/api/v1/tenant/user', traceId: expect.any(String) })
  expect(JSON.parse(data.operParam)).toMatchObject({ account: 'ours_made', realname: '甲人' })
})

test('a refused change is written to the operation log too', async () => {
  const nobody = await server.as('system:operLog:list')
  await nobody.call('POST', '/api/v1/tenant/user', { account: 'never_made', realname: '无' })
  await ours.call('POST', '/api/v1/tenant/user', { account: 'ours_made', realname: '重名' })
  const { list } = await page(auditor, 'operlog', 'status=0')
  expect(list.map(({ errorMsg }: { errorMsg: string }) => errorMsg)).toContain('账号已存在')
})

test('each tenant reads only its own log rows; rows of other tenants are reported as not found', async () => {
  const names = (rows: { operName: string }[]) => [...new Set(rows.map(({ operName }) => operName))]
  expect(names((await page(ours, 'operlog')).list)).toEqual([ours.account])
  const { list } = await page(auditor, 'operlog', `operName=${theirs.account}`)
  const missing = { code: 400, msg: '日志不存在或已被删除', data: null }
  expect(await ours.call('GET', `${SYS}/operlog/${list[0].operId}`)).toEqual(missing)
  expect(await ours.call('GET', `${SYS}/operlog/999999999`)).toEqual(missing)
  const csv = await ours.inject({ method: 'GET', url: `${SYS}/operlog/export?format=csv` })
  expect(csv.body).toContain('ours_made')
  expect(csv.body).not.toContain('theirs_made')
})

test('the log never contains secrets and shows phone numbers only with the permission', async () => {
  const md5 = '0123456789abcdef0123456789abcdef'
  await boss.call('POST', '/api/v1/account/passwd/modify', { oldPswdMd5: md5, newPswdMd5: md5 })
  const { rows } = await server.db.execute(sql`select * from oper_logs`)
  expect(JSON.stringify(rows)).not.toContain(md5)
  await server.db.execute(sql`insert into oper_logs (title, request_method, oper_url, oper_ip, tenant_id, oper_name,
    oper_param, diff, biz_type, biz_id) values ('改资料', 'POST', '/x', '8.8.8.8', 1, 'masked_one',
    '{"mobileNo":"13812345678","email":"a@b.cn","realname":"李"}', ${JSON.stringify([
      { field: 'mobileNo', title: '手机号', from: '13812345678', to: '13812340000' },
      { field: 'apiToken', title: '令牌', from: 'leaked', to: 'leaked2' },
    ])}::jsonb, 'account', '77')`)
  const [{ operId }] = (await page(auditor, 'operlog', 'operName=masked_one')).list
  const seen = (await auditor.call('GET', `${SYS}/operlog/${operId}`)).data
  expect(seen.diff).toMatchObject([
    { from: '138****5678', to: '138****0000' },
    { from: '******', to: '******' },
  ])
  expect(JSON.parse(seen.operParam)).toEqual({ mobileNo: '138****5678', email: 'a***@b.cn', realname: '李' })
  expect(seen.operLocation).toBe('')
  const plain = (await boss.call('GET', `${SYS}/operlog/${operId}`)).data
  expect(plain.diff).toMatchObject([{ from: '13812345678' }, { from: '******' }])
})

test('reading the history of a record requires the permission for the list of the record', async () => {
  const reader = await server.as('system:rolemanagement:list')
  const staff = await server.as('system:manager:list')
  const history = (by: Caller, path: string) => by.call('GET', `${SYS}/operlog/biz/${path}`)
  expect((await history(staff, 'account/77')).data).toMatchObject({ total: 1, list: [{ operName: 'masked_one' }] })
  expect(await history(reader, 'account/77')).toMatchObject({ code: 501, msg: '您没有权限！' })
  expect((await history(reader, 'role/1')).code).toBe(200)
  // Every logged record type can be requested by its name.
  for (const bizType of Object.keys(HISTORY_PERMISSIONS))
    expect((await history(auditor, `${bizType}/1`)).code, bizType).toBe(200)
  expect((await history(reader, 'constructor/1')).code).toBe(501)
  expect((await history(auditor, 'whatever/1')).code).toBe(200)
  expect((await history(ours, 'account/77')).data.total).toBe(0)
})

test.each(['operlog', 'loginlog'])('%s: a query covers at most 366 days and by default the last days', async (log) => {
  const ask = (query: string) => auditor.call('GET', `${SYS}/${log}/page?${query}`)
  expect((await ask('beginTime=2030-01-01&endTime=2031-01-02')).code).toBe(200)
  expect(await ask('beginTime=2030-01-01&endTime=2031-01-03')).toMatchObject({
    code: 400,
    msg: '时间范围不能超过 366 天',
  })
  expect(await ask('beginTime=2030-01-02&endTime=2030-01-01')).toMatchObject({
    code: 400,
    msg: '结束时间不能早于开始时间',
  })
  expect((await ask('beginTime=2030-02-30')).code).toBe(400)
  expect((await ask('beginTime=0000-01-01')).code).toBe(400)
  expect((await ask('endTime=2030-01-01%2023:59:60')).code).toBe(400)
  for (const edge of ['beginTime=2020-01-01', 'endTime=2020-01-01']) expect((await ask(edge)).data.total).toBe(0)
})

test('log rows older than the default range are returned only for an explicit range', async () => {
  await server.db.execute(sql`insert into oper_logs (oper_time, title, request_method, oper_url, oper_ip, tenant_id,
    oper_name) values (now() - interval '20 days', '旧事', 'POST', '/x', '::1', 1, 'old_one')`)
  expect((await page(auditor, 'operlog', 'operName=old_one')).total).toBe(0)
  expect((await page(auditor, 'operlog', 'operName=old_one&beginTime=2026-01-01&endTime=2026-12-31')).total).toBe(
    new Date().getFullYear() === 2026 ? 1 : 0,
  )
})

test('logins are listed, filtered and exported with their result', async () => {
  await server.stranger().call('POST', '/api/v1/account/login', { account: 'no_such_one', pswdMd5: 'f'.repeat(32) })
  const { list } = await page(auditor, 'loginlog', 'account=no_such&status=0')
  expect(list).toMatchObject([{ account: 'no_such_one', status: 0, loginType: 1, ip: '127.0.0.1', location: '内网' }])
  expect((await page(ours, 'loginlog', 'account=no_such')).total).toBe(0)
  const { body } = await auditor.inject({ method: 'GET', url: `${SYS}/loginlog/export?format=csv&account=no_such` })
  expect(body).toContain('no_such_one')
  expect(body).toContain('失败')
  expect((await page(auditor, 'operlog', `title=${encodeURIComponent('导出登录日志')}`)).list).toMatchObject([
    { businessType: 5, operName: auditor.account },
  ])
})

test('accounts that can see a locked account can unlock it from the login log', async () => {
  const lock = (account: string) =>
    server.db.execute(sql`insert into login_failures values (${`p:${account}|1.2.3.4`}, 5, now(),
      now() + interval '10 minutes'), (${`a:${account}`}, 9, now(), null)`)
  const left = async (account: string) =>
    (await server.db.execute(sql`select key from login_failures where key like ${`%:${account}%`}`)).rows.length
  const victim = await server.by({ tenant: '乙公司' })
  await lock(victim.account)
  const unlock = (by: Caller, account: string) => by.call('POST', `${SYS}/loginlog/unlock`, { account })
  expect(await unlock(ours, victim.account)).toMatchObject({ code: 400, msg: '账号不存在或已被删除' })
  expect(await left(victim.account)).toBe(2)
  expect((await unlock(auditor, victim.account.toUpperCase())).msg).toBe('已解锁')
  expect(await left(victim.account)).toBe(0)
})

const me = (who: Caller) => who.inject({ method: 'GET', url: '/api/v1/sys/account/perms' })

test('online users are listed by tenant, and an ended session gets HTTP 401 on its next request', async () => {
  const victim = await server.by({ tenant: '甲公司' })
  expect((await me(victim)).statusCode).toBe(200)
  const { list } = await page(ours, 'online', `account=${victim.account}`)
  expect(list).toMatchObject([{ uid: victim.uid, tenantName: '甲公司', current: false, console: false }])
  expect((await page(theirs, 'online', `account=${victim.account}`)).total).toBe(0)
  const url = `${SYS}/online/${list[0].sessionId}`
  expect(await theirs.call('DELETE', url)).toEqual({ code: 400, msg: '会话不存在或已被删除', data: null })
  expect(await ours.call('DELETE', url)).toMatchObject({ code: 200, msg: '已强制下线', data: { ended: 1 } })
  const refused = await me(victim)
  expect(refused.statusCode).toBe(401)
  const log = (await page(ours, 'loginlog', `account=${victim.account}&loginType=4`)).list
  expect(log).toMatchObject([{ msg: `被${ours.account}强制下线`, status: 1 }])
  expect(JSON.stringify(list)).not.toContain('tokenHash')
})

test("several sessions can be ended at once, except the caller's session and those of super administrators", async () => {
  const victims = [await server.by({ tenant: '甲公司' }), await server.by({ tenant: '甲公司' })]
  const sessionOf = async (who: Caller) =>
    (await page(auditor, 'online', `account=${who.account}`)).list.find((row: { uid: number }) => row.uid === who.uid)
      .sessionId as string
  const ids = await Promise.all(victims.map(sessionOf))
  const query = ids.map((id) => `ids=${id}`).join('&')
  expect((await auditor.call('DELETE', `${SYS}/online?${query}`)).data).toEqual({ ended: 2 })
  for (const victim of victims) expect((await me(victim)).statusCode).toBe(401)
  expect((await auditor.call('DELETE', `${SYS}/online?${query}`)).msg).toBe('会话不存在或已被删除')
  expect((await auditor.call('DELETE', `${SYS}/online/${await sessionOf(auditor)}`)).msg).toBe('不能强制下线当前会话')
  expect((await auditor.call('DELETE', `${SYS}/online/${await sessionOf(boss)}`)).code).toBe(501)
})
