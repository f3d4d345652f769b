import { isCreditCode } from '@oms/contract/tenant/tenant-info.ts'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { buildTenantForm, logIn, TENANT_MANAGER_PERMISSIONS, createTenant, readSceneId } from './tenant-fixture.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
let manager: Caller
beforeAll(async () => {
  manager = await app.as(...TENANT_MANAGER_PERMISSIONS, 'tenantManage:tenant:plain')
})

const get = async (id: number) => (await manager.call('GET', `/api/v1/tenant/${id}`)).data
const put = async (id: number, change: object) => {
  const { industryId, sceneIds, contactName, contactPhone, name, rev, ...rest } = await get(id)
  const kept = {
    level: rest.level,
    allowApply: rest.allowApply,
    accountCount: rest.accountCount,
    deviceQuota: rest.deviceQuota,
  }
  return manager.call('PUT', '/api/v1/tenant', {
    id,
    rev,
    industryId,
    sceneIds,
    contactName,
    contactPhone,
    name,
    ...kept,
    ...change,
  })
}

describe('creating a tenant', () => {
  test('MODULE-01 creating a tenant creates its first administrator, who must change the password', async () => {
    const made = await createTenant(app, manager, { adminAccount: 'first_admin', adminMobile: '13900001111', level: 2 })
    expect(made).toMatchObject({ account: 'first_admin', tenantNo: expect.stringMatching(/^T\d{6}$/) })
    const detail = await get(made.id)
    expect(detail).toMatchObject({
      name: made.name,
      level: 2,
      accountUsed: 1,
      deviceUsed: 0,
      status: 1,
      daysLeft: null,
    })
    expect(detail.joinCode).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
    const { answer, caller } = await logIn(app, made.account, made.password)
    expect(answer.data).toMatchObject({ ownerId: made.id, ownerName: made.name, mustChangePassword: true })
    expect((await caller.call('GET', '/api/v1/tenant/user/list')).msg).toBe('请先修改初始密码')
    const next = { oldPswdMd5: computeMd5Hex(made.password), newPswdMd5: computeMd5Hex('Chosen-2026') }
    expect((await caller.call('POST', '/api/v1/account/passwd/modify', next)).code).toBe(200)
    const { caller: again } = await logIn(app, made.account, 'Chosen-2026')
    const staff = await again.call('GET', '/api/v1/tenant/user/list')
    expect(staff.data.list.map(({ account }: { account: string }) => account)).toEqual(['first_admin'])
    const own = await again.call('GET', '/api/v1/tenant/page')
    expect(own.data.list.map(({ id }: { id: number }) => id)).toEqual([made.id])
  })

  test('the password of the first administrator is not logged', async () => {
    const made = await createTenant(app, manager)
    const { rows } = await app.db.execute<{ row: string }>(
      sql`select row_to_json(o)::text as row from oper_logs o where biz_type = 'tenant' and biz_id = ${String(made.id)}`,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.row).not.toContain(made.password)
    expect(rows[0]!.row).toContain(made.account)
  })

  test.each([
    [{ name: '' }, '请输入客户名称', 'name'],
    [{ industryId: undefined }, '请选择所属行业', 'industryId'],
    [{ industryId: 999_999 }, '所选行业不存在或已被删除', 'industryId'],
    [{ contactPhone: '12345' }, '联系电话格式不正确，请输入手机号或带区号的座机号', 'contactPhone'],
    [{ licenseNumber: '91330100MA27XF2B0X' }, '统一社会信用代码不正确，请核对18位代码', 'licenseNumber'],
    [{ domain: 'a.com, nohost' }, '域名格式不正确，多个域名用逗号分隔', 'domain'],
    [{ sceneIds: [] }, '请至少选择一个业务场景', 'sceneIds'],
    [{ sceneIds: [999_999] }, '所选业务场景不存在或已被删除', 'sceneIds'],
    [{ accountCount: -2 }, '账号数量上限不能小于-1', 'accountCount'],
    [{ beginTime: '2030-01-01 00:00:00', expireTime: '2029-01-01 00:00:00' }, '到期时间应晚于开始时间', 'expireTime'],
    [{ expireTime: '2020-01-01 00:00:00' }, '到期时间应晚于当前时间', 'expireTime'],
    [{ logo: 'https://elsewhere.example/x.png' }, '客户标志不正确，请重新上传', 'logo'],
    [{ areaCode: '33' }, '行政区划代码应为6、9或12位数字', 'areaCode'],
    [{ adminAccount: 'x' }, '账号至少4个字符', 'adminAccount'],
  ])('a tenant with %o is refused', async (wrong, msg, field) => {
    const answer = await manager.call('POST', '/api/v1/tenant', await buildTenantForm(app, wrong))
    expect(answer).toMatchObject({ code: 400, msg, data: { field } })
  })

  test('a keyword finds a tenant by name, number, contact, telephone, mail address and credit code', async () => {
    const contact = { contactName: '黄小栖', contactPhone: '13825299992', contactEmail: 'huang@yunqi.example' }
    const made = await createTenant(app, manager, { ...contact, licenseNumber: '91350100M000100Y43' })
    const found = async (who: Caller, keyword: string) =>
      (await who.call('GET', `/api/v1/tenant/page?keyword=${encodeURIComponent(keyword)}`)).data.list.map(
        ({ id }: { id: number }) => id,
      )
    const parts = [made.name, made.tenantNo, '小栖', '3825299992', 'huang@yunqi', '0100M000100Y']
    for (const part of parts) expect(await found(manager, part), part).toEqual([made.id])
    // Without the permission for contact details only the full text matches.
    const blind = await app.as(...TENANT_MANAGER_PERMISSIONS)
    expect(await found(blind, '3825299992')).toEqual([])
    expect(await found(blind, contact.contactPhone)).toEqual([made.id])
  })

  test('an existing tenant name or administrator account is refused at its field', async () => {
    const made = await createTenant(app, manager)
    const sameName = await manager.call('POST', '/api/v1/tenant', await buildTenantForm(app, { name: made.name }))
    expect(sameName).toMatchObject({ code: 400, msg: '客户名称已存在', data: { field: 'name' } })
    const sameAdmin = await buildTenantForm(app, { adminAccount: made.account })
    expect(await manager.call('POST', '/api/v1/tenant', sameAdmin)).toMatchObject({
      code: 400,
      msg: '账号已存在',
      data: { field: 'adminAccount' },
    })
    expect(await app.db.$count(tenants, eq(tenants.name, sameAdmin.name))).toBe(0)
  })

  test("a tenant's administrator with every permission cannot create, change or switch tenants", async () => {
    const inside = await app.by({ tenant: '自己人', permissions: TENANT_MANAGER_PERMISSIONS })
    const form = await buildTenantForm(app)
    expect((await inside.call('POST', '/api/v1/tenant', form)).code).toBe(501)
    const { data } = await inside.call('GET', '/api/v1/tenant/page')
    const [own] = data.list
    expect(data.total).toBe(1)
    for (const call of ['enable', 'disable'])
      expect((await inside.call('POST', `/api/v1/tenant/${call}/${own.id}`)).code).toBe(501)
    expect((await inside.call('POST', '/api/v1/tenant/renew', { id: own.id, rev: own.rev })).code).toBe(501)
  })
})

test('isCreditCode verifies the check digit of a credit code', () => {
  for (const code of ['91350100M000100Y43', '91110000600037341L', '911101085923662400'])
    expect(isCreditCode(code), code).toBe(true)
  for (const code of ['91350100M000100Y44', '91350100M000100Y4', 'O1350100M000100Y43'])
    expect(isCreditCode(code), code).toBe(false)
})

describe('changing a tenant', () => {
  test('a save requires the revision and keeps contact details that the account sees masked', async () => {
    const { id } = await createTenant(app, manager, { contactEmail: 'boss@example.com' })
    const blind = await app.as(...TENANT_MANAGER_PERMISSIONS)
    const shown = (await blind.call('GET', `/api/v1/tenant/${id}`)).data
    expect(shown).toMatchObject({ contactPhone: '138****5678', contactEmail: 'b***@example.com' })
    const saved = await blind.call('PUT', '/api/v1/tenant', { ...shown, intro: '老客户' })
    expect(saved.code, saved.msg).toBe(200)
    expect(await get(id)).toMatchObject({
      contactPhone: '13812345678',
      contactEmail: 'boss@example.com',
      intro: '老客户',
    })
    const late = await blind.call('PUT', '/api/v1/tenant', { ...shown, intro: '晚了' })
    expect(late.msg).toContain('已被')
  })

  test('new scenes of a tenant apply to its administrator immediately', async () => {
    const narrow = await app.db.execute<{ id: number }>(
      sql`insert into scenes (scene_name, scene_code) values ('窄场景', 'narrow') returning id`,
    )
    const { id, account } = await createTenant(app, manager, { sceneIds: [narrow.rows[0]!.id] })
    const [row] = await app.db.select().from(accounts).where(eq(accounts.account, account))
    expect((await app.services.sessions.rightsOf(row!.uid))?.permissions.size).toBe(0)
    expect((await put(id, { sceneIds: [await readSceneId(app)] })).code).toBe(200)
    app.services.sessions.forgetAll()
    expect((await app.services.sessions.rightsOf(row!.uid))?.permissions.has('system:manager:list')).toBe(true)
  })

  test('a quota below the current number is refused', async () => {
    const { id } = await createTenant(app, manager)
    expect(await put(id, { accountCount: 0 })).toMatchObject({ code: 400, data: { field: 'accountCount' } })
    expect((await put(id, { accountCount: 1 })).code).toBe(200)
  })

  test('the list of tenants can be filtered and sorted', async () => {
    const { id, name } = await createTenant(app, manager, { level: 3, expireTime: soon(10) })
    const page = async (query: string) =>
      (await manager.call('GET', `/api/v1/tenant/page?${query}`)).data.list.map((row: { id: number }) => row.id)
    expect(await page(`name=${encodeURIComponent(name)}`)).toEqual([id])
    expect(await page('level=3')).toContain(id)
    expect(await page('expiresWithin=11')).toContain(id)
    expect(await page('expiresWithin=5')).not.toContain(id)
    expect(await page('status=3')).not.toContain(id)
    expect((await page('orderByColumn=name&isAsc=asc')).length).toBeGreaterThan(0)
    const rows = (await manager.call('GET', '/api/v1/tenant/page')).data.list
    expect(
      rows.some((row: { id: number }) => row.id === 1),
      'the platform is no customer',
    ).toBe(false)
  })

  test('the join code of a tenant can be replaced, disabled and enabled', async () => {
    const { id } = await createTenant(app, manager)
    const before = (await get(id)).joinCode
    const rotated = (await manager.call('POST', `/api/v1/tenant/joinCode/${id}`, {})).data
    expect(rotated.joinCode).not.toBe(before)
    const off = (await manager.call('POST', `/api/v1/tenant/joinCode/${id}`, { allowApply: 0 })).data
    expect(off).toEqual({ joinCode: rotated.joinCode, allowApply: 0 })
  })

  test('the list of tenants can be exported', async () => {
    const reply = await manager.inject({ method: 'GET', url: '/api/v1/tenant/export?format=csv' })
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toContain('客户名称')
  })
})

describe('disabling and deleting a tenant', () => {
  test('disabling a tenant ends its sessions immediately with 403 and a reason, and changes no device', async () => {
    const made = await createTenant(app, manager)
    await app.db.update(accounts).set({ pwdMustChange: false }).where(eq(accounts.account, made.account))
    const { caller } = await logIn(app, made.account, made.password)
    expect((await caller.call('GET', '/api/v1/tenant/user/list')).code).toBe(200)
    await app.db.execute(sql`insert into devices (tenant_id, model_id, sn) values (${made.id}, 1, ${`D-${made.id}`})`)
    expect((await manager.call('POST', `/api/v1/tenant/disable/${made.id}`)).code).toBe(200)
    const put = await caller.call('GET', '/api/v1/tenant/user/list')
    expect(put).toMatchObject({ code: 403, msg: '所属客户已停用，请联系管理员' })
    const { rows } = await app.db.execute<{ status: number }>(
      sql`select status from devices where tenant_id = ${made.id}`,
    )
    expect(rows).toEqual([{ status: 1 }])
    const { answer } = await logIn(app, made.account, made.password)
    expect(answer).toMatchObject({ code: 403, msg: '所属客户已停用，请联系管理员' })
    expect((await manager.call('POST', `/api/v1/tenant/enable/${made.id}`)).code).toBe(200)
    expect((await caller.call('GET', '/api/v1/tenant/user/list')).code, 'an ended session stays ended').toBe(401)
    expect((await logIn(app, made.account, made.password)).answer.code).toBe(200)
  })

  test('deleting a tenant with data is refused with the number of rows', async () => {
    const made = await createTenant(app, manager)
    await app.db.update(accounts).set({ loginCount: 1 }).where(eq(accounts.account, made.account))
    await app.db.execute(sql`insert into devices (tenant_id, model_id, sn) values (${made.id}, 1, ${`X-${made.id}`})`)
    const refused = await manager.call('DELETE', `/api/v1/tenant/${made.id}`)
    expect(refused).toMatchObject({ code: 400, msg: '客户还有1个用户、1台设备，不能删除' })
    await app.db.execute(sql`update devices set deleted_at = now() where tenant_id = ${made.id}`)
    await app.db.update(accounts).set({ loginCount: 0 }).where(eq(accounts.account, made.account))
    expect((await manager.call('DELETE', `/api/v1/tenant/${made.id}`)).code).toBe(200)
    expect((await manager.call('GET', `/api/v1/tenant/${made.id}`)).msg).toBe('客户不存在或已被删除')
    expect((await logIn(app, made.account, made.password)).answer.code).toBe(400)
  })
})

test('the page of a tenant shows each block only with its own permission', async () => {
  const { id, account } = await createTenant(app, manager)
  expect((await manager.call('GET', `/api/v1/tenant/overview/${id}`)).data.blocks).toEqual([])
  expect((await manager.call('GET', `/api/v1/tenant/overview/${id}/staff`)).code).toBe(501)
  const keeper = await app.as('tenantManage:tenant:query', 'system:userList:list', 'system:loginLog:list')
  const { data } = await keeper.call('GET', `/api/v1/tenant/overview/${id}`)
  expect(data.blocks.map(({ key }: { key: string }) => key)).toEqual(['staff', 'logins'])
  const staff = (await keeper.call('GET', `/api/v1/tenant/overview/${id}/staff`)).data
  expect(staff.figures[0]).toEqual({ label: '账号数', value: 1, url: `/system/userList?tenantId=${id}` })
  expect(staff.rows[0].detail).toContain(account)
  const all = await app.by({ superAdmin: true })
  for (const { key } of (await all.call('GET', `/api/v1/tenant/overview/${id}`)).data.blocks)
    expect((await all.call('GET', `/api/v1/tenant/overview/${id}/${key}`)).code, key).toBe(200)
})

const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
