import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountRoles } from '#core/schema/account.ts'
import type { Caller } from '#test/harness.ts'
import { ROLE_MANAGER_PERMISSIONS, ROLE_URL, createRoleFixture } from './role-fixture.ts'

const { app, at, input, made, grant, assign, tenantIdOf } = createRoleFixture()

test('the super role cannot be changed, and only a super administrator assigns it', async () => {
  const { data } = await at.admin.call('GET', `${ROLE_URL}/1`)
  const msg = '内置角色「超级管理员」不能修改'
  expect(await at.admin.call('PUT', ROLE_URL, { ...data, roleCode: 'boss' })).toMatchObject({ code: 501, msg })
  expect(await at.admin.call('DELETE', `${ROLE_URL}/1`)).toMatchObject({ code: 501, msg })
  expect(await at.admin.call('POST', `${ROLE_URL}/disable/1`)).toMatchObject({ code: 501, msg })
  expect(
    await at.admin.call('POST', `${ROLE_URL}/permission`, { roleId: 1, menuIds: [], rev: data.rev }),
  ).toMatchObject({
    code: 501,
    msg,
  })
  const manager = await app.as(...ROLE_MANAGER_PERMISSIONS)
  expect(await assign(1, [manager.uid], manager)).toMatchObject({
    code: 501,
    msg: '只有超级管理员可以分配超级管理员角色',
  })
})

test('the last super administrator cannot be removed, also when two are removed simultaneously', async () => {
  const other = await app.by({ superAdmin: true })
  const supers = await app.db.select().from(accountRoles).where(eq(accountRoles.roleId, 1))
  const bystanders = supers.filter(({ uid }) => uid !== at.admin.uid && uid !== other.uid).map(({ uid }) => uid)
  const drop = (uids: number[]) => at.admin.call('POST', `${ROLE_URL}/removeUserRole`, { roleId: 1, uids })
  expect((await drop(bystanders)).code).toBe(200)
  const answers = await Promise.all([
    other.call('POST', `${ROLE_URL}/removeUserRole`, { roleId: 1, uids: [other.uid] }),
    drop([at.admin.uid]),
  ])
  expect(answers.map(({ code }) => code).sort()).toEqual([200, 501])
  expect(answers.map(({ msg }) => msg)).toContain('至少要保留一名启用的超级管理员')
  const left = await app.db.select().from(accountRoles).where(eq(accountRoles.roleId, 1))
  expect(left).toHaveLength(1)
  at.admin = left[0]?.uid === at.admin.uid ? at.admin : other
  expect((await drop([at.admin.uid])).code).toBe(501)
})

test('an account cannot grant or revoke a permission that it does not hold', async () => {
  const manager = await app.as(...ROLE_MANAGER_PERMISSIONS, 'system:operLog:list')
  const id = await made({}, manager)
  expect((await grant(id, ['system:operLog:list', 'system:rolemanagement:list'], manager)).code).toBe(200)
  expect(await grant(id, ['system:operLog:list', 'system:operLog:export'], manager)).toMatchObject({
    code: 501,
    msg: '不能授予或收回您自己没有的权限：导出等1项',
    data: { field: 'menuIds' },
  })
  await grant(id, ['system:operLog:list', 'system:operLog:export'])
  expect((await grant(id, ['system:operLog:list'], manager)).code).toBe(501)
  const { data } = await manager.call('GET', `${ROLE_URL}/allPerm/${id}`)
  const flat = (nodes: { perms: string; grantable: boolean; children: [] }[]): [string, boolean][] =>
    nodes.flatMap(({ perms, grantable, children }) => [[perms, grantable], ...flat(children)] as [string, boolean][])
  const nodes = new Map(flat(data.menus))
  expect([nodes.get('system:operLog:list'), nodes.get('system:operLog:export')]).toEqual([true, false])
})

test('an account cannot assign, disable or delete a role with more permissions than its own', async () => {
  const manager = await app.as(...ROLE_MANAGER_PERMISSIONS)
  const strong = await made()
  await grant(strong, ['system:operLog:export'])
  const refused = { code: 501 }
  expect(await assign(strong, [manager.uid], manager)).toMatchObject(refused)
  expect(await manager.call('POST', `${ROLE_URL}/disable/${strong}`)).toMatchObject(refused)
  expect(await manager.call('DELETE', `${ROLE_URL}/${strong}`)).toMatchObject(refused)
  const remove = { roleId: strong, uids: [manager.uid] }
  expect(await manager.call('POST', `${ROLE_URL}/removeUserRole`, remove)).toMatchObject(refused)
})

test('an account cannot edit a role with more permissions or a wider data scope than its own', async () => {
  const remarked = async (id: number, by: Caller) => {
    const { data } = await by.call('GET', `${ROLE_URL}/${id}`)
    return by.call('PUT', ROLE_URL, { ...data, roleName: `改名${id}`, remark: '被改' })
  }
  const manager = await app.as(...ROLE_MANAGER_PERMISSIONS)
  const limited = await app.by({ permissions: ROLE_MANAGER_PERMISSIONS, dataScope: 3 })
  const [strong, wide, equal] = [await made(), await made({ dataScope: 1 }), await made()]
  await grant(strong, ['system:operLog:export'])
  await grant(equal, ['system:rolemanagement:list'])
  expect(await remarked(strong, manager)).toMatchObject({ code: 501, data: { field: 'menuIds' } })
  const scoped = { code: 501, msg: '不能授予超出您自己的数据范围' }
  expect(await remarked(wide, limited)).toMatchObject(scoped)
  const before = await at.admin.call('GET', `${ROLE_URL}/${wide}`)
  expect(before.data).toMatchObject({ remark: '', rev: 0 })
  for (const by of [manager, limited]) expect((await remarked(equal, by)).code).toBe(200)
})

test('list and details of roles state why the caller may not change a role', async () => {
  const limited = await app.by({ permissions: ROLE_MANAGER_PERMISSIONS, dataScope: 3 })
  const [strong, wide, equal] = [await made(), await made({ dataScope: 1 }), await made()]
  await grant(strong, ['system:operLog:export'])
  const refusal = '该角色的权限或数据范围超出您自己的，不能操作'
  const refusalsFor = async (by: Caller) => {
    const { list } = (await by.call('GET', `${ROLE_URL}/list?pageSize=100`)).data
    const found = new Map(list.map((row: { id: number; changeRefusal: string | null }) => [row.id, row.changeRefusal]))
    for (const id of [strong, wide, equal])
      expect((await by.call('GET', `${ROLE_URL}/${id}`)).data.changeRefusal).toBe(found.get(id))
    return [strong, wide, equal].map((id) => found.get(id))
  }
  expect(await refusalsFor(limited)).toEqual([refusal, refusal, null])
  expect(await refusalsFor(at.admin)).toEqual([null, null, null])
})

test('an account with scope "own records" can create and edit only roles with this scope', async () => {
  const own = await app.by({ permissions: ROLE_MANAGER_PERMISSIONS, dataScope: 4 })
  const id = await made({}, own)
  const { data } = await own.call('GET', `${ROLE_URL}/${id}`)
  expect(data).toMatchObject({ dataScope: 4 })
  expect((await own.call('PUT', ROLE_URL, { ...data, remark: '自己的' })).code).toBe(200)
  expect((await own.call('POST', ROLE_URL, input({ dataScope: 2 }))).code).toBe(501)
})

test('an account cannot grant a wider data scope than its own, and setting a scope requires its own permission', async () => {
  const own = await app.by({ permissions: ROLE_MANAGER_PERMISSIONS, dataScope: 2 })
  expect((await own.call('POST', ROLE_URL, input({ dataScope: 1 }))).code).toBe(501)
  const scoper = await app.by({
    permissions: [...ROLE_MANAGER_PERMISSIONS, 'system:rolemanagement:dataScope'],
    dataScope: 2,
  })
  expect(await scoper.call('POST', ROLE_URL, input({ dataScope: 1 }))).toMatchObject({
    code: 501,
    msg: '不能授予超出您自己的数据范围',
    data: { field: 'dataScope' },
  })
  expect((await scoper.call('POST', ROLE_URL, input({ dataScope: 4 }))).code).toBe(200)
  const wide = await made({ dataScope: 1 })
  expect((await assign(wide, [scoper.uid], scoper)).code).toBe(501)
  // Adding a menu of the caller to a role with a wider scope would exceed the caller's permissions.
  await grant(wide, [])
  expect((await grant(wide, ['system:rolemanagement:list'], scoper)).code).toBe(501)
})

test('a tenant manages only its own roles within its scenes and sees no others', async () => {
  const perms = [...ROLE_MANAGER_PERMISSIONS, 'system:rolemanagement:dataScope', 'system:operLog:list']
  const boss = await app.by({ tenant: '甲公司', permissions: perms })
  const rival = await app.by({ tenant: '乙公司', permissions: perms })
  const id = await made({ roleName: '甲的角色' }, boss)
  expect((await boss.call('GET', `${ROLE_URL}/list`)).data.list.map((r: { roleName: string }) => r.roleName)).toContain(
    '甲的角色',
  )
  for (const answer of [
    await rival.call('GET', `${ROLE_URL}/${id}`),
    await rival.call('DELETE', `${ROLE_URL}/${id}`),
    await rival.call('POST', `${ROLE_URL}/enable/${id}`),
    await assign(id, [rival.uid], rival),
    await rival.call('GET', `${ROLE_URL}/accountInRole/${id}`),
  ])
    expect(answer).toMatchObject({ code: 400, msg: '角色不存在或已被删除' })
  expect((await rival.call('GET', `${ROLE_URL}/list?tenantId=${await tenantIdOf(boss)}`)).data.total).toBe(0)
  expect(await boss.call('POST', ROLE_URL, input({ tenantId: 1 }))).toMatchObject({
    code: 400,
    msg: '客户不存在或已被删除',
  })
  expect(await boss.call('POST', ROLE_URL, input({ dataScope: 1 }))).toMatchObject({ data: { field: 'dataScope' } })
  expect(await assign(id, [rival.uid], boss)).toMatchObject({ code: 400, msg: '账号不存在或已被删除' })
  expect((await assign(id, [boss.uid], boss)).code).toBe(200)
})
