import { eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const USER = '/api/v1/tenant/user'
const ALL = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'resetPwd', 'removeMfa', 'assignRole', 'unlock'].map(
  (action) => `system:manager:${action}`,
)
let boss: Caller
let manager: Caller
/** Holds a permission that the manager lacks. */
let engineer: Caller
beforeAll(async () => {
  boss = await server.by({ superAdmin: true })
  manager = await server.as(...ALL)
  engineer = await server.as('upgrade:ota:list', 'upgrade:ota:enable')
})

const disable = (by: Caller, uid: number) => by.call('POST', `/api/v1/tenant/disableAccount/${uid}`)
const enable = (by: Caller, uid: number) => by.call('POST', `/api/v1/tenant/enableAccount/${uid}`)
const me = (who: Caller) => who.inject({ method: 'GET', url: '/api/v1/sys/account/perms' })

test('ACCOUNT-05 TENANT-01 disabling an account ends its sessions with HTTP 401, also after it is enabled again', async () => {
  const victim = await server.as('system:manager:list')
  expect((await me(victim)).statusCode).toBe(200)
  expect(await disable(boss, victim.uid)).toMatchObject({ code: 200, msg: '已停用' })
  expect((await me(victim)).statusCode).toBe(401)
  expect((await boss.call('GET', `${USER}/list?status=0`)).data.list).toMatchObject([{ uid: victim.uid, status: 0 }])
  expect(await enable(boss, victim.uid)).toMatchObject({ code: 200, msg: '已启用' })
  expect((await me(victim)).statusCode).toBe(401)
})

test('deleting an account ends its sessions, removes it from the list and frees its name', async () => {
  const victim = await server.as('system:manager:list')
  expect(await boss.call('DELETE', `${USER}?ids=${victim.uid}`)).toMatchObject({
    code: 200,
    data: { done: 1, failed: [] },
  })
  expect((await me(victim)).statusCode).toBe(401)
  expect((await boss.call('GET', `${USER}/list?account=${victim.account}`)).data.total).toBe(0)
  const again = { account: victim.account, realname: '重来' }
  expect((await boss.call('POST', USER, again)).code).toBe(200)
})

test('resetting a password ends the sessions of the account', async () => {
  const victim = await server.as('system:manager:list')
  const { data } = await boss.call('POST', `${USER}/resetPasswd/${victim.uid}`)
  expect(data).toMatchObject({ account: victim.account, password: expect.any(String) })
  expect((await me(victim)).statusCode).toBe(401)
})

test('removing a lost second factor requires its own permission, ends the sessions and is logged', async () => {
  const victim = await server.as()
  const enrolled = { mfaEnabled: true, mfaSecret: 'v1.lost', recoveryCodes: ['spent'] }
  const url = `${USER}/removeMfa/${victim.uid}`
  expect(await manager.call('POST', url)).toMatchObject({ code: 400, msg: '该账号未启用两步验证' })
  await server.db.update(accounts).set(enrolled).where(eq(accounts.uid, victim.uid))
  const resetter = await server.as('system:manager:resetPwd')
  expect((await resetter.call('POST', url)).code).not.toBe(200)
  expect(await manager.call('POST', url)).toMatchObject({ code: 200, msg: '已解除两步验证' })
  const [row] = await server.db.select().from(accounts).where(eq(accounts.uid, victim.uid))
  expect(row).toMatchObject({ mfaEnabled: false, mfaSecret: null, recoveryCodes: [] })
  expect((await me(victim)).statusCode).toBe(401)
  const { rows } = await server.db.execute<{ action: string }>(
    sql`select action from oper_logs where biz_id = ${String(victim.uid)} and title = '解除两步验证' and status = 1`,
  )
  expect(rows.map(({ action }) => action)).toEqual([
    `解除账号「测试${victim.account.slice(6)}（${victim.account}）」的两步验证`,
  ])
})

test('users cannot disable, delete or reset their own account', async () => {
  const self = { code: 501, msg: '不能操作当前登录的账号' }
  expect(await disable(manager, manager.uid)).toMatchObject(self)
  expect(await manager.call('DELETE', `${USER}?ids=${manager.uid}`)).toMatchObject(self)
  expect(await manager.call('POST', `${USER}/assignRole`, { uid: manager.uid, roleIds: [] })).toMatchObject(self)
})

test('users cannot change an account with more permissions or assign permissions that they do not hold', async () => {
  const beyond = { code: 501, msg: '该账号的权限或数据范围超出您自己的，不能操作' }
  expect(await disable(manager, engineer.uid)).toMatchObject(beyond)
  expect(await manager.call('POST', `${USER}/resetPasswd/${engineer.uid}`)).toMatchObject(beyond)
  expect(await manager.call('POST', `${USER}/resetCode/${engineer.uid}`)).toMatchObject(beyond)
  const supers = { code: 501, msg: '只有超级管理员可以操作超级管理员' }
  expect(await manager.call('POST', `${USER}/resetPasswd/${boss.uid}`)).toMatchObject(supers)

  const person = { account: 'climber', realname: '攀登者' }
  for (const roleId of [engineer.roleId, SUPER_ROLE_ID])
    expect(await manager.call('POST', USER, { ...person, roleIds: [roleId] })).toMatchObject({ code: 501 })
  expect((await boss.call('GET', `${USER}/list?account=climber`)).data.total).toBe(0)
  const { data } = await manager.call('POST', USER, person)
  const assign = { uid: data.uid, roleIds: [engineer.roleId] }
  expect(await manager.call('POST', `${USER}/assignRole`, assign)).toMatchObject({ code: 501 })
  expect(await boss.call('POST', `${USER}/assignRole`, assign)).toMatchObject({ code: 200, msg: '分配成功' })
  // A manager cannot remove a role that the manager could not assign.
  expect(await manager.call('POST', `${USER}/assignRole`, { ...assign, roleIds: [] })).toMatchObject(beyond)
})

test('each call that assigns roles requires the permission to assign roles', async () => {
  const clerk = await server.as(...ALL.filter((permission) => !permission.endsWith(':assignRole')))
  const person = { account: 'plain_one', realname: '无角色' }
  expect(await clerk.call('POST', USER, { ...person, roleIds: [clerk.roleId] })).toMatchObject({ code: 501 })
  const { data } = await clerk.call('POST', USER, person)
  const edit = { uid: data.uid, realname: '改名', rev: 0 }
  expect(await clerk.call('PUT', USER, { ...edit, roleIds: [clerk.roleId] })).toMatchObject({ code: 501 })
  expect(await clerk.call('PUT', USER, { ...edit, roleIds: [] })).toMatchObject({ code: 200 })
})

test('the list of roles states which roles the caller may assign', async () => {
  const { data } = await manager.call('GET', `${USER}/roleOptions`)
  const grantable = new Map(data.list.map((role: { id: number; grantable: boolean }) => [role.id, role.grantable]))
  expect(grantable.get(manager.roleId)).toBe(true)
  expect(grantable.get(engineer.roleId)).toBe(false)
  expect(grantable.get(SUPER_ROLE_ID)).toBe(false)
})

test('assigning a role of another tenant or a disabled role is refused', async () => {
  const foreign = await server.by({ tenant: '乙公司', permissions: ['system:manager:list'] })
  const refused = await boss.call('POST', USER, { account: 'nobody1', realname: '无', roleIds: [foreign.roleId] })
  expect(refused).toMatchObject({ code: 400, data: { field: 'roleIds' } })
  const off = await server.as('system:manager:list')
  await server.db.execute(sql`update roles set status = 0 where id = ${off.roleId}`)
  const other = await boss.call('POST', USER, { account: 'nobody2', realname: '无', roleIds: [off.roleId] })
  expect(other).toMatchObject({ code: 400, msg: `角色「${off.account}」已停用，不能分配` })
})

test('when the last two super administrators disable each other simultaneously, one of them stays enabled', async () => {
  await server.db.update(accounts).set({ status: 0 }).where(eq(accounts.account, 'admin'))
  const second = await server.by({ superAdmin: true })
  const answers = await Promise.all([disable(boss, second.uid), disable(second, boss.uid)])
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  const { rows } = await server.db.execute<{ uid: number }>(sql`select a.uid from accounts a
    join account_roles r on r.uid = a.uid where r.role_id = ${SUPER_ROLE_ID} and a.status = 1 and a.deleted_at is null`)
  expect(rows).toHaveLength(1)

  // An account with every permission by name is not a super administrator and cannot change the last super
  // administrator.
  const last = rows[0]?.uid as number
  const others = { code: 501, msg: '只有超级管理员可以操作超级管理员' }
  expect(await disable(manager, last)).toMatchObject(others)
  // Simulates a colleague who has just been disabled and whom another process still accepts for a moment.
  const survivor = last === boss.uid ? boss : second
  const third = await server.by({ superAdmin: true })
  await new Promise((done) => setTimeout(done, 100))
  expect((await me(survivor)).statusCode).toBe(200)
  await server.db.update(accounts).set({ expireTime: '2000-01-01 00:00:00' }).where(eq(accounts.uid, last))
  const stays = { code: 501, msg: '至少要保留一名启用的超级管理员' }
  expect(await disable(survivor, third.uid)).toMatchObject(stays)
  expect(await survivor.call('DELETE', `${USER}?ids=${third.uid}`)).toMatchObject(stays)
  expect(await survivor.call('POST', `${USER}/assignRole`, { uid: third.uid, roleIds: [] })).toMatchObject(stays)
  const ending = { uid: third.uid, realname: '终有期', expireTime: '2099-01-01 00:00:00', rev: 0 }
  expect(await survivor.call('PUT', USER, ending)).toMatchObject(stays)
})

test('a batch returns the result of each row, and a refused row does not stop the others', async () => {
  const root = await server.by({ superAdmin: true })
  const one = await server.as()
  const two = await server.as()
  const { data } = await root.call('POST', `${USER}/status`, { ids: [one.uid, root.uid, two.uid, 999_999], status: 0 })
  expect(data.done).toBe(2)
  expect(data.failed).toEqual([
    { id: root.uid, name: root.account, msg: '不能操作当前登录的账号' },
    { id: 999_999, name: '999999', msg: '账号不存在或已被删除' },
  ])
  const removed = await root.call('DELETE', `${USER}?ids=${one.uid}&ids=${root.uid}`)
  expect(removed.data).toMatchObject({ done: 1, failed: [{ id: root.uid }] })
  expect(removed.msg).toMatch(/^已删除1个用户，1个未删除：/)
  const nothing = await root.call('DELETE', `${USER}?ids=${one.uid}&ids=${root.uid}`)
  expect(nothing.code).not.toBe(200)
  expect(nothing.msg).toMatch(/^没有删除任何用户：/)
})

test('simultaneous creations never exceed the account quota of the tenant', async () => {
  const owner = await server.by({ tenant: '丙公司', permissions: ALL, dataScope: 2 })
  await server.db.update(tenants).set({ accountCount: 4 }).where(eq(tenants.name, '丙公司'))
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, at) => owner.call('POST', USER, { account: `quota${at}`, realname: '额度' })),
  )
  expect(made.filter(({ code }) => code === 200)).toHaveLength(3)
  const refusals = made.filter(({ code }) => code !== 200)
  expect(refusals.every(({ msg }) => msg === '账号数量已达上限（4个），请联系管理员')).toBe(true)
  expect((await owner.call('GET', `${USER}/list`)).data.total).toBe(4)
})
