import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const ACCOUNT = '/api/v1/sys/account'
const LIST = ['list', 'query', 'enable', 'resetPwd', 'unlock', 'export'].map((action) => `system:userList:${action}`)

let boss: Caller
let clerk: Caller
let ours: Caller
let theirs: Caller
let foreigner: Caller
beforeAll(async () => {
  boss = await server.by({ superAdmin: true })
  clerk = await server.as(...LIST)
  ours = await server.by({ tenant: '甲公司', permissions: LIST, dataScope: 2 })
  theirs = await server.by({ tenant: '乙公司', permissions: ['system:manager:list'], dataScope: 2 })
  foreigner = await server.by({ tenant: '乙公司', permissions: [], dataScope: 2 })
  await server.db.execute(sql`update accounts set mobile_no = '13812345678', email = 'who@example.com',
    nickname = '小外', login_count = 3 where uid = ${foreigner.uid}`)
})

const accountsSeenBy = async (by: Caller, query = '') =>
  (await by.call('GET', `${ACCOUNT}/all/page?pageSize=200${query}`)).data.list.map(({ uid }: { uid: number }) => uid)

test('ACCOUNT-01 the platform sees the accounts of all tenants, and a tenant sees only its own', async () => {
  expect(await accountsSeenBy(clerk)).toEqual(expect.arrayContaining([boss.uid, ours.uid, theirs.uid]))
  expect(await accountsSeenBy(ours)).toEqual([ours.uid])
  const { data } = await clerk.call('GET', `${ACCOUNT}/all/page?account=${theirs.account}`)
  expect(data.list).toMatchObject([
    { uid: theirs.uid, tenantName: '乙公司', roleNames: [theirs.account], status: 1, locked: false },
  ])
})

test('ACCOUNT-01 the list filters by tenant, status and lock, and sorts only by permitted columns', async () => {
  const { rows } = await server.db.execute<{ id: number }>(sql`select id from tenants where name = '乙公司'`)
  const inTenant = await accountsSeenBy(clerk, `&tenantId=${rows[0]?.id}&orderByColumn=account&isAsc=asc`)
  expect(new Set(inTenant)).toEqual(new Set([theirs.uid, foreigner.uid]))
  await server.db.execute(sql`insert into login_failures values
    (${`p:${theirs.account}|10.1.1.1`}, 5, now(), now() + interval '10 minutes')`)
  expect(await accountsSeenBy(clerk, '&locked=1')).toEqual([theirs.uid])
  expect(await accountsSeenBy(clerk, '&locked=0')).not.toContain(theirs.uid)
  expect((await boss.call('POST', `${ACCOUNT}/unlock/${theirs.uid}`)).msg).toBe('已解锁')
  expect(await accountsSeenBy(clerk, '&locked=1')).toEqual([])
  expect((await clerk.call('GET', `${ACCOUNT}/all/page?orderByColumn=email`)).msg).toBe('排序字段不正确')
})

test('ACCOUNT-05 disabling an account of any tenant takes effect immediately, and the account can be enabled again', async () => {
  const perms = () => theirs.inject({ method: 'GET', url: '/api/v1/sys/account/perms' })
  expect((await perms()).statusCode).toBe(200)
  // The clerk lacks a permission of the account. Only an account with that permission may change it.
  expect((await clerk.call('POST', `${ACCOUNT}/disable/${theirs.uid}`)).code).toBe(501)
  expect((await boss.call('POST', `${ACCOUNT}/disable/${theirs.uid}`)).msg).toBe('已停用')
  expect((await perms()).statusCode).toBe(401)
  expect(await accountsSeenBy(clerk, '&status=0')).toEqual([theirs.uid])
  expect((await boss.call('POST', `${ACCOUNT}/enable/${theirs.uid}`)).msg).toBe('已启用')
})

test('an account that a tenant cannot see is reported as not found', async () => {
  const missing = { code: 400, msg: '账号不存在或已被删除', data: null }
  for (const id of [theirs.uid, 2_000_000_000]) {
    expect(await ours.call('GET', `${ACCOUNT}/${id}`)).toEqual(missing)
    for (const call of ['enable', 'disable', 'resetPasswd', 'resetCode', 'unlock'])
      expect(await ours.call('POST', `${ACCOUNT}/${call}/${id}`)).toEqual(missing)
  }
})

test('list, overview and export mask mobile numbers without the permission', async () => {
  const one = `account=${foreigner.account}`
  const row = async (by: Caller) => (await by.call('GET', `${ACCOUNT}/all/page?${one}`)).data.list[0]
  expect(await row(clerk)).toMatchObject({ mobileNo: '138****5678', email: 'w***@example.com' })
  expect(await row(boss)).toMatchObject({ mobileNo: '13812345678', email: 'who@example.com' })
  expect((await clerk.call('GET', `${ACCOUNT}/${foreigner.uid}`)).data.account.mobileNo).toBe('138****5678')
  const { body } = await clerk.inject({ method: 'GET', url: `${ACCOUNT}/export?format=csv&${one}` })
  expect(body).toContain('138****5678')
  expect(body).not.toContain('13812345678')
  expect((await clerk.call('GET', `${ACCOUNT}/all/page?mobileNo=1381`)).data.total).toBe(0)
})

test('ROUTE-07 the overview of an account shows each block only with the permission of the block', async () => {
  const worker = await server.by({ tenant: '乙公司', permissions: ['system:manager:list', 'system:manager:add'] })
  await server.db.execute(sql`insert into login_logs (account, uid, ip, status, msg)
    values (${worker.account}, ${worker.uid}, '192.168.1.5', 1, '登录成功')`)
  await worker.call('POST', '/api/v1/tenant/user', { account: 'made_there', realname: '新人' })
  const { data } = await boss.call('GET', `${ACCOUNT}/${worker.uid}`)
  expect(data.account).toMatchObject({ uid: worker.uid, tenantName: '乙公司', pwdMustChange: false })
  expect(data.roles).toMatchObject([{ id: worker.roleId, status: 1 }])
  expect(data.rights).toEqual([{ page: '用户管理', actions: ['新增'] }])
  expect(data.sessions).toHaveLength(1)
  expect(data.logins).toMatchObject([{ ip: '192.168.1.5', location: '内网', msg: '登录成功' }])
  expect(data.operations).toMatchObject([{ title: '新增用户', action: '新增用户「新人（made_there）」', status: 1 }])
  const less = (await clerk.call('GET', `${ACCOUNT}/${worker.uid}`)).data
  expect([less.sessions, less.logins, less.operations]).toEqual([null, null, null])
  expect(JSON.stringify(data)).not.toMatch(/argon2|passwordHash|mfaSecret|tokenHash/)
})

test('resetting a password creates a one-time password and ends the sessions of the account', async () => {
  const { data } = await clerk.call('POST', `${ACCOUNT}/resetPasswd/${foreigner.uid}`)
  const login = { account: foreigner.account, pswdMd5: computeMd5Hex(data.password) }
  const entered = await server.stranger().call('POST', '/api/v1/account/login', login)
  expect(entered).toMatchObject({ code: 200, data: { mustChangePassword: true } })
  const code = await clerk.call('POST', `${ACCOUNT}/resetCode/${foreigner.uid}`)
  expect(code.data).toMatchObject({ account: foreigner.account, code: expect.stringMatching(/^[A-Z2-9]{10}$/) })
})

test('all sessions of an account can be ended at once', async () => {
  const victim = await server.by({ tenant: '乙公司' })
  const ender = await server.by({ superAdmin: true })
  expect((await ender.call('POST', `${ACCOUNT}/forceLogout/${victim.uid}`)).data).toEqual({ ended: 1 })
  expect((await victim.inject({ method: 'GET', url: '/api/v1/sys/account/perms' })).statusCode).toBe(401)
})

test('TICKET-09 the handler search returns uid, nickName, realname and mobileNo of colleagues only', async () => {
  await server.db.execute(sql`update accounts set status = 1 where tenant_id is not null`)
  const colleague = await server.by({ tenant: '乙公司' })
  const search = async (by: Caller, keyword: string) =>
    (await by.call('GET', `/api/v1/account/search?keyword=${encodeURIComponent(keyword)}`)).data.list
  const found = await search(colleague, foreigner.account)
  expect(found).toEqual([
    {
      uid: foreigner.uid,
      nickName: '小外',
      realname: expect.any(String),
      mobileNo: '138****5678',
      account: foreigner.account,
    },
  ])
  expect(await search(colleague, '小外')).toHaveLength(1)
  expect(await search(colleague, '13812345678')).toHaveLength(1)
  expect(await search(colleague, '1381')).toHaveLength(0)
  expect(await search(ours, foreigner.account)).toHaveLength(0)
  expect(await search(colleague, '%')).toHaveLength(0)
})
