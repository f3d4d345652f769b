import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const USER = '/api/v1/tenant/user'
const MANAGER = [
  'list',
  'query',
  'add',
  'edit',
  'remove',
  'enable',
  'resetPwd',
  'assignRole',
  'unlock',
  'import',
  'export',
]
  .map((action) => `system:manager:${action}`)
  .concat('system:operLog:list')

let boss: Caller
let manager: Caller
let customer: Caller
beforeAll(async () => {
  boss = await server.by({ superAdmin: true })
  manager = await server.as(...MANAGER)
  customer = await server.by({ tenant: '甲公司', permissions: MANAGER, dataScope: 2 })
})

let serial = 0
const person = (over = {}) => {
  serial += 1
  return { account: `staff${serial}`, realname: `员工${serial}`, ...over }
}
const add = async (by: Caller, over = {}) => {
  const input = person(over)
  const { data, ...rest } = await by.call('POST', USER, input)
  expect(rest).toEqual({ code: 200, msg: '新增成功' })
  return { ...input, uid: data.uid as number, password: data.password as string }
}
const rowOf = async (by: Caller, account: string) =>
  (await by.call('GET', `${USER}/list?account=${account}`)).data.list.find(
    (row: { account: string }) => row.account === account,
  )
const login = (account: string, password: string) =>
  server.stranger().call('POST', '/api/v1/account/login', { account, pswdMd5: computeMd5Hex(password) })

test('TENANT-01 a new user is listed with roles and can log in once with the one-time password', async () => {
  const made = await add(boss, { roleIds: [manager.roleId], mobileNo: '13800001111', email: 'made@example.com' })
  expect(made.password).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/)
  expect(await rowOf(boss, made.account)).toMatchObject({
    uid: made.uid,
    realname: made.realname,
    roleIds: [manager.roleId],
    status: 1,
    locked: false,
    pwdMustChange: true,
    mobileNo: '13800001111',
    email: 'made@example.com',
  })
  const entered = await login(made.account, made.password)
  expect(entered).toMatchObject({ code: 200, data: { mustChangePassword: true } })
  const { data: kept } = { data: JSON.stringify((await server.db.execute(sql`select * from oper_logs`)).rows) }
  expect(kept).not.toContain(made.password)
  expect(kept).not.toContain('13800001111')
})

test('TENANT-01 a repeated call returns the same one-time password, which is stored only encrypted', async () => {
  const call = {
    method: 'POST',
    url: USER,
    headers: { 'idempotency-key': 'only-once-please' },
    payload: person(),
  } as const
  const first = (await boss.inject(call)).json()
  expect(first).toMatchObject({ code: 200, data: { password: expect.stringMatching(/^[a-z2-9-]{14}$/) } })
  expect((await boss.inject(call)).json()).toEqual(first)
  const { rows } = await server.db.execute(sql`select answer from idempotency_keys where key = 'only-once-please'`)
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(first.data.password)
})

test.each([
  [{ account: '' }, '请输入账号', 'account'],
  [{ account: 'abc' }, '账号至少4个字符', 'account'],
  [{ account: '中文账号' }, '账号只能包含字母、数字和 _ . @ -', 'account'],
  [{ realname: '' }, '请输入姓名', 'realname'],
  [{ realname: '字'.repeat(16) }, '姓名不能超过15个字符', 'realname'],
  [{ mobileNo: '12345' }, '手机号格式不正确，应为11位手机号，境外号码加国际区号，如 +852 91234567', 'mobileNo'],
  [{ email: 'nobody' }, '邮箱格式不正确', 'email'],
  [{ roleIds: [999_999] }, '所选角色不存在或已被删除', 'roleIds'],
])('a new user with %o is refused: %s', async (over, msg, field) => {
  expect(await boss.call('POST', USER, person(over))).toEqual({ code: 400, msg, data: { field } })
})

test('TENANT-01 account names, mobile numbers and mail addresses are unique across tenants, ignoring letter case', async () => {
  const first = await add(boss, { mobileNo: '13900000001', email: 'one@example.com' })
  const refuse = async (over: object, msg: string, field: string) =>
    expect(await customer.call('POST', USER, person(over))).toEqual({ code: 400, msg, data: { field } })
  await refuse({ account: first.account.toUpperCase() }, '账号已存在', 'account')
  await refuse({ mobileNo: '13900000001' }, '手机号已被使用', 'mobileNo')
  await refuse({ email: 'ONE@example.com' }, '邮箱已被使用', 'email')
})

test('TENANT-01 users of another tenant are reported as not found', async () => {
  const ours = await add(boss)
  const theirs = await add(customer)
  expect(await rowOf(customer, ours.account)).toBeUndefined()
  expect(await rowOf(boss, theirs.account)).toBeUndefined()
  const missing = { code: 400, msg: '账号不存在或已被删除', data: null }
  for (const id of [ours.uid, 2_000_000_000]) {
    expect(await customer.call('POST', `/api/v1/tenant/disableAccount/${id}`)).toEqual(missing)
    expect(await customer.call('DELETE', `${USER}?ids=${id}`)).toEqual(missing)
    expect(await customer.call('POST', `${USER}/resetPasswd/${id}`)).toEqual(missing)
    expect(await customer.call('PUT', USER, { uid: id, realname: '改名', rev: 0 })).toEqual(missing)
    expect(await customer.call('GET', `${USER}/sessions/${id}`)).toEqual(missing)
  }
})

test('TENANT-01 an edit changes the given fields, logs old and new values, and is refused with an old revision', async () => {
  const made = await add(boss, { mobileNo: '13700002222', nickname: '旧称' })
  const edit = { uid: made.uid, realname: '新名字', nickname: '新称', mobileNo: '13700003333', rev: 0 }
  expect(await boss.call('PUT', USER, edit)).toMatchObject({ code: 200, msg: '修改成功', data: { rev: 1 } })
  expect(await rowOf(boss, made.account)).toMatchObject({ realname: '新名字', mobileNo: '13700003333', rev: 1 })
  expect(await boss.call('PUT', USER, edit)).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })

  const { data } = await boss.call('GET', `/api/v1/sys/operlog/biz/account/${made.uid}`)
  expect(data.list[0].diff).toEqual([
    { field: 'realname', title: '姓名', from: made.realname, to: '新名字' },
    { field: 'nickname', title: '昵称', from: '旧称', to: '新称' },
    { field: 'mobileNo', title: '手机号', from: '137****2222', to: '137****3333' },
  ])
})

test('without the permission mobile numbers are masked and found only in full, and saving the mask keeps the number', async () => {
  const made = await add(boss, { mobileNo: '13612345678', email: 'secret@example.com' })
  const row = await rowOf(manager, made.account)
  expect(row).toMatchObject({ mobileNo: '136****5678', email: 's***@example.com' })
  const found = async (mobileNo: string) => (await manager.call('GET', `${USER}/list?mobileNo=${mobileNo}`)).data.total
  expect([await found('1361'), await found('13612345678')]).toEqual([0, 1])
  const edit = { uid: made.uid, realname: '改', mobileNo: row.mobileNo, email: row.email, rev: row.rev }
  expect((await manager.call('PUT', USER, edit)).code).toBe(200)
  expect(await rowOf(boss, made.account)).toMatchObject({ mobileNo: '13612345678', email: 'secret@example.com' })
})

test('the list of users can be filtered and paged, treats % as text and sorts only by permitted columns', async () => {
  const names = ['甲%乙', '甲乙', '甲丙']
  for (const realname of names) await add(customer, { realname })
  const list = async (query: string) => customer.call('GET', `${USER}/list?${query}`)
  expect((await list(`realname=${encodeURIComponent('甲%')}`)).data.total).toBe(1)
  expect((await list(`realname=${encodeURIComponent('甲')}`)).data.total).toBe(3)
  expect((await list(`roleId=${customer.roleId}`)).data.list).toMatchObject([{ uid: customer.uid }])
  const asc = (await list('orderByColumn=account&isAsc=asc&pageSize=2')).data
  const next = (await list('orderByColumn=account&isAsc=asc&pageSize=2&pageNum=2')).data
  const accounts = [...asc.list, ...next.list].map((row: { account: string }) => row.account)
  expect(accounts).toEqual([...accounts].sort())
  expect(new Set(accounts).size).toBe(4)
  expect(await list('orderByColumn=passwordHash')).toMatchObject({ code: 400, msg: '排序字段不正确' })
  expect(JSON.stringify(asc)).not.toMatch(/argon2|passwordHash/)
})

test('TENANT-01 a locked account is marked in the list and can be unlocked', async () => {
  const made = await add(boss)
  await server.db.execute(sql`insert into login_failures values
    (${`p:${made.account}|10.0.0.9`}, 5, now(), now() + interval '10 minutes')`)
  expect((await rowOf(boss, made.account)).locked).toBe(true)
  const locked = await boss.call('GET', `${USER}/list?locked=1`)
  expect(locked.data.list).toMatchObject([{ uid: made.uid }])
  expect((await boss.call('POST', `${USER}/unlock/${made.uid}`)).msg).toBe('已解锁')
  expect((await boss.call('GET', `${USER}/list?locked=1`)).data.total).toBe(0)
})

test('a reset code opens the reset page once, and invalidates the earlier code', async () => {
  const made = await add(boss)
  const code = async () => (await boss.call('POST', `${USER}/resetCode/${made.uid}`)).data
  const [old, fresh] = [await code(), await code()]
  expect(fresh).toMatchObject({ account: made.account, expireTime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:/) })
  const reset = (given: string, password: string) =>
    server.stranger().call('POST', '/api/v1/account/passwd/reset', {
      account: made.account,
      code: given,
      newPswdMd5: computeMd5Hex(password),
    })
  expect((await reset(old.code, 'Strong-pass-1')).code).toBe(400)
  expect((await reset(fresh.code, 'Strong-pass-1')).code).toBe(200)
  expect((await reset(fresh.code, 'Strong-pass-2')).code).toBe(400)
  expect((await login(made.account, 'Strong-pass-1')).code).toBe(200)
})

test('the export contains the filtered users as texts, masked as in the list, with escaped formulas', async () => {
  const made = await add(boss, { realname: '=1+1', mobileNo: '13500009999', account: 'exported_one' })
  const { body, headers } = await manager.inject({
    method: 'GET',
    url: `${USER}/export?account=exported_one&format=csv&columns=account&columns=realname&columns=mobileNo&columns=status`,
  })
  expect(headers['content-disposition']).toContain('attachment')
  expect(body.replace('\ufeff', '').trim().split('\r\n')).toEqual([
    '账号,姓名,手机号,状态',
    `${made.account},'=1+1,135****9999,启用`,
  ])
  const xlsx = await manager.inject({ method: 'GET', url: `${USER}/export` })
  expect(xlsx.rawPayload.subarray(0, 2).toString()).toBe('PK')
  expect((await manager.call('GET', `${USER}/export?columns=passwordHash`)).msg).toBe('导出列不正确')
})

test('TENANT-01 a user can be saved with only the fields of the specification, without a revision', async () => {
  const made = await add(boss, { roleIds: [manager.roleId] })
  expect(await boss.call('PUT', USER, { uid: made.uid, realname: '改过的名字' })).toMatchObject({
    code: 200,
    msg: '修改成功',
  })
  expect(await rowOf(boss, made.account)).toMatchObject({ realname: '改过的名字', roleIds: [manager.roleId] })
})
