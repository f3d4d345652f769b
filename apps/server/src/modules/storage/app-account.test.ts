import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { tenants } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const right = (action: string) => `AccountAdministration:accountList:${action}`
const RIGHTS = ['list', 'query', 'add', 'enable', 'bind', 'unbind', 'import', 'export'].map(right)
let keeper: Caller
let plain: Caller
beforeAll(async () => {
  keeper = await app.as(...RIGHTS)
  plain = await app.as(...RIGHTS, right('plain'))
})

let made = 0
const device = async (tenantId: number) => {
  made += 1
  const sn = `APP-${made}`
  await app.db.execute(sql`insert into devices (tenant_id, model_id, sn) values (${tenantId}, 1, ${sn})`)
  return sn
}
const customer = async (name: string) => {
  const [row] = await app.db.insert(tenants).values({ name, tenantNo: name }).returning({ id: tenants.id })
  return row!.id
}
const create = (who: Caller, fields: object) => who.call('POST', '/api/v1/account/app', fields)

test('MODULE-01 the back end of an App registers users, and a repeated request creates no second account', async () => {
  const tenantId = await customer('App客户')
  const sent = {
    tenantId,
    account: 'user@app.com',
    mobileNo: '13600001234',
    email: 'user@app.com',
    nickname: '小王',
    region: '杭州',
  }
  const first = await create(keeper, sent)
  expect(first.data).toMatchObject({ created: true })
  expect((await create(keeper, { ...sent, account: 'USER@app.com' })).data).toEqual({
    uid: first.data.uid,
    created: false,
  })
  const shown = (await keeper.call('GET', `/api/v1/account/app/page?tenantId=${tenantId}`)).data.list
  expect(shown).toMatchObject([
    { account: 'u***@app.com', mobileNo: '136****1234', nickname: '小王', deviceCount: 0, status: 1 },
  ])
  const open = (await plain.call('GET', `/api/v1/account/app/${first.data.uid}`)).data
  expect(open).toMatchObject({ account: 'user@app.com', mobileNo: '13600001234' })
  const clash = await create(keeper, { tenantId, account: 'other', mobileNo: '13600001234' })
  expect(clash).toMatchObject({ code: 400, msg: '手机号已被使用', data: { field: 'mobileNo' } })
})

test('simultaneous registrations of one name create one account, and every response returns this account', async () => {
  const tenantId = await customer('并发客户')
  const names = Array.from({ length: 20 }, (_, at) => (at % 2 ? 'Twice' : 'twice'))
  const answers = await Promise.all(names.map((account) => create(keeper, { tenantId, account })))
  expect(answers.map(({ code }) => code)).toEqual(names.map(() => 200))
  expect(new Set(answers.map(({ data }) => data.uid)).size).toBe(1)
  expect(answers.filter(({ data }) => data.created)).toHaveLength(1)
})

test('MODULE-01 devices are bound and unbound within one tenant, and a device is bound to one account at a time', async () => {
  const tenantId = await customer('绑定客户')
  const { uid } = (await create(keeper, { tenantId, account: 'binder' })).data
  const { uid: second } = (await create(keeper, { tenantId, account: 'binder2' })).data
  const sn = await device(tenantId)
  const foreign = await device(1)
  const bind = (id: number, which: string) => keeper.call('POST', '/api/v1/account/app/bind', { id, sn: which })
  expect((await bind(uid, sn)).code).toBe(200)
  expect((await bind(uid, sn)).msg).toBe('设备已绑定该账号')
  expect((await bind(second, sn)).msg).toBe('设备已绑定其他账号，请先解绑')
  expect((await bind(uid, foreign)).msg).toBe('设备与账号不属于同一客户')
  expect((await bind(uid, 'NOWHERE')).msg).toBe('设备不存在或已被删除')
  const { data } = await keeper.call('GET', `/api/v1/account/app/devices/${uid}`)
  expect(data).toMatchObject({ total: 1, list: [{ sn }] })
  expect((await keeper.call('GET', `/api/v1/account/app/${uid}`)).data.deviceCount).toBe(1)
  const deviceId = data.list[0].id
  expect((await keeper.call('POST', '/api/v1/account/app/unbind', { id: uid, deviceId })).code).toBe(200)
  expect((await keeper.call('POST', '/api/v1/account/app/unbind', { id: uid, deviceId })).code).toBe(400)
  expect((await bind(second, sn)).code).toBe(200)
})

test('the cloud-storage state of an account is updated when its devices are bound, unbound, moved or deleted', async () => {
  const tenantId = await customer('云存客户')
  const { uid } = (await create(keeper, { tenantId, account: 'watcher' })).data
  const newCamera = async (end: string) => {
    const sn = await device(tenantId)
    const { rows } = await app.db.execute<{
      id: number
    }>(sql`insert into oss_queues (device_id, channel, tenant_id, end_time)
      select id, 0, tenant_id, now() + ${end}::interval from devices where sn = ${sn} returning device_id as id`)
    return { sn, id: rows[0]!.id }
  }
  const [live, ended, moved] = [await newCamera('1 day'), await newCamera('-1 day'), await newCamera('1 day')]
  const bind = (sn: string) => keeper.call('POST', '/api/v1/account/app/bind', { id: uid, sn })
  const state = async () => (await keeper.call('GET', `/api/v1/account/app/${uid}`)).data.cloudState
  expect(await state()).toBe(0)
  await bind(live.sn)
  expect(await state()).toBe(1)
  await bind(ended.sn)
  await keeper.call('POST', '/api/v1/account/app/unbind', { id: uid, deviceId: live.id })
  expect(await state()).toBe(2)
  const admin = await app.by({ superAdmin: true })
  expect((await admin.call('DELETE', `/api/v1/device/info?ids=${ended.id}`)).code).toBe(200)
  expect(await state()).toBe(0)
  await bind(moved.sn)
  expect(await state()).toBe(1)
  expect((await admin.call('POST', '/api/v1/device/info/transfer', { ids: [moved.id], tenantId: 1 })).code).toBe(200)
  expect(await state()).toBe(0)
})

test('App accounts can be disabled, enabled, exported and filtered', async () => {
  const { uid } = (await create(keeper, { account: 'switched', registerSource: 2 })).data
  expect((await keeper.call('POST', `/api/v1/account/app/disable/${uid}`)).code).toBe(200)
  const off = (await keeper.call('GET', '/api/v1/account/app/page?status=0')).data.list
  expect(off).toMatchObject([{ account: 'switched', registerSource: 2 }])
  const csv = await keeper.inject({ method: 'GET', url: '/api/v1/account/app/export?format=csv&status=0' })
  expect(csv.body).toContain('小程序')
})

test('App accounts are imported from a spreadsheet, and invalid lines are reported', async () => {
  const body = [
    '账号,手机号,昵称,注册来源',
    'imp_1,13500000001,甲,小程序',
    'imp_2,bad,乙,App',
    ',13500000003,丙,',
    'imp_4,,丁,',
  ].join('\n')
  const send = (fields: string, table = body) =>
    keeper.inject({
      method: 'POST',
      url: `/api/v1/account/app/import?${fields}`,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      payload: `--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n${table}\r\n--x--\r\n`,
    })
  expect((await send('dryRun=1')).json().data).toMatchObject({ total: 4, created: 2, failed: 2, dryRun: true })
  expect((await send('dryRun=0')).json().data).toMatchObject({ created: 2, failed: 2 })
  expect((await send('dryRun=0&update=1')).json().data).toMatchObject({ created: 0, updated: 2 })
  // A column that the file lacks is unchanged, and so is an empty cell.
  const partial = '账号,昵称,注册来源\nimp_1,甲二,\n'
  expect((await send('dryRun=0&update=1', partial)).json().data).toMatchObject({ updated: 1, failed: 0 })
  const { rows } = await app.db.execute(
    sql`select mobile_no as mobile, nickname, register_source as source from app_accounts where account = 'imp_1'`,
  )
  expect(rows).toEqual([{ mobile: '13500000001', nickname: '甲二', source: 2 }])
  const several = '账号,手机号,邮箱\nimp_1,13500000001,\nIMP_1,13500000001,bad\nimp_9,13500000001,bad\n'
  const email = { field: '邮箱', msg: expect.stringContaining('邮箱') }
  for (const dryRun of [1, 0])
    expect((await send(`dryRun=${dryRun}`, several)).json().data.rows).toEqual([
      { row: 2, field: '账号', msg: '账号已存在' },
      { row: 3, field: '账号', msg: '账号已存在' },
      { row: 3, ...email },
      { row: 4, field: '手机号', msg: '手机号已被使用' },
      { row: 4, ...email },
    ])
  const template = await keeper.inject({ method: 'GET', url: '/api/v1/account/app/template' })
  expect(template.statusCode).toBe(200)
})

test('a tenant sees, changes and binds only its own App accounts', async () => {
  const { uid } = (await create(keeper, { account: 'platform_user' })).data
  const inside = await app.by({ tenant: '里面', permissions: RIGHTS })
  expect((await inside.call('GET', '/api/v1/account/app/page')).data.total).toBe(0)
  expect((await inside.call('GET', `/api/v1/account/app/${uid}`)).msg).toBe('App账号不存在或已被删除')
  expect((await inside.call('POST', `/api/v1/account/app/disable/${uid}`)).msg).toBe('App账号不存在或已被删除')
  expect((await create(inside, { tenantId: 1, account: 'sneaked' })).data).toEqual({ field: 'tenantId' })
  expect((await create(inside, { account: 'own_user' })).code).toBe(200)
  const { data } = await inside.call('GET', '/api/v1/account/app/page')
  expect(data.list).toMatchObject([{ account: 'own_user', tenantName: '里面' }])
})
