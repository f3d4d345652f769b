import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import {
  actionsOf,
  breaches,
  CERT,
  CERT_ALL,
  deviceOf,
  modelOf,
  stateOf,
  stock,
  tenantOf,
  uidOf,
} from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
let me: Caller
let customer: Caller
let theirs: number
let modelId: number

beforeAll(async () => {
  me = await server.as(...CERT_ALL)
  customer = await server.by({ tenant: '蓉城', permissions: CERT_ALL })
  theirs = await tenantOf(server.db, '蓉城')
  modelId = await modelOf(server.db, 'LIC')
})

const page = async (who: Caller, query: string) => (await who.call('GET', `${CERT}/page?${query}`)).data
const step = (who: Caller, name: string, ids: number[], reason = '') =>
  who.call('POST', `${CERT}/${name}`, { ids, reason })

test('MODULE-01 the list finds certificates by UID, prefix, state and tenant, and masks the middle of each UID', async () => {
  await stock(server.db, { prefix: 'LISTA', count: 30 })
  await stock(server.db, { prefix: 'LISTB', count: 5, tenantId: theirs, vendor: 3 })
  expect((await page(me, 'uid=LISTA')).total).toBe(30)
  expect((await page(me, `uid=${uidOf('LISTA', 7)}`)).list).toMatchObject([
    { uid: 'LISTA-***007-****P', state: 0, tenantName: '' },
  ])
  expect((await page(me, `uid=${uidOf('LISTA', 7).replaceAll('-', '').toLowerCase()}`)).total).toBe(1)
  expect((await page(me, 'uid=lista00000')).total).toBe(9)
  expect((await page(me, `tenantId=${theirs}&vendor=3&state=1`)).total).toBe(5)
  expect((await page(me, `state=1&uid=LISTB&orderByColumn=uid&isAsc=asc`)).list[0].uid).toBe('LISTB-***001-****C')
  expect((await page(me, 'allotBegin=2020-01-01&allotEnd=2099-01-01&uid=LIST')).total).toBe(5)
  expect((await page(me, 'uid=LIST%25')).total).toBe(0)
  expect(JSON.stringify(await page(me, 'uid=LIST'))).not.toContain(uidOf('LISTA', 7))
})

test('a tenant sees its own certificates, and neither the stock nor certificates of other tenants', async () => {
  const [free] = await stock(server.db, { prefix: 'WALL', count: 1 })
  const [foreign] = await stock(server.db, { prefix: 'WALLB', count: 1, tenantId: 1 })
  const [own] = await stock(server.db, { prefix: 'WALLC', count: 1, tenantId: theirs })
  expect((await page(customer, 'uid=WALL')).list.map(({ id }: { id: number }) => id)).toEqual([own])
  for (const id of [free, foreign]) {
    expect(await customer.call('GET', `${CERT}/detail/${id}`)).toMatchObject({ msg: '证书不存在或已被删除' })
    expect(await customer.call('GET', `${CERT}/events/${id}`)).toMatchObject({ code: 400 })
    expect(await customer.call('POST', `${CERT}/reveal/${id}`, { id, reason: '看' })).toMatchObject({ code: 400 })
    expect(await step(customer, 'scrap', [id!], '坏')).toMatchObject({ msg: '证书不存在' })
    expect(await customer.call('POST', `${CERT}/bind`, { id, sn: 'X' })).toMatchObject({ code: 400 })
  }
  expect(await step(customer, 'recall', [own!])).toMatchObject({ code: 501 })
  const allot = { tenantId: theirs, mode: 1, vendor: 2, typeCode: 'P2P', count: 1 }
  for (const path of ['allot', 'allot/plan', 'allot/free'])
    expect(await customer.call('POST', `${CERT}/${path}`, { ...allot, reason: '要' })).toMatchObject({ code: 501 })
  expect((await customer.call('GET', '/api/v1/license/threshold')).code).toBe(501)
  expect((await customer.call('GET', '/api/v1/license/batch/page?batchNo=WALL')).data.list).toMatchObject([
    { batchNo: 'B-WALLC', total: 1, allotted: 1, stock: 0 },
  ])
})

test('binding updates certificate and device, and is refused across tenants', async () => {
  const [one, two, other] = await stock(server.db, { prefix: 'BIND', count: 3, tenantId: theirs })
  const device = await deviceOf(server.db, 'LIC-1', theirs, modelId)
  await deviceOf(server.db, 'LIC-PLATFORM', 1, modelId)
  expect(await me.call('POST', `${CERT}/bind`, { id: one, sn: 'LIC-PLATFORM' })).toMatchObject({
    msg: '该客户没有此序列号的设备',
  })
  expect(await customer.call('POST', `${CERT}/bind`, { id: one, sn: 'LIC-1' })).toMatchObject({
    code: 200,
    data: { deviceId: device },
  })
  expect(await me.call('POST', `${CERT}/bind`, { id: two, sn: 'LIC-1' })).toMatchObject({ msg: '该设备已绑定其他证书' })
  expect(await me.call('POST', `${CERT}/bind`, { id: one, sn: 'LIC-1' })).toMatchObject({
    msg: '证书已绑定，只有「已分配」的证书可以绑定',
  })
  expect((await page(me, 'sn=LIC-1')).list).toMatchObject([{ id: one, sn: 'LIC-1', state: 2 }])
  expect(await breaches(server.db)).toEqual([])
  await server.db.execute(sql`update devices set activate_time = now() where id = ${device}`)
  expect(await step(customer, 'unbind', [one!])).toMatchObject({ msg: '设备已激活过，解绑请填写原因' })
  expect(await step(customer, 'unbind', [one!], '换机')).toMatchObject({ data: { done: 1 } })
  expect(await stateOf(server.db, one!)).toEqual({ state: 1, tenant: theirs, device: null })
  expect(await me.call('POST', `${CERT}/bind`, { id: other, sn: 'LIC-1' })).toMatchObject({ code: 200 })
  expect(await breaches(server.db)).toEqual([])
  const { data } = await me.call('GET', `${CERT}/events/${one}`)
  expect(
    data.list.map(({ action, toState, reason, deviceSn }: Record<string, unknown>) => [
      action,
      toState,
      reason,
      deviceSn,
    ]),
  ).toEqual([
    ['unbind', 1, '换机', 'LIC-1'],
    ['bind', 2, '', 'LIC-1'],
  ])
})

test('suspending, resuming and scrapping require a permitted state; a batch returns the reason of each refusal', async () => {
  const ids = await stock(server.db, { prefix: 'STEP', count: 4, tenantId: theirs })
  const device = await deviceOf(server.db, 'LIC-STEP', theirs, modelId)
  await me.call('POST', `${CERT}/bind`, { id: ids[0], sn: 'LIC-STEP' })
  await server.db.execute(sql`update licenses set state = 3, activate_time = now() where id = ${ids[0]}`)
  expect(await step(me, 'suspend', ids)).toMatchObject({ code: 400, data: { field: 'reason' } })
  const { data } = await step(me, 'suspend', ids, '欠费')
  expect(data).toMatchObject({ done: 1, failed: [{ msg: '证书已分配，只有「已激活」的证书可以暂停' }, {}, {}] })
  expect(await step(me, 'resume', [ids[0]!])).toMatchObject({ data: { done: 1 } })
  expect(await step(me, 'unbind', [ids[0]!], '换')).toMatchObject({ code: 501 })
  expect(await step(me, 'recall', [ids[1]!])).toMatchObject({ data: { done: 1 } })
  expect(await stateOf(server.db, ids[1]!)).toEqual({ state: 0, tenant: null, device: null })
  expect(await step(me, 'scrap', ids, '作废')).toMatchObject({ data: { done: 4, failed: [] } })
  expect(await step(me, 'scrap', [ids[0]!], '作废')).toMatchObject({ msg: '证书已报废' })
  expect(await actionsOf(server.db, ids[0]!)).toEqual(['bind', 'suspend', 'resume', 'scrap'])
  const { rows } = await server.db.execute(sql`select uid from devices where id = ${device}`)
  expect(rows).toEqual([{ uid: '' }])
  expect(await breaches(server.db)).toEqual([])
  const logs = await server.db.execute(
    sql`select action from oper_logs where biz_type = 'license' and action like '报废证书%作废' and status = 1`,
  )
  expect(logs.rows.length).toBe(4)
})

test('revealing a key requires a reason; history and log record the account and the reason', async () => {
  const [id] = await stock(server.db, { prefix: 'SHOW', count: 1, tenantId: theirs })
  const { encrypt } = await import('#core/crypto/keys.ts')
  await server.db.execute(
    sql`update licenses set key_sealed = ${encrypt(server.services.config.secretKey, 'sec-ret-KEY')} where id = ${id}`,
  )
  expect(await me.call('POST', `${CERT}/reveal/${id}`, { id, reason: ' ' })).toMatchObject({
    code: 400,
    data: { field: 'reason' },
  })
  expect(
    await (await server.as('LicenseManage:Certificate:list')).call('POST', `${CERT}/reveal/${id}`, { reason: '看' }),
  ).toMatchObject({ code: 501 })
  const { data } = await me.call('POST', `${CERT}/reveal/${id}`, { reason: '售后排查' })
  expect(data).toEqual({ uid: uidOf('SHOW', 1), key: 'sec-ret-KEY' })
  expect((await me.call('GET', `${CERT}/events/${id}`)).data.list[0]).toMatchObject({
    action: 'reveal',
    reason: '售后排查',
  })
  const { rows } = await server.db.execute<{ line: string }>(
    sql`select row_to_json(o)::text as line from oper_logs o where biz_id = ${String(id)} and biz_type = 'license'`,
  )
  expect(rows.map(({ line }) => line).join()).toContain('售后排查')
  expect(rows.map(({ line }) => line).join()).not.toMatch(new RegExp(`sec-ret|${uidOf('SHOW', 1)}`))
  expect(JSON.stringify((await me.call('GET', `${CERT}/detail/${id}`)).data)).not.toMatch(/sec-ret|sealed|SHOW-000001/)
  expect((await page(me, 'uid=SHOW')).list[0]).toMatchObject({ hasKey: true })
})

test('an export masks UIDs without the permission for full UIDs, and its reason is logged', async () => {
  await stock(server.db, { prefix: 'EXPO', count: 3 })
  const ask = (who: Caller, path: string, payload: object) =>
    who.inject({ method: 'POST', url: `${CERT}/${path}`, payload })
  const input = { uid: 'EXPO', format: 'csv', reason: '盘点' }
  expect((await ask(me, 'export', { ...input, reason: '' })).json()).toMatchObject({ code: 400 })
  expect((await ask(me, 'export', input)).body).toContain('EXPO-***001-****C')
  expect((await ask(me, 'export', input)).body).not.toContain(uidOf('EXPO', 1))
  expect((await ask(me, 'export/plain', input)).body).toContain(uidOf('EXPO', 1))
  const plain = await server.as('LicenseManage:Certificate:export')
  expect((await ask(plain, 'export/plain', input)).json()).toMatchObject({ code: 501 })
  const { rows } = await server.db.execute<{ p: string }>(
    sql`select oper_param as p from oper_logs where title = '导出P2P证书明文' and status = 1`,
  )
  expect(rows[0]?.p).toContain('盘点')
})

test('limited staff cannot scrap, reveal or export unmasked the stock that all tenants share', async () => {
  const limited = await server.by({ permissions: CERT_ALL, dataScope: 3, scopeIds: [theirs] })
  const [id] = await stock(server.db, { prefix: 'SHARED', count: 1 })
  const [own] = await stock(server.db, { prefix: 'SHAREDO', count: 1, tenantId: theirs })
  const refused = { code: 501, msg: SHARED_DATA_MESSAGE }
  expect(await step(limited, 'scrap', [id!], '作废')).toMatchObject(refused)
  expect(await limited.call('POST', `${CERT}/reveal/${id}`, { reason: '查看' })).toMatchObject(refused)
  const { body } = await limited.inject({
    method: 'POST',
    url: `${CERT}/export/plain`,
    payload: { format: 'csv', uid: 'SHARED', reason: '核对' },
  })
  expect(body).toContain(uidOf('SHAREDO', 1))
  expect(body).not.toContain(uidOf('SHARED', 1))
  expect(await limited.call('POST', `${CERT}/reveal/${own}`, { reason: '查看' })).toMatchObject({ code: 200 })
  expect(await step(limited, 'scrap', [own!, id!], '作废')).toMatchObject({
    code: 200,
    data: { done: 1, failed: [{ id, msg: SHARED_DATA_MESSAGE }] },
  })
  expect(await step(me, 'scrap', [id!], '作废')).toMatchObject({ code: 200 })
})
