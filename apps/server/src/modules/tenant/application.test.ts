import { and, desc, eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { accountRoles, accounts } from '#core/schema/account.ts'
import { notices } from '#core/schema/system.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { expireApplications } from './application.ts'
import { logIn, TENANT_MANAGER_PERMISSIONS, createTenant } from './tenant-fixture.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const RIGHTS = ['list', 'query', 'audit', 'export'].map((each) => `tenantManage:userapplication:${each}`)
const LIST = '/api/v1/tenant/user/apply/list'
const AUDIT = '/api/v1/tenant/user/apply/audit'
const ROLES = '/api/v1/tenant/user/apply/roles'
let host: { id: number; name: string; joinCode: string; roleId: number; admin: Caller; adminUid: number }
let passwordHash: string

beforeAll(async () => {
  passwordHash = await app.services.passwords.hash(computeMd5Hex('Newcomer-26'))
  host = await hosting({})
})

async function hosting(more: object) {
  const manager = await app.as(...TENANT_MANAGER_PERMISSIONS)
  const made = await createTenant(app, manager, more)
  await app.db.update(accounts).set({ pwdMustChange: false }).where(eq(accounts.account, made.account))
  const [tenant] = await app.db.select().from(tenants).where(eq(tenants.id, made.id))
  const [owner] = await app.db.select().from(accounts).where(eq(accounts.account, made.account))
  const [role] = await app.db.select().from(accountRoles).where(eq(accountRoles.uid, owner!.uid))
  const { caller } = await logIn(app, made.account, made.password)
  return { ...made, joinCode: tenant!.joinCode!, roleId: role!.roleId, admin: caller, adminUid: owner!.uid }
}

let made = 0
async function newcomer(mobileNo?: string) {
  made += 1
  const account = `newcomer${made}`
  const [row] = await app.db
    .insert(accounts)
    .values({ account, realname: `新人${made}`, passwordHash, mobileNo: mobileNo ?? null })
    .returning({ uid: accounts.uid })
  const { caller } = await logIn(app, account, 'Newcomer-26')
  return { caller, account, uid: row!.uid }
}
const applyTo = async ({ caller }: { caller: Caller }, joinCode = host.joinCode) => {
  const answer = await caller.call('POST', '/api/v1/tenant/user/apply', { joinCode, reason: '想加入' })
  expect(answer.code, answer.msg).toBe(200)
  return answer.data.id as number
}
const messagesTo = async (uid: number) =>
  app.db
    .select({ title: notices.title, content: notices.content })
    .from(notices)
    .where(and(eq(notices.target, 4), sql`${uid} = any(${notices.targetIds})`))
    .orderBy(desc(notices.noticeId))

describe('TENANT-05 applications to join', () => {
  test('TENANT-05 an application with a join code is listed, and its approval with roles applies to the open session', async () => {
    const person = await newcomer('13711112222')
    const id = await applyTo(person)
    const { data } = await host.admin.call('GET', `${LIST}?status=0`)
    const row = data.list.find((each: { id: number }) => each.id === id)
    expect(row).toMatchObject({
      account: person.account,
      tenantName: host.name,
      reason: '想加入',
      source: 2,
      status: 0,
    })
    const byNumber = await host.admin.call('GET', `${LIST}?applyNo=${row.applyNo}`)
    expect(byNumber.data).toMatchObject({ total: 1, list: [{ id }] })
    expect((await host.admin.call('GET', `${LIST}?applyNo=${row.applyNo.slice(0, 4)}`)).data.total).toBe(0)
    expect((await host.admin.call('GET', '/api/v1/tenant/user/apply/count')).data.pending).toBeGreaterThan(0)
    expect((await messagesTo(host.adminUid))[0]?.title).toBe('新的加入申请')
    expect((await person.caller.call('GET', '/api/v1/sys/account/perms')).data.menus).toEqual([])
    const approved = await host.admin.call('POST', AUDIT, { id, status: 1, roleIds: [host.roleId], remark: '欢迎' })
    expect(approved.data, approved.msg).toEqual({ done: 1, failed: [] })
    const perms = (await person.caller.call('GET', '/api/v1/sys/account/perms')).data
    expect(perms.menus.length).toBeGreaterThan(0)
    const staff = await person.caller.call('GET', '/api/v1/tenant/user/list')
    expect(staff.data.list.map((each: { account: string }) => each.account)).toContain(person.account)
    expect((await messagesTo(person.uid))[0]).toMatchObject({ title: '加入申请已通过' })
    const after = (await host.admin.call('GET', `/api/v1/tenant/user/apply/${id}`)).data
    expect(after).toMatchObject({ status: 1, roleNames: ['客户管理员'], auditRemark: '欢迎' })
  })

  test('waiting applications are listed first, newest first', async () => {
    const { id: tenantId } = await createTenant(app, await app.as(...TENANT_MANAGER_PERMISSIONS))
    const row = (at: number, status: number) => ({
      applyNo: `ORDER${at}`,
      uid: 900_000 + at,
      account: `order${at}`,
      realname: '排序',
      tenantId,
      source: 2,
      status,
      createTime: new Date(Date.UTC(2030, 0, at)).toISOString(),
    })
    await app.db.insert(userApplications).values([row(2, 0), row(3, 0), row(1, 0), row(5, 1), row(4, 2)])
    const platform = await app.as(...RIGHTS)
    const { list } = (await platform.call('GET', `${LIST}?tenantId=${tenantId}`)).data
    expect(list.map(({ applyNo }: { applyNo: string }) => applyNo.slice(5)).join('')).toBe('32154')
  })

  test('TENANT-05 a rejection requires a reason that the applicant receives; the applicant may apply again', async () => {
    const person = await newcomer()
    const id = await applyTo(person)
    expect(await host.admin.call('POST', AUDIT, { id, status: 2 })).toMatchObject({
      code: 400,
      msg: '请填写驳回原因',
      data: { field: 'remark' },
    })
    expect((await host.admin.call('POST', AUDIT, { id, status: 2, remark: '资料不全' })).code).toBe(200)
    expect((await messagesTo(person.uid))[0]?.content).toContain('资料不全')
    const own = (await person.caller.call('GET', '/api/v1/tenant/user/apply/mine')).data.list
    expect(own[0]).toMatchObject({ status: 2, auditRemark: '资料不全', tenantName: host.name })
    await applyTo(person)
  })

  test('an approval requires at least one role, and accepts only enabled roles of the tenant', async () => {
    const id = await applyTo(await newcomer())
    expect(await host.admin.call('POST', AUDIT, { id, status: 1 })).toMatchObject({
      msg: '请选择角色',
      data: { field: 'roleIds' },
    })
    const other = await hosting({})
    expect((await host.admin.call('POST', AUDIT, { id, status: 1, roleIds: [other.roleId] })).code).toBe(400)
    const [row] = await app.db.select().from(userApplications).where(eq(userApplications.id, id))
    expect(row?.status, 'nothing was decided').toBe(0)
  })

  test('the form suggests the roles of the last approval that the caller may still assign', async () => {
    const place = await hosting({})
    const roles = async (who: Caller) => (await who.call('GET', `${ROLES}?tenantId=${place.id}`)).data
    expect((await roles(place.admin)).suggested).toEqual([])
    const id = await applyTo(await newcomer(), place.joinCode)
    const approval = { id, status: 1, roleIds: [place.roleId] }
    expect((await place.admin.call('POST', AUDIT, approval)).code).toBe(200)
    expect((await roles(place.admin)).suggested).toEqual([place.roleId])
    await app.db.execute(sql`update roles set status = 0 where id = ${place.roleId}`)
    expect((await roles(await app.by({ superAdmin: true }))).suggested).toEqual([])
  })

  test('TENANT-05 only one of two simultaneous decisions on an application succeeds', async () => {
    const person = await newcomer()
    const id = await applyTo(person)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        host.admin.call(
          'POST',
          AUDIT,
          at % 2 ? { id, status: 2, remark: '不' } : { id, status: 1, roleIds: [host.roleId] },
        ),
      ),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.find(({ code }) => code !== 200)?.msg).toMatch(/^该申请已(通过|驳回)（.+），不能重复审批$/)
    const [row] = await app.db.select().from(userApplications).where(eq(userApplications.id, id))
    const [joined] = await app.db.select().from(accounts).where(eq(accounts.uid, person.uid))
    expect(joined?.tenantId).toBe(row?.status === 1 ? host.id : null)
  })

  test('an account has one pending application per tenant; a wrong and a disabled join code return the same error', async () => {
    const person = await newcomer()
    await applyTo(person)
    const again = await person.caller.call('POST', '/api/v1/tenant/user/apply', { joinCode: host.joinCode })
    expect(again).toMatchObject({ code: 400, msg: '您已申请加入该客户，请等待审批' })
    const closed = await hosting({ allowApply: 0 })
    for (const joinCode of ['ZZZZZZZZ', closed.joinCode])
      expect((await person.caller.call('POST', '/api/v1/tenant/user/apply', { joinCode })).msg).toBe(
        '加入码不正确或已停用',
      )
    const member = await app.as()
    expect((await member.call('POST', '/api/v1/tenant/user/apply', { joinCode: host.joinCode })).code).toBe(501)
  })

  test('only the applicant can cancel an application, and only once', async () => {
    const person = await newcomer()
    const id = await applyTo(person)
    const other = await newcomer()
    expect((await other.caller.call('POST', `/api/v1/tenant/user/apply/cancel/${id}`)).code).toBe(501)
    expect((await person.caller.call('POST', `/api/v1/tenant/user/apply/cancel/${id}`)).code).toBe(200)
    expect((await person.caller.call('POST', `/api/v1/tenant/user/apply/cancel/${id}`)).code).toBe(501)
    expect((await host.admin.call('POST', AUDIT, { id, status: 2, remark: '迟了' })).msg).toBe(
      '该申请已取消，不能重复审批',
    )
  })

  test('TENANT-05 approving a batch returns the result of each row and does not exceed the account quota', async () => {
    const tight = await hosting({ accountCount: 3 })
    const people = [await newcomer(), await newcomer(), await newcomer(), await newcomer()]
    const ids: number[] = []
    for (const person of people) ids.push(await applyTo(person, tight.joinCode))
    const { data, msg } = await tight.admin.call('POST', AUDIT, { ids, status: 1, roleIds: [tight.roleId] })
    expect(data?.done, msg).toBe(2)
    expect(data.failed).toHaveLength(2)
    expect(data.failed[0].msg).toContain('账号数量已达上限')
  })

  test('TENANT-05 simultaneous approvals do not exceed the account quota', async () => {
    const tight = await hosting({ accountCount: 3 })
    const ids: number[] = []
    for (let at = 0; at < 6; at++) ids.push(await applyTo(await newcomer(), tight.joinCode))
    const answers = await Promise.all(
      ids.map((id) => tight.admin.call('POST', AUDIT, { id, status: 1, roleIds: [tight.roleId] })),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(2)
    expect(await app.db.$count(accounts, eq(accounts.tenantId, tight.id))).toBe(3)
  })

  test('an application expires after thirty days, and the applicant is notified', async () => {
    const person = await newcomer()
    const id = await applyTo(person)
    await app.db.execute(sql`update user_applications set create_time = now() - interval '31 days' where id = ${id}`)
    expect((await expireApplications(app.services)).applicationsExpired).toBe(1)
    const [row] = await app.db.select().from(userApplications).where(eq(userApplications.id, id))
    expect(row?.status).toBe(4)
    expect((await messagesTo(person.uid))[0]?.title).toBe('加入申请已过期')
  })

  test('another tenant cannot see an application, and the mobile number is masked without the permission', async () => {
    const id = await applyTo(await newcomer('13755556666'))
    const other = await hosting({})
    expect((await other.admin.call('GET', LIST)).data.total).toBe(0)
    expect((await other.admin.call('GET', `/api/v1/tenant/user/apply/${id}`)).msg).toBe('申请不存在或已被删除')
    expect((await other.admin.call('POST', AUDIT, { id, status: 2, remark: '越权' })).msg).toBe('申请不存在或已被删除')
    const blind = await app.as(...RIGHTS)
    expect((await blind.call('GET', `/api/v1/tenant/user/apply/${id}`)).data.mobileNo).toBe('137****6666')
    const csv = await blind.inject({ method: 'GET', url: '/api/v1/tenant/user/apply/export?format=csv' })
    expect(csv.body).toContain('137****6666')
  })
})
