import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accounts } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import type { Caller } from '#test/harness.ts'
import { ROLE_URL, createRoleFixture } from './role-fixture.ts'

const { app, at, input, made, menuId, grant, assign, lastLog } = createRoleFixture()

test('TENANT-02 a role can be added, found, changed, disabled, enabled and deleted, and its history records each step', async () => {
  const { data, msg } = await at.admin.call(
    'POST',
    ROLE_URL,
    input({ roleName: '售后组长', roleCode: 'after_lead', remark: 'r' }),
  )
  expect(msg).toBe('新增成功')
  const listed = await at.admin.call('GET', `${ROLE_URL}/list?roleName=售后组长&status=1`)
  expect(listed.data).toMatchObject({
    total: 1,
    list: [{ roleCode: 'after_lead', userCount: 0, dataScope: 2, status: 1 }],
  })

  const detail = (await at.admin.call('GET', `${ROLE_URL}/${data.id}`)).data
  const change = { id: data.id, rev: detail.rev, roleName: '售后经理', roleCode: 'after_lead', roleSort: 5 }
  expect(await at.admin.call('PUT', ROLE_URL, change)).toMatchObject({ code: 200, data: { rev: detail.rev + 1 } })
  expect((await lastLog(data.id))?.diff).toContainEqual(
    expect.objectContaining({ title: '角色名称', from: '售后组长', to: '售后经理' }),
  )
  expect((await at.admin.call('POST', `${ROLE_URL}/disable/${data.id}`)).code).toBe(200)
  expect((await at.admin.call('GET', `${ROLE_URL}/${data.id}`)).data.status).toBe(0)
  expect((await at.admin.call('POST', `${ROLE_URL}/enable/${data.id}`)).code).toBe(200)
  expect((await lastLog(data.id))?.diff).toEqual([{ field: 'status', title: '状态', from: '停用', to: '启用' }])
  expect((await at.admin.call('DELETE', `${ROLE_URL}/${data.id}`)).code).toBe(200)
  expect(await at.admin.call('GET', `${ROLE_URL}/${data.id}`)).toMatchObject({ code: 400, msg: '角色不存在或已被删除' })
  // The name and the code can be used again.
  expect((await at.admin.call('POST', ROLE_URL, input({ roleName: '售后经理', roleCode: 'after_lead' }))).code).toBe(
    200,
  )
})

test('TENANT-02 a role can be saved with only the fields of the specification, without a revision', async () => {
  const id = await made({ roleName: '无版本', roleCode: 'no_rev' })
  const change = { id, roleName: '无版本号', roleCode: 'no_rev', roleSort: 3 }
  expect(await at.admin.call('PUT', ROLE_URL, change)).toMatchObject({ code: 200, msg: '修改成功' })
  expect((await at.admin.call('GET', `${ROLE_URL}/${id}`)).data).toMatchObject({
    roleName: '无版本号',
    roleSort: 3,
  })
})

test.each([
  [{ roleCode: 'admin' }, '该角色编码为系统保留，请换一个'],
  [{ roleCode: 'root' }, '该角色编码为系统保留，请换一个'],
  [{ roleCode: 'Abc' }, '角色编码以小写字母开头，只能包含小写字母、数字和下划线'],
  [{ roleCode: '' }, '请输入角色编码'],
  [{ roleName: ' ' }, '请输入角色名称'],
  [{ roleName: 'x'.repeat(31) }, '角色名称不能超过30个字符'],
  [{ homeUrl: '//evil.example' }, '首页地址应以 / 开头，例如 /system/manager'],
  [{ homeUrl: 'javascript:alert(1)' }, '首页地址应以 / 开头，例如 /system/manager'],
  [{ dataScope: 3 }, '请选择指定客户'],
  [{ dataScope: 3, scopeIds: [99999] }, '所选客户不存在或已被删除'],
])('TENANT-02 a role with %o is refused: %s', async (over, msg) => {
  expect(await at.admin.call('POST', ROLE_URL, input(over))).toMatchObject({ code: 400, msg })
})

test('TENANT-02 names and codes of roles are unique within a tenant, and the error names the field', async () => {
  await made({ roleName: '重名', roleCode: 'twin' })
  expect(await at.admin.call('POST', ROLE_URL, input({ roleName: '重名' }))).toMatchObject({
    code: 400,
    msg: '角色名称已存在',
    data: { field: 'roleName' },
  })
  const other = await made()
  const { data } = await at.admin.call('GET', `${ROLE_URL}/${other}`)
  expect(await at.admin.call('PUT', ROLE_URL, { ...data, roleCode: 'twin' })).toMatchObject({
    data: { field: 'roleCode' },
  })
})

test('a save with an old revision is refused with the name of the first editor', async () => {
  const id = await made()
  const { data } = await at.admin.call('GET', `${ROLE_URL}/${id}`)
  await at.admin.call('PUT', ROLE_URL, { ...data, remark: '先到' })
  const late = await at.admin.call('PUT', ROLE_URL, { ...data, remark: '后到' })
  expect(late).toMatchObject({ code: 400, data: { conflict: { rev: data.rev + 1 } } })
  expect((await at.admin.call('GET', `${ROLE_URL}/${id}`)).data.remark).toBe('先到')
})

test('a role with users cannot be deleted, and the message counts the users', async () => {
  const id = await made()
  const one = await app.as()
  const two = await app.as()
  await assign(id, [one.uid, two.uid])
  expect(await at.admin.call('DELETE', `${ROLE_URL}/${id}`)).toMatchObject({
    code: 400,
    msg: '该角色下还有2个用户，请先移除用户再删除',
  })
})

test('TENANT-03 the permission tree shows granted permissions, and a save applies to open sessions immediately', async () => {
  const id = await made()
  const person = await app.as()
  await assign(id, [person.uid])
  expect((await person.call('GET', '/api/v1/tenant/role/list')).code).toBe(501)
  const saved = await grant(id, ['system:rolemanagement:list', 'system:rolemanagement:query'])
  expect(saved).toMatchObject({ code: 200, msg: '权限已保存' })
  await expect.poll(async () => (await person.call('GET', '/api/v1/tenant/role/list')).code).toBe(200)

  const { data } = await at.admin.call('GET', `${ROLE_URL}/allPerm/${id}`)
  expect(new Set(data.checkedIds)).toEqual(
    new Set([await menuId('system:rolemanagement:list'), await menuId('system:rolemanagement:query')]),
  )
  const [system] = data.menus.filter((node: { url: string }) => node.url === '/system')
  expect(data.halfCheckedIds).toEqual([system.id])
  const log = await lastLog(id)
  expect(log?.diff[0]).toMatchObject({ title: '权限', to: ['系统管理 / 角色管理', '系统管理 / 角色管理 / 详情'] })

  await grant(id, [])
  await expect.poll(async () => (await person.call('GET', '/api/v1/tenant/role/list')).code).toBe(501)
})

test('TENANT-03 a save ignores directory ids, and refuses unknown ids and old revisions', async () => {
  const id = await made()
  const { rev } = (await at.admin.call('GET', `${ROLE_URL}/${id}`)).data
  const [directory] = await app.db.select().from(menus).where(eq(menus.url, '/system'))
  const page = await menuId('system:operLog:list')
  const save = { roleId: id, menuIds: [directory!.id, page], rev }
  expect((await at.admin.call('POST', `${ROLE_URL}/permission`, save)).code).toBe(200)
  expect((await at.admin.call('GET', `${ROLE_URL}/allPerm/${id}`)).data.checkedIds).toEqual([page])
  expect(await at.admin.call('POST', `${ROLE_URL}/permission`, save)).toMatchObject({
    code: 400,
    data: { conflict: {} },
  })
  expect(
    await at.admin.call('POST', `${ROLE_URL}/permission`, { ...save, rev: rev + 1, menuIds: [987654] }),
  ).toMatchObject({
    code: 400,
    data: { field: 'menuIds' },
  })
})

test('TENANT-04 accounts inside and outside a role can be listed and filtered; adding and removing moves them', async () => {
  const id = await made()
  const [one, two] = [await app.as(), await app.as()]
  expect(await assign(id, [one.uid, two.uid, one.uid])).toMatchObject({ code: 200, data: { changed: 2 } })
  expect((await assign(id, [one.uid])).data).toEqual({ changed: 0 })
  const inside = await at.admin.call('GET', `${ROLE_URL}/accountInRole/${id}?pageNum=1&pageSize=1`)
  expect(inside.data).toMatchObject({ total: 2, list: [{ account: two.account }] })
  const filtered = await at.admin.call('GET', `${ROLE_URL}/accountNotInRole/${id}?account=${one.account}`)
  expect(filtered.data.total).toBe(0)
  const removed = await at.admin.call('POST', `${ROLE_URL}/removeUserRole`, { roleId: id, uids: [one.uid] })
  expect(removed.data).toEqual({ changed: 1 })
  const found = await at.admin.call('GET', `${ROLE_URL}/accountNotInRole/${id}?account=${one.account}`)
  expect(found.data.list.map(({ uid }: { uid: number }) => uid)).toContain(one.uid)
  expect((await lastLog(id))?.action).toContain(`移除1个用户：${one.account}`)
  expect(await assign(id, [one.uid, 999_999])).toMatchObject({ code: 400, msg: '账号不存在或已被删除' })
})

test('the accounts of a role show full mobile numbers only with the permission', async () => {
  const id = await made()
  const person = await app.as()
  await app.db.update(accounts).set({ mobileNo: '13812345678' }).where(eq(accounts.uid, person.uid))
  await assign(id, [person.uid])
  const reader = await app.as('system:rolemanagement:query')
  const seen = (caller: Caller) => caller.call('GET', `${ROLE_URL}/accountInRole/${id}`)
  expect((await seen(reader)).data.list[0].mobileNo).toBe('138****5678')
  expect((await seen(at.admin)).data.list[0].mobileNo).toBe('13812345678')
})

test('the export contains the filtered roles with texts in place of codes', async () => {
  await made({ roleName: '导出用角色' })
  const reply = await at.admin.inject({
    method: 'GET',
    url: `${ROLE_URL}/export?format=csv&roleName=导出用&columns=roleName&columns=dataScope`,
  })
  expect(reply.headers['content-type']).toContain('text/csv')
  expect(reply.body).toContain('导出用角色,本客户')
})
