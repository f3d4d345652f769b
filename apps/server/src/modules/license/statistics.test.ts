import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import {
  breaches,
  CERT,
  CERT_ALL,
  deviceOf,
  GRANT,
  GRANT_ALL,
  modelOf,
  stock,
  tenantOf,
  uidOf,
} from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { activateLicense } from './activate.ts'
import { mergeCountIncrements, runLicenseSchedule } from './license-schedule.ts'

const server = useApp()
const STAT = '/api/v1/license/statistics'
const STAT_ALL = ['list', 'query', 'export'].map((action) => `LicenseManage:StatisticalAnalysis:${action}`)
let me: Caller
let boss: Caller
let customer: Caller
let theirs: number

beforeAll(async () => {
  me = await server.as(...CERT_ALL, ...GRANT_ALL, ...STAT_ALL)
  boss = await server.as(...GRANT_ALL)
  customer = await server.by({ tenant: '蓉城', permissions: [...CERT_ALL, ...GRANT_ALL, ...STAT_ALL] })
  theirs = await tenantOf(server.db, '蓉城')
  const modelId = await modelOf(server.db, 'STAT')
  await stock(server.db, { prefix: 'STOCK', count: 90 })
  await stock(server.db, { prefix: 'HELD', count: 10, tenantId: theirs, modelId })
  for (let n = 1; n <= 4; n++) {
    await deviceOf(server.db, `STAT-${n}`, theirs, modelId)
    await activateLicense(server.services, { uid: uidOf('HELD', n), sn: `STAT-${n}` })
  }
})
const ask = async (who: Caller, path: string) => (await who.call('GET', `${STAT}/${path}`)).data

test('MODULE-01 the statistics are the same before and after the counter increments are merged', async () => {
  for (const round of [1, 2]) {
    const summary = await ask(me, 'summary')
    expect(summary.states, `round ${round}`).toMatchObject({ total: 100, stock: 90, allotted: 6, activated: 4 })
    expect(summary).toMatchObject({
      rate: 40,
      stocks: [{ vendor: 2, stock: 90, isLow: false }],
    })
    const { list } = await ask(me, 'trend?unit=1')
    expect(list).toHaveLength(30)
    expect(list.at(-1)).toMatchObject({ allotted: 10, activated: 4 })
    expect((await ask(me, 'trend?unit=2')).list.at(-1)).toMatchObject({ activated: 4 })
    expect((await ask(me, 'trend?unit=3')).list).toHaveLength(12)
    expect(await ask(me, 'vendor')).toMatchObject({
      vendors: [{ id: 2, name: 'PPCS', total: 100 }],
      batches: [{ name: 'B-HELD', activated: 4 }, { name: 'B-STOCK' }],
    })
    expect((await ask(me, 'model')).list).toMatchObject([
      { name: '不限型号', total: 90 },
      { name: '型号STAT', total: 10 },
    ])
    expect((await ask(me, 'tenant?orderByColumn=rate&isAsc=desc')).list).toMatchObject([
      { tenantName: '蓉城', received: 10, activated: 4, rate: 40 },
    ])
    await mergeCountIncrements(server.db)
  }
  expect(await breaches(server.db)).toEqual([])
  expect((await ask(customer, 'summary')).states).toMatchObject({ total: 10, stock: 0, activated: 4 })
  expect((await ask(customer, 'summary')).stocks).toEqual([])
  expect((await ask(customer, 'vendor')).batches).toMatchObject([{ name: 'B-HELD' }])
  const file = await me.inject({ method: 'GET', url: `${STAT}/export?format=csv` })
  expect(file.body).toContain('蓉城')
})

test('another person approves a grant; renewing, increasing and revoking add ledger entries', async () => {
  const input = { typeCode: '480p', quota: 10, validFrom: '2026-01-01', validTo: '2099-01-01', contractNo: 'HT-1' }
  expect(await customer.call('POST', GRANT, { ...input, tenantId: 1 })).toMatchObject({ data: { field: 'tenantId' } })
  expect(await customer.call('POST', GRANT, { ...input, validTo: '2025-01-01' })).toMatchObject({
    data: { field: 'validTo' },
  })
  expect(await customer.call('POST', GRANT, { ...input, typeCode: 'INVENTED' })).toMatchObject({
    code: 400,
    msg: '授权类型「INVENTED」不存在，请改正或联系平台',
    data: { field: 'typeCode' },
  })
  const { data: made } = await customer.call('POST', GRANT, input)
  const change = (who: Caller, what: string, rev: number, more: object) =>
    who.call('PUT', `${GRANT}/${what}`, { id: made.id, rev, ...more })
  expect(await change(customer, 'audit', 0, { pass: 1 })).toMatchObject({ code: 501 })
  expect(await change(boss, 'quota', 0, { amount: 5, reason: '补' })).toMatchObject({ msg: '授权尚未审批' })
  expect(await change(boss, 'audit', 0, { pass: 0 })).toMatchObject({ data: { field: 'auditRemark' } })
  expect(await change(boss, 'audit', 0, { pass: 1, auditRemark: '同意' })).toMatchObject({ data: { rev: 1 } })
  expect(await change(boss, 'audit', 1, { pass: 1 })).toMatchObject({ msg: '该申请已处理' })
  expect(await change(me, 'quota', 0, { amount: 5, reason: '补' })).toMatchObject({ code: 400 })
  expect(await change(me, 'quota', 1, { amount: 5, reason: '补单' })).toMatchObject({ data: { rev: 2 } })
  expect(await change(me, 'renew', 2, { validTo: '2098-01-01', reason: '续' })).toMatchObject({
    data: { field: 'validTo' },
  })
  expect(await change(me, 'renew', 2, { validTo: '2100-01-01', reason: '续' })).toMatchObject({ data: { rev: 3 } })
  expect(await change(customer, 'revoke', 3, { reason: '不要' })).toMatchObject({ code: 501 })
  expect(await change(me, 'revoke', 3, { reason: '终止合作' })).toMatchObject({ data: { rev: 4 } })
  expect(await change(me, 'quota', 4, { amount: 5, reason: '补' })).toMatchObject({ msg: '授权已撤销或驳回，不能修改' })
  const { data } = await customer.call('GET', `${GRANT}/ledger/${made.id}`)
  expect(
    data.list.map(({ kind, amount, balance, reason }: Record<string, unknown>) => [kind, amount, balance, reason]),
  ).toEqual([
    [5, -15, 0, '终止合作'],
    [2, 5, 15, '补单'],
    [1, 10, 10, '同意'],
  ])
  const { data: mine } = await me.call('POST', GRANT, { ...input, tenantId: theirs })
  expect(await me.call('PUT', `${GRANT}/audit`, { id: mine.id, rev: 0, pass: 1 })).toMatchObject({
    msg: '不能审批自己提交的申请，请由其他人审批',
  })
  expect(await me.call('PUT', `${GRANT}/revoke`, { id: mine.id, rev: 0, reason: '重填' })).toMatchObject({ code: 200 })
  expect(await breaches(server.db)).toEqual([])
  for (const statement of [
    sql`update license_ledger set amount = 1`,
    sql`delete from license_ledger`,
    sql`update license_events set reason = ''`,
  ])
    await expect(server.db.execute(statement)).rejects.toThrow('license_')
  expect((await me.inject({ method: 'GET', url: `${GRANT}/export?format=csv` })).body).toContain('HT-1')
})

test('the scheduled job expires certificates, and warns once before their expiry and once when the stock is low', async () => {
  const [first] = (await server.db.execute<{ id: number }>(sql`select id from licenses where state = 3 order by id`))
    .rows
  await server.db.execute(
    sql`update licenses set expire_time = now() + interval '5 days' where state = 3 and id <> ${first?.id}`,
  )
  await server.db.execute(sql`update licenses set expire_time = now() - interval '1 minute' where id = ${first?.id}`)
  expect(await me.call('PUT', '/api/v1/license/threshold', { vendor: 2, threshold: 91 })).toMatchObject({ code: 200 })
  expect(await runLicenseSchedule(server.services)).toEqual({ expired: 1, grants: 0, warned: 1, low: 1, lowTenants: 0 })
  expect(await runLicenseSchedule(server.services)).toEqual({ expired: 0, grants: 0, warned: 0, low: 0, lowTenants: 0 })
  expect(await ask(me, 'summary')).toMatchObject({ states: { expired: 1, activated: 3 }, rate: 30 })
  expect((await ask(me, 'tenant')).list).toMatchObject([{ received: 10, activated: 3, rate: 30 }])
  expect(await ask(me, 'summary')).toMatchObject({ expiring7: 3, expiring30: 3, stocks: [{ isLow: true }] })
  expect((await ask(me, 'expiring')).list).toHaveLength(12)
  const { rows } = await server.db.execute<{ title: string; uids: number[] }>(
    sql`select title, target_ids as uids from notices where title like '%证书%' order by notice_id`,
  )
  expect(rows.map(({ title }) => title)).toEqual(['3个P2P证书将在 7 天内到期', 'PPCS证书库存不足'])
  expect(rows[0]?.uids).toEqual(expect.arrayContaining([me.uid, customer.uid]))
  expect(rows[1]?.uids).toContain(me.uid)
  expect(rows[1]?.uids).not.toContain(customer.uid)
  expect((await me.call('GET', `${CERT}/events/${first?.id}`)).data.list[0]).toMatchObject({
    action: 'expire',
    operName: '系统',
  })
  expect(await breaches(server.db)).toEqual([])
})

test('each tenant is warned once when few unused certificates remain, by percentage or by number', async () => {
  const held = async (who = me) =>
    (await ask(who, 'tenant')).list.find((row: { tenantId: number }) => row.tenantId === theirs)
  const set = (who: Caller, input: object) => who.call('PUT', '/api/v1/license/threshold/tenant', input)
  const told = async () => {
    const { rows } = await server.db.execute<{ title: string; text: string; uids: number[] }>(
      sql`select title, summary as text, target_ids as uids from notices where title like '客户「%库存不足' order by notice_id`,
    )
    return rows
  }
  const { received, allotted } = await held()
  // The default is a tenth of the received certificates.
  expect(await held()).toMatchObject({ threshold: null, warnBelow: Math.ceil(received / 10), isLow: false })
  expect(await ask(customer, 'summary')).toMatchObject({ lowTenants: 0, own: { left: allotted, isLow: false } })
  expect(await set(customer, { tenantId: theirs, threshold: allotted + 1 })).toMatchObject({ msg: '保存成功' })
  expect(await held()).toMatchObject({ threshold: allotted + 1, warnBelow: allotted + 1, isLow: true })
  expect(await ask(me, 'summary')).toMatchObject({ own: null, lowTenants: 1 })
  expect(await ask(customer, 'summary')).toMatchObject({ own: { warnBelow: allotted + 1, isLow: true } })
  expect((await ask(me, 'tenant?low=1')).list).toHaveLength(1)
  expect(await runLicenseSchedule(server.services)).toMatchObject({ lowTenants: 1 })
  expect(await runLicenseSchedule(server.services)).toMatchObject({ lowTenants: 0 })
  const [message] = await told()
  expect(message?.text).toContain(`剩余${allotted}个，低于预警数量${allotted + 1}个`)
  expect(message?.uids).toEqual(expect.arrayContaining([me.uid, customer.uid]))
  // The stock recovers and falls again: a second warning is sent.
  await server.db.execute(sql`update license_tenant_thresholds set threshold = 1`)
  expect(await runLicenseSchedule(server.services)).toMatchObject({ lowTenants: 0 })
  await server.db.execute(sql`update license_tenant_thresholds set threshold = ${allotted + 5}`)
  expect(await runLicenseSchedule(server.services)).toMatchObject({ lowTenants: 1 })
  // Threshold 0 disables the warning; no threshold means the default percentage.
  await set(me, { tenantId: theirs, threshold: 0 })
  expect(await held()).toMatchObject({ threshold: 0, isLow: false })
  expect(await runLicenseSchedule(server.services)).toMatchObject({ lowTenants: 0 })
  await set(me, { tenantId: theirs })
  expect(await held()).toMatchObject({ threshold: null })
  expect(await told()).toHaveLength(2)
  const stranger = await server.by({ tenant: '别家', permissions: ['LicenseManage:Certificate:threshold'] })
  expect(await set(stranger, { tenantId: theirs, threshold: 5 })).toMatchObject({
    code: 400,
    msg: '客户不存在或已被删除',
  })
})

test("after switching to a tenant, an account sees the tenant's stock and no stock of the platform", async () => {
  const visitor = await server.by({ superAdmin: true })
  expect(await ask(visitor, 'summary')).toMatchObject({ own: null, stocks: [expect.anything()] })
  expect((await visitor.call('POST', `/api/v1/tenant/switch/${theirs}`)).code).toBe(200)
  const { own } = await ask(customer, 'summary')
  expect(await ask(visitor, 'summary')).toMatchObject({ own, stocks: [] })
  expect(own).not.toBeNull()
})
