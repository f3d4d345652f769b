import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { useShop, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const storage = useStorage(app)
const { at, clock, call, packages, breaches, newDevice, rowsOf, shown } = storage
const { shop, openShop, sendBody, eventOf, send, orderOf } = useShop(app, storage)
const HOOK = '/api/v1/oss/hook'
const events = async (query = '') => (await call('GET', `${HOOK}/event/page?${query}`)).data.list

beforeAll(async () => {
  at('2026-05-01')
  await openShop()
})

describe('STORAGE-10 signatures', () => {
  test('an event with the current secret is accepted; a wrong secret, time or body is refused with 401', async () => {
    const event = JSON.stringify(eventOf('created', 'SIGN-1', [{ sn: await newDevice() }]))
    const now = Math.floor(clock.now / 1000)
    expect(await sendBody(event, { secret: 'whsec_wrong' })).toMatchObject({ status: 401 })
    expect(await sendBody(event, { time: now - 301 })).toEqual({ status: 401, msg: '签名不正确或已过期' })
    expect(await sendBody(event, { time: now + 301 })).toMatchObject({ status: 401 })
    expect(await sendBody(event, { signature: '' })).toMatchObject({ status: 401 })
    expect(await sendBody(event, { signature: `t=${now},v1=00` })).toMatchObject({ status: 401 })
    expect(await sendBody(event, { time: now - 300 })).toEqual({ status: 200, msg: 'ok' })
    const other = JSON.stringify(eventOf('created', 'SIGN-2', [{ sn: await newDevice() }]))
    const { createHmac } = await import('node:crypto')
    const v1 = createHmac('sha256', shop.secret).update(`${now}.${other}`).digest('hex')
    const signature = `t=${now},v1=${v1}`
    expect(await sendBody(other.replace('SIGN-2', 'SIGN-3'), { signature })).toMatchObject({ status: 401 })
    expect(await sendBody(other, { signature: `t=${now},v1=${'0'.repeat(64)},v1=${v1}` })).toMatchObject({
      status: 200,
    })
  })

  test('after each rotation of the secret, only the last two secrets are valid', async () => {
    const first = shop.secret
    const rotate = async (): Promise<string> => (await call('POST', `${HOOK}/rotate/${shop.id}`)).data.secret
    const second = await rotate()
    const sn = await newDevice()
    const ping = (secret: string) => send(eventOf('created', 'ROTATE', [{ sn }]), { secret })
    expect([(await ping(first)).status, (await ping(second)).status]).toEqual([200, 200])
    shop.secret = await rotate()
    expect([(await ping(first)).status, (await ping(second)).status, (await ping(shop.secret)).status]).toEqual([
      401, 200, 200,
    ])
    const { rows } = await app.db.execute<{ row: string }>(sql`select t::text as row from oss_hooks t`)
    expect(rows[0]!.row).not.toContain(shop.secret)
  })

  test.each([
    ['a trailing line feed', '\n'],
    ['a leading blank', ' ', true],
    ['a control character', 'a\u0007b'],
    ['a zero byte', 'a\u0000b'],
    ['a lone surrogate', '\ud800'],
    ['a line separator', 'a\u2028b'],
  ])('an event with %s in an id or number is refused with 400 and not stored', async (_, bad, isFirst = false) => {
    const of = (value: string) => (isFirst ? `${bad}${value}` : `${value}${bad}`)
    const sn = await newDevice()
    const good = eventOf('refunded', 'TEXT-1', [{ sn }], { refunds: [{ outRefundNo: 'R1', amount: 1 }] })
    const body = JSON.stringify(good)
    const { id } = good as { id: string }
    for (const value of [id, 'TEXT-1', sn, 'M1', 'R1']) {
      const sent = body.replaceAll(JSON.stringify(value), JSON.stringify(of(value)))
      expect(sent).not.toBe(body)
      expect(await sendBody(sent), value).toEqual({ status: 400, msg: '请求内容格式不正确' })
    }
    expect(await events(`outOrderNo=TEXT-1`)).toEqual([])
  })

  test('a body above 64 KB, an unreadable body and an unknown or disabled webhook are refused', async () => {
    const body = JSON.stringify(eventOf('created', 'SIZE', [{ sn: await newDevice() }]))
    const padded = (bytes: number) => body + ' '.repeat(bytes - body.length)
    expect(await sendBody(padded(65_536))).toMatchObject({ status: 200 })
    expect(await sendBody(padded(65_537))).toMatchObject({ status: 413 })
    expect(await sendBody('{"id":1}')).toEqual({ status: 400, msg: '请求内容格式不正确' })
    expect(await sendBody('{')).toMatchObject({ status: 400 })
    const { id } = shop
    Object.assign(shop, { id: 999_999 })
    expect(await sendBody(body)).toMatchObject({ status: 401 })
    Object.assign(shop, { id })
    const { data } = await call('GET', `${HOOK}/detail/${id}`)
    const { hookName, rev } = data
    await call('PUT', HOOK, { id, rev, hookName, status: 0 })
    expect(await sendBody(body)).toMatchObject({ status: 401 })
    await call('PUT', HOOK, { id, rev: rev + 1, hookName, status: 1 })
  })
})

describe('STORAGE-10 orders', () => {
  test('a paid order opens its items once, and the shares of copies and channels add up to the amount', async () => {
    const [sn, other] = [await newDevice(), await newDevice()]
    const items = [
      { sn, copies: 3, channels: [0, 1], amount: 2700 },
      { sn: other, amount: 900 },
    ]
    const paid = eventOf('paid', 'PAID-1', items)
    expect(await send(paid)).toEqual({ status: 200, msg: 'ok' })
    expect(await send(paid)).toEqual({ status: 200, msg: '已处理过' })
    expect(await send(eventOf('paid', 'PAID-1', items))).toMatchObject({ status: 200 })
    expect(await send(eventOf('created', 'PAID-1', items))).toMatchObject({ status: 200 })
    expect(await send(eventOf('closed', 'PAID-1', items))).toMatchObject({ status: 200 })
    expect((await orderOf('PAID-1')).row).toMatchObject({ payStatus: 1, amount: 3600, itemCount: 2 })
    const rows = await rowsOf(sn)
    expect(rows).toHaveLength(6)
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(2700)
    expect(await rowsOf(other)).toMatchObject([{ state: 1, source: 1, amount: 900 }])
    expect(await breaches()).toEqual([])
  })

  test('50 simultaneous deliveries of one payment open the order once', { timeout: 120_000 }, async () => {
    const sn = await newDevice()
    const items = [{ sn }]
    const same = eventOf('paid', 'ONCE-1', items)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => send(n % 2 === 0 ? same : eventOf('paid', 'ONCE-1', items))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await rowsOf(sn)).toHaveLength(1)
    expect(await breaches()).toEqual([])
  })

  test('50 different simultaneous orders are all opened', { timeout: 120_000 }, async () => {
    const sns = await Promise.all(Array.from({ length: 50 }, () => newDevice()))
    const shared = await newDevice()
    const answers = await Promise.all(
      sns.map((sn, n) =>
        send(eventOf('paid', `MANY-${n}`, n % 2 === 0 ? [{ sn }, { sn: shared }] : [{ sn: shared }, { sn }])),
      ),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(await rowsOf(shared)).toHaveLength(50)
    expect(await breaches()).toEqual([])
  })

  test('a refused event is stored with its reason and can be replayed after the cause is corrected', async () => {
    const event = eventOf('paid', 'LATER-1', [{ sn: 'CAM-LATER' }])
    expect(await send(event)).toEqual({ status: 409, msg: '第1行 CAM-LATER：设备不存在' })
    expect(await send(event)).toMatchObject({ status: 409 })
    const [kept] = await events('outOrderNo=LATER-1')
    expect(kept).toMatchObject({ result: 2, message: '第1行 CAM-LATER：设备不存在', attempts: 2 })
    const replay = () => call('POST', `${HOOK}/event/replay/${kept.id}`)
    expect(await replay()).toMatchObject({ code: 400, msg: '第1行 CAM-LATER：设备不存在' })
    await app.db.execute(sql`insert into devices (sn, tenant_id, model_id) values ('CAM-LATER', 1, 1)`)
    expect(await replay()).toMatchObject({ code: 200, msg: '已处理' })
    expect(await rowsOf('CAM-LATER')).toHaveLength(1)
    expect(await replay()).toMatchObject({ code: 200 })
    expect(await rowsOf('CAM-LATER')).toHaveLength(1)
    expect((await events('outOrderNo=LATER-1'))[0]).toMatchObject({ result: 1, attempts: 4 })
    expect((await orderOf('LATER-1')).row.payStatus).toBe(1)
  })

  test('the amounts of an order must add up and equal the package prices, unless the shop may set prices', async () => {
    const sn = await newDevice()
    const wrongSum = eventOf('paid', 'SUM-1', [{ sn }], { amount: 901 })
    expect(await send(wrongSum)).toEqual({ status: 409, msg: '订单金额与明细金额之和不一致' })
    const cheap = eventOf('paid', 'SUM-1', [{ sn, amount: 800 }])
    expect(await send(cheap)).toEqual({ status: 409, msg: `第1行 ${sn}：金额800分与套餐价格900分不一致` })
    expect((await send(eventOf('paid', 'SUM-1', [{ sn, packageCode: 'NONE' }]))).msg).toContain(
      '套餐「NONE」不存在或已下架',
    )
    expect((await send(eventOf('paid', 'SUM-1', [{ sn, packageCode: 'TRY', amount: 0 }]))).msg).toContain(
      '试用套餐不能下单',
    )
    await openShop({ hookName: '自主定价', priceFree: 1 })
    expect(await send(cheap)).toMatchObject({ status: 200 })
    expect(await send(eventOf('paid', 'SUM-1', [{ sn, amount: 700 }]))).toEqual({
      status: 409,
      msg: '订单内容与之前的回调不一致',
    })
    await openShop()
  })

  test('an unpaid order keeps its price when the package is changed or taken off sale before the payment', async () => {
    const sn = await newDevice()
    await storage.addPackage('CH', { price: 500 })
    const items = [{ sn, packageCode: 'CH', amount: 500 }]
    await send(eventOf('created', 'PRICE-1', items))
    const { data } = await call('GET', `/api/v1/oss/package/detail/${packages['CH']}`)
    await call('PUT', '/api/v1/oss/package', { ...data, modelIds: [], tenantIds: [], price: 700 })
    await call('POST', `/api/v1/oss/package/disable/${packages['CH']}`)
    expect(await send(eventOf('paid', 'PRICE-1', items))).toMatchObject({ status: 200 })
    expect(await rowsOf(sn)).toMatchObject([{ amount: 500, state: 1 }])
  })

  test('a payment that arrives after its order was closed opens the packages of the order', async () => {
    const sn = await newDevice()
    for (const [type, status] of [
      ['created', 0],
      ['closed', 4],
      ['paid', 1],
      ['closed', 1],
    ] as const) {
      await send(eventOf(type, 'CLOSE-1', [{ sn }]))
      expect((await orderOf('CLOSE-1')).row.payStatus).toBe(status)
    }
    expect((await shown(sn)).map(([state]) => state)).toEqual([1])
  })

  test('a webhook of a tenant sells only to devices of the tenant, and other tenants cannot see the webhook', async () => {
    const rights = ['order', 'hook'].map((action) => `ossManage:deviceList:${action}`)
    const staff = await app.by({ tenant: '甲公司', permissions: rights })
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '甲公司'`)
    const [own, foreign] = [await newDevice(rows[0]!.id), await newDevice()]
    const { data } = await call('POST', HOOK, { hookName: '甲商城', tenantId: rows[0]!.id })
    const before = { ...shop }
    Object.assign(shop, data)
    expect((await send(eventOf('paid', 'TENANT-1', [{ sn: foreign }]))).msg).toContain('设备不存在')
    expect(await send(eventOf('paid', 'TENANT-2', [{ sn: own }]))).toMatchObject({ status: 200 })
    Object.assign(shop, before)
    expect((await staff.call('GET', '/api/v1/oss/order/page')).data.total).toBe(1)
    expect((await staff.call('GET', HOOK)).data.list).toMatchObject([{ hookName: '甲商城', refusedEvents: 1 }])
    const other = await app.by({ tenant: '乙公司', permissions: rights })
    expect((await other.call('GET', '/api/v1/oss/order/page')).data.total).toBe(0)
    expect((await other.call('GET', `${HOOK}/event/page`)).data.total).toBe(0)
  })
})

test('only platform staff can create and change webhooks, because their secrets sign paid orders', async () => {
  const rights = ['list', 'hook'].map((action) => `ossManage:deviceList:${action}`)
  const clerk = await app.by({ tenant: '商城客户', permissions: rights })
  const refused = { code: 501, msg: '订单回调由厂商维护，请联系厂商' }
  expect(await clerk.call('POST', HOOK, { hookName: '自营', priceFree: 0, status: 1 })).toMatchObject(refused)
  expect(await clerk.call('POST', `${HOOK}/rotate/${shop.id}`)).toMatchObject(refused)
  const change = { id: shop.id, rev: 0, hookName: '自营', priceFree: 1, status: 1 }
  expect(await clerk.call('PUT', HOOK, change)).toMatchObject(refused)
})
