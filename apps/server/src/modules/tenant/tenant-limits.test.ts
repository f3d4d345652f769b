import { and, desc, eq, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { accounts } from '#core/schema/account.ts'
import { notices, operLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { assertDeviceQuota } from '#modules/device/device-quota.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { logIn, TENANT_MANAGER_PERMISSIONS, createTenant } from './tenant-fixture.ts'
import { expireTenants } from './tenant-status.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
let manager: Caller
beforeAll(async () => {
  manager = await app.as(...TENANT_MANAGER_PERMISSIONS)
})

const ready = async (more: object) => {
  const made = await createTenant(app, manager, more)
  await app.db.update(accounts).set({ pwdMustChange: false }).where(eq(accounts.account, made.account))
  return { ...made, admin: (await logIn(app, made.account, made.password)).caller }
}
const staffOf = (tenantId: number) => app.db.$count(accounts, eq(accounts.tenantId, tenantId))

test('MODULE-01 exactly 5 of 20 simultaneous creations succeed with an account quota of 5', async () => {
  const { id, admin } = await ready({ accountCount: 6 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      admin.call('POST', '/api/v1/tenant/user', { account: `crowd${id}_${at}`, realname: '员工' }),
    ),
  )
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(5)
  const refused = answers.find(({ code }) => code !== 200)
  expect(refused?.msg).toBe('账号数量已达上限（6个），请联系管理员')
  expect(await staffOf(id)).toBe(6)
})

test('an import creates accounts up to the quota and reports each further line', async () => {
  const { id, admin } = await ready({ accountCount: 3 })
  const lines = Array.from({ length: 5 }, (_, at) => `imp${id}_${at},员工`)
  const body = ['账号,姓名', ...lines].join('\n')
  const reply = await admin.inject({
    method: 'POST',
    url: '/api/v1/tenant/user/import',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    payload: `--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n${body}\r\n--x--\r\n`,
  })
  expect(reply.json().data).toMatchObject({ total: 5, created: 2, failed: 3 })
  expect(await staffOf(id)).toBe(3)
})

test('exactly 5 of 20 simultaneous additions succeed with a device quota of 5', async () => {
  const { id } = await ready({ deviceQuota: 5 })
  const put = (at: number) =>
    app.db.transaction(async (db) => {
      await assertDeviceQuota(db, id)
      await db.execute(sql`insert into devices (tenant_id, model_id, sn) values (${id}, 1, ${`Q${id}-${at}`})`)
    })
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => put(at)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

const expiresIn = (id: number, days: number) =>
  app.db
    .update(tenants)
    .set({ expireTime: sql`now() + make_interval(days => ${days}, secs => -60)` as unknown as string })
    .where(eq(tenants.id, id))
const messagesTo = async (uid: number) =>
  (
    await app.db
      .select({ title: notices.title })
      .from(notices)
      .where(and(eq(notices.target, 4), sql`${uid} = any(${notices.targetIds})`))
      .orderBy(desc(notices.noticeId))
  ).map(({ title }) => title)

test('MODULE-01 a tenant is warned 30 and 7 days before expiry and then disabled; a renewal enables it again', async () => {
  const { id, account, password, admin, name } = await ready({ shortName: '到期测试' })
  const [owner] = await app.db.select().from(accounts).where(eq(accounts.account, account))
  const uid = owner!.uid
  await expiresIn(id, 30)
  await expireTenants(app.services)
  await expireTenants(app.services)
  expect(await messagesTo(uid)).toEqual(['客户「到期测试」将在 30 天内到期'])
  expect(await messagesTo(manager.uid)).toContain('客户「到期测试」将在 30 天内到期')
  await expiresIn(id, 7)
  await expireTenants(app.services)
  await expireTenants(app.services)
  expect((await messagesTo(uid))[0]).toBe('客户「到期测试」将在 7 天内到期')
  expect(await messagesTo(uid)).toHaveLength(2)
  await expiresIn(id, 0)
  await expireTenants(app.services)
  app.services.sessions.forgetAll()
  const ended = await admin.call('GET', '/api/v1/tenant/user/list')
  expect(ended).toMatchObject({ code: 403, msg: '所属客户已过期，请联系管理员' })
  expect((await messagesTo(uid))[0]).toBe('客户「到期测试」已过期停用')
  const [line] = await app.db
    .select({ action: operLogs.action })
    .from(operLogs)
    .where(and(eq(operLogs.bizType, 'tenant'), eq(operLogs.bizId, String(id)), eq(operLogs.operName, '系统')))
  expect(line?.action).toContain(`客户「${name}」到期，自动停用`)
  const shown = (await manager.call('GET', `/api/v1/tenant/${id}`)).data
  expect(shown.status).toBe(3)
  expect((await manager.call('POST', `/api/v1/tenant/enable/${id}`)).msg).toBe('客户已过期，请先续期')
  const past = { id, rev: shown.rev, expireTime: '2020-01-01 00:00:00' }
  expect((await manager.call('POST', '/api/v1/tenant/renew', past)).data).toEqual({ field: 'expireTime' })
  const renewed = await manager.call('POST', '/api/v1/tenant/renew', {
    id,
    rev: shown.rev,
    expireTime: '2099-01-01 00:00:00',
  })
  expect(renewed.code, renewed.msg).toBe(200)
  expect((await manager.call('GET', `/api/v1/tenant/${id}`)).data).toMatchObject({
    status: 1,
    expireTime: '2099-01-01 00:00:00',
  })
  expect((await logIn(app, account, password)).answer.code).toBe(200)
})

test('an error in the expiry of one tenant does not stop the run for the other tenants', async () => {
  const [broken, other] = [await ready({ shortName: '到期出错' }), await ready({ shortName: '到期正常' })]
  for (const { id } of [broken, other]) await expiresIn(id, 0)
  await app.db.execute(
    sql.raw(`create function fail_tenant() returns trigger language plpgsql as
      'begin raise exception using message = ''broken tenant''; end'`),
  )
  await app.db.execute(
    sql.raw(`create trigger fail_tenant before update on tenants for each row
      when (new.id = ${broken.id}) execute function fail_tenant()`),
  )
  expect(await expireTenants(app.services)).toMatchObject({ failedItems: 1 })
  const statusOf = async (id: number) => (await app.db.select().from(tenants).where(eq(tenants.id, id)))[0]?.status
  expect([await statusOf(broken.id), await statusOf(other.id)]).toEqual([1, 0])
  await app.db.execute(sql`drop trigger fail_tenant on tenants`)
  expect(await expireTenants(app.services)).toMatchObject({ failedItems: 0 })
  expect(await statusOf(broken.id)).toBe(0)
})
