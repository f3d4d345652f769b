import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { useShop, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const storage = useStorage(app)
const { at, call, packages, newDevice, rowsOf, shown } = storage
const { shop, openShop, eventOf, send, orderOf } = useShop(app, storage)
const ORDER = '/api/v1/oss/order'
const HOOK = '/api/v1/oss/hook'
const CARD = '/api/v1/oss/card'
const SHARED = { code: 501, msg: '该数据由全部客户共用，您的数据范围不包含全部客户，只能查看' }
const RIGHTS = ['list', 'order', 'refund', 'export', 'hook', 'card', 'transfer'].map(
  (right) => `ossManage:deviceList:${right}`,
)

let limited: Caller
const tenants = { inside: 0, outside: 0 }
const sns = { inside: '', outside: '' }
const find = async (path: string) => (await limited.call('GET', path)).data
const idOf = async (name: string) =>
  (await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)).rows[0]!.id

beforeAll(async () => {
  at('2026-05-01')
  for (const [key, name] of [
    ['inside', '范围之内'],
    ['outside', '范围之外'],
  ] as const) {
    await app.by({ tenant: name })
    tenants[key] = await idOf(name)
    sns[key] = await newDevice(tenants[key])
  }
  limited = await app.by({ permissions: RIGHTS, dataScope: 3, scopeIds: [tenants.inside] })
  await openShop()
  for (const type of ['created', 'paid']) {
    await send(eventOf(type, 'IN-1', [{ sn: sns.inside }]))
    await send(eventOf(type, 'OUT-1', [{ sn: sns.outside }]))
    await send(eventOf(type, 'BOTH-1', [{ sn: sns.inside }, { sn: sns.outside }]))
  }
})

describe('staff limited to some tenants, in the shop of the platform', () => {
  test('limited staff see and export only orders whose devices all belong to their tenants', async () => {
    expect((await find(`${ORDER}/page`)).list.map(({ outOrderNo }: { outOrderNo: string }) => outOrderNo)).toEqual([
      'IN-1',
    ])
    const { row } = await orderOf('BOTH-1')
    expect((await limited.call('GET', `${ORDER}/detail/${row.id}`)).msg).toContain('订单')
    expect((await limited.call('GET', `${ORDER}/detail/${row.id}`)).data).toBeNull()
    const { body } = await limited.inject({ method: 'GET', url: `${ORDER}/export?format=csv` })
    expect(body).toContain(sns.inside)
    expect(body).not.toContain(sns.outside)
  })

  test('limited staff cannot see, request, record or reject refunds of orders outside their data scope', async () => {
    const { items } = await orderOf('OUT-1')
    const input = { itemId: items[0].id, amount: 1, stops: 1, reason: '退款' }
    expect((await limited.call('POST', `${ORDER}/refund`, input)).code).not.toBe(200)
    expect((await limited.call('POST', `${ORDER}/refund/record`, { ...input, outRefundNo: 'L-1' })).code).not.toBe(200)
    const { data } = await call('POST', `${ORDER}/refund`, input)
    expect((await limited.call('POST', `${ORDER}/refund/reject`, { id: data.id, reason: '驳回' })).code).not.toBe(200)
    expect((await find(`${ORDER}/refund/page`)).total).toBe(0)
    expect((await shown(sns.outside)).map(([state]) => state)).toEqual([1, 0])
    const own = (await orderOf('IN-1')).items[0].id
    const made = await limited.call('POST', `${ORDER}/refund`, { ...input, itemId: own })
    expect(made).toMatchObject({ code: 200 })
    expect((await find(`${ORDER}/refund/page`)).total).toBe(1)
    expect(await limited.call('POST', `${ORDER}/refund/reject`, { id: made.data.id, reason: '驳回' })).toMatchObject({
      code: 200,
    })
  })

  test('limited staff see only events about devices of their tenants, also in the event counts of a webhook', async () => {
    await send(eventOf('paid', 'IN-2', [{ sn: sns.inside, packageCode: 'NONE' }]))
    await send(eventOf('paid', 'OUT-2', [{ sn: sns.outside, packageCode: 'NONE' }]))
    await send(eventOf('paid', 'UNKNOWN', [{ sn: 'NO-SUCH-CAMERA' }]))
    // The order belongs to the tenants, and a later body names another device.
    await send(eventOf('paid', 'IN-1', [{ sn: sns.outside }]))
    const { list } = await find(`${HOOK}/event/page`)
    expect(list.map(({ outOrderNo }: { outOrderNo: string }) => outOrderNo)).toEqual(['IN-2', 'IN-1', 'IN-1'])
    const { data } = await call('GET', `${HOOK}/event/page?outOrderNo=OUT-2`)
    const { id } = data.list[0]
    expect((await limited.call('GET', `${HOOK}/event/detail/${id}`)).data).toBeNull()
    expect((await limited.call('POST', `${HOOK}/event/replay/${id}`)).code).not.toBe(200)
    expect((await find(`${HOOK}/detail/${shop.id}`)).refusedEvents).toBe(1)
    expect((await call('GET', `${HOOK}/detail/${shop.id}`)).data.refusedEvents).toBe(4)
  })

  test('limited staff cannot create, change or rotate the secret of a webhook of the platform', async () => {
    expect(await limited.call('POST', HOOK, { hookName: '范围商城' })).toMatchObject(SHARED)
    expect(await limited.call('POST', `${HOOK}/rotate/${shop.id}`)).toMatchObject(SHARED)
    const change = { id: shop.id, rev: 0, hookName: '改名', priceFree: 1, status: 1, remark: '' }
    expect(await limited.call('PUT', HOOK, change)).toMatchObject(SHARED)
    const own = await limited.call('POST', HOOK, { hookName: '客户商城', tenantId: tenants.inside })
    expect(own).toMatchObject({ code: 200 })
    expect(await limited.call('POST', `${HOOK}/rotate/${own.data.id}`)).toMatchObject({ code: 200 })
  })

  test('limited staff see no card that was used on a device of another tenant, also in the counts of the batch', async () => {
    const admin = await app.by({ superAdmin: true })
    const made = await admin.call('POST', `${CARD}/create`, {
      packageId: packages['M1'],
      count: 3,
      validTo: '2099-12-31',
    })
    const { body } = await admin.inject({ method: 'GET', url: `${CARD}/file/${made.data.id}` })
    const codes = body.match(/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/g)!
    for (const [place, sn] of [sns.inside, sns.outside].entries())
      expect(await admin.call('POST', `${CARD}/redeem`, { code: codes[place], sn })).toMatchObject({ code: 200 })
    const { list } = await find(`${CARD}/page?state=1`)
    expect(list.map(({ sn }: { sn: string }) => sn)).toEqual([sns.inside])
    expect((await find(`${CARD}/page`)).total).toBe(2)
    expect((await find(`${CARD}/batch/page`)).list[0].used).toBe(1)
  })

  test('limited staff lose sight of an order whose device moved to a tenant outside their data scope', async () => {
    const next = await newDevice(tenants.inside)
    const [row] = await rowsOf(sns.inside)
    await call('POST', '/api/v1/oss/device/transfer', { items: [{ id: row!.id, targetSn: next }], reason: '换机' })
    expect((await find(`${ORDER}/page?outOrderNo=IN-1`)).total).toBe(1)
    await app.db.execute(sql`update devices set tenant_id = ${tenants.outside} where sn = ${next}`)
    await app.db.execute(sql`update oss_entitlements set tenant_id = ${tenants.outside} where sn = ${next}`)
    expect((await find(`${ORDER}/page?outOrderNo=IN-1`)).total).toBe(0)
  })
})
