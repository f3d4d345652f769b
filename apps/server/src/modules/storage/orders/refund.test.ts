import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { splitByWeight } from './order-event.ts'
import { useShop, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const storage = useStorage(app)
const { at, call, breaches, newDevice, rowsOf, shown } = storage
const { openShop, eventOf, send, orderOf } = useShop(app, storage)
const REFUND = '/api/v1/oss/order/refund'

beforeAll(async () => {
  at('2026-05-01')
  await openShop()
})

const refundOf = (outOrderNo: string, sn: string, refunds: object[]) =>
  eventOf('refunded', outOrderNo, [{ sn }], { refunds })

describe('STORAGE-10 refunds', () => {
  test('shares by largest remainder add up to the amount, and each share is less than one unit from the exact value', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.array(fc.integer({ min: 0, max: 99_999_999 }), { minLength: 1, maxLength: 64 }),
        (amount, weights) => {
          const parts = splitByWeight(amount, weights)
          const sum = weights.reduce((total, weight) => total + weight, 0)
          expect(parts.reduce((total, part) => total + part, 0)).toBe(amount)
          if (sum > 0)
            for (const [n, part] of parts.entries())
              expect(Math.abs(part - (amount * weights[n]!) / sum)).toBeLessThan(1.000_001)
        },
      ),
    )
  })

  test('staff request a refund of at most the refundable amount, and the shop reports it', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await send(eventOf('paid', 'REF-1', [{ sn }]))
    at('2026-05-11')
    const { items } = await orderOf('REF-1')
    expect(items[0]).toMatchObject({ refundable: 900 })
    const request = (amount: number) =>
      call('POST', REFUND, { itemId: items[0].id, amount, stops: 1, reason: '用户退货' })
    expect(await request(901)).toMatchObject({ msg: '退款金额不能超过可退金额9.00元', data: { field: 'amount' } })
    expect(await request(609)).toMatchObject({ code: 200, msg: '退款申请已提交' })
    expect((await request(292)).msg).toBe('退款金额不能超过可退金额2.91元')
    expect((await orderOf('REF-1')).row).toMatchObject({ payStatus: 1, refunded: 0, pendingRefunds: 1 })
    expect((await shown(sn)).map(([state]) => state)).toEqual([1])
    expect(await send(refundOf('REF-1', sn, [{ outRefundNo: 'R1', amount: 609 }]))).toMatchObject({ status: 200 })
    const after = await orderOf('REF-1')
    expect(after.row).toMatchObject({ payStatus: 2, refunded: 609, pendingRefunds: 0 })
    expect(after.refunds).toMatchObject([{ outRefundNo: 'R1', state: 1, stops: 1, origin: 2 }])
    expect((await shown(sn)).map(([state]) => state)).toEqual([4])
    const { data } = await call('GET', `/api/v1/oss/device/detail/${(await rowsOf(sn))[0]!.id}`)
    const money = data.ledger.filter(({ kind }: { kind: number }) => kind === 3)
    expect(money).toMatchObject([{ amount: -609, seconds: 0, balance: 0 }])
    expect(await breaches()).toEqual([])
  })

  test('a refund is found by a part of its number, and an entitlement by its full number', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await send(eventOf('paid', 'FIND-1', [{ sn }]))
    const { items } = await orderOf('FIND-1')
    await call('POST', REFUND, { itemId: items[0].id, amount: 1, stops: 0, reason: '查找' })
    const { refunds } = await orderOf('FIND-1')
    const [{ refundNo }] = refunds
    const page = async (path: string) =>
      (await call('GET', `${path}&pageNum=1&pageSize=10`)).data.list as Record<string, string>[]
    const found = await page(`/api/v1/oss/order/refund/page?refundNo=${refundNo.slice(2)}`)
    expect(found.map((row) => row['refundNo'])).toEqual([refundNo])
    const [{ entNo }] = (await page(`/api/v1/oss/device/page?sn=${sn}`)) as [{ entNo: string }]
    const entitlements = await page(`/api/v1/oss/device/page?entNo=${entNo.toLowerCase()}`)
    expect(entitlements.map((row) => row['entNo'])).toEqual([entNo])
    expect(await page(`/api/v1/oss/device/page?entNo=${entNo.slice(0, -1)}`)).toEqual([])
  })

  test('payment and refund may arrive in any order: a refund that arrives before its payment waits for it', async () => {
    at('2026-05-01')
    const ends = []
    for (const types of [
      ['refunded', 'paid'],
      ['paid', 'refunded'],
      ['refunded', 'created', 'refunded', 'closed', 'paid', 'created'],
    ]) {
      const sn = await newDevice()
      const no = `ORDER-${types.length}-${types[0]}`
      const refunds = [{ outRefundNo: `X-${no}`, amount: 900, stops: 1 }]
      for (const type of types) {
        const event = type === 'refunded' ? refundOf(no, sn, refunds) : eventOf(type, no, [{ sn }])
        expect(await send(event)).toMatchObject({ status: 200 })
      }
      const { row, refunds: stored } = await orderOf(no)
      ends.push([row.payStatus, row.refunded, stored.length, stored[0].state, (await shown(sn)).map(([s]) => s)])
    }
    expect(ends).toEqual([
      [3, 900, 1, 1, [4]],
      [3, 900, 1, 1, [4]],
      [3, 900, 1, 1, [4]],
    ])
    expect(await breaches()).toEqual([])
  })

  test('partial refunds without `stops` keep the entitlement and cannot exceed the remaining amount', async () => {
    const sn = await newDevice()
    await send(
      eventOf(
        'paid',
        'PART-1',
        [{ sn, copies: 2, channels: [0, 1], amount: 1800 }].map((item) => item),
      ),
    )
    const event = (refunds: object[]) =>
      eventOf('refunded', 'PART-1', [{ sn, copies: 2, channels: [0, 1], amount: 1800 }], { refunds })
    expect(await send(event([{ outRefundNo: 'P1', amount: 1001 }]))).toMatchObject({ status: 200 })
    expect(await send(event([{ outRefundNo: 'P2', amount: 800 }]))).toEqual({
      status: 409,
      msg: '退款金额不能超过可退金额7.99元',
    })
    expect(await send(event([{ outRefundNo: 'P1', amount: 5 }]))).toEqual({ status: 409, msg: '退款单号已存在' })
    expect(await send(event([{ outRefundNo: 'P3', amount: 799, line: 1 }]))).toMatchObject({ status: 200 })
    expect((await orderOf('PART-1')).row).toMatchObject({ payStatus: 3, refunded: 1800 })
    expect((await shown(sn)).map(([state]) => state)).toEqual([1, 0, 1, 0])
    expect(await breaches()).toEqual([])
  })

  test('a refund stops its entitlement also after a transfer to another device', async () => {
    at('2026-05-01')
    const [sn, next] = [await newDevice(), await newDevice()]
    await send(eventOf('paid', 'MOVE-1', [{ sn }]))
    at('2026-05-11')
    const [row] = await rowsOf(sn)
    await call('POST', '/api/v1/oss/device/transfer', { items: [{ id: row!.id, targetSn: next }], reason: '换机' })
    await send(refundOf('MOVE-1', sn, [{ outRefundNo: 'M1', amount: 300, stops: 1 }]))
    expect((await shown(next)).map(([state]) => state)).toEqual([4])
    expect(await breaches()).toEqual([])
  })

  test('an offline refund is recorded once by its refund number; a refund request can be rejected', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await send(eventOf('created', 'OFF-1', [{ sn }]))
    const item = async () => (await orderOf('OFF-1')).items[0]
    const record = async (over: object) =>
      call('POST', `${REFUND}/record`, {
        itemId: (await item()).id,
        outRefundNo: 'BANK-1',
        amount: 300,
        reason: '银行转账',
        ...over,
      })
    expect((await record({})).msg).toBe('订单未支付')
    await send(eventOf('paid', 'OFF-1', [{ sn }]))
    const { data } = await call('POST', REFUND, { itemId: (await item()).id, amount: 900, reason: '重复购买' })
    expect((await record({})).msg).toBe('退款金额不能超过可退金额0.00元')
    expect(await record({ refundId: data.id })).toMatchObject({ code: 200, msg: '退款已登记' })
    expect(await record({})).toMatchObject({ code: 400, msg: '退款单号已存在', data: { field: 'outRefundNo' } })
    expect((await record({ refundId: data.id, outRefundNo: 'BANK-2' })).msg).toBe('退款申请已处理')
    const again = await call('POST', REFUND, { itemId: (await item()).id, amount: 100, reason: '再退' })
    const reject = () => call('POST', `${REFUND}/reject`, { id: again.data.id, reason: '不符合退款条件' })
    expect(await reject()).toMatchObject({ code: 200, msg: '已驳回' })
    expect((await reject()).msg).toBe('退款申请已处理')
    expect((await call('GET', `${REFUND}/page?state=2`)).data.total).toBe(1)
    expect((await orderOf('OFF-1')).row).toMatchObject({ payStatus: 2, refunded: 300, pendingRefunds: 0 })
    expect(await breaches()).toEqual([])
  })

  test('the revenue in oss_flows equals payments minus refunds', async () => {
    const { rows } = await app.services.database.pool.query<{ flows: number; orders: number }>(`select
      (select coalesce(sum(amount), 0)::int from oss_flows where kind in (1, 2, 5)) as flows,
      (select sum(amount - refunded)::int from oss_orders where pay_status in (1, 2, 3)) as orders`)
    expect(rows[0]!.flows).toBe(rows[0]!.orders)
  })

  test('the statistics contain the income of the month before and after refunds', async () => {
    const summary = async () => (await call('GET', '/api/v1/oss/statistics/summary')).data
    const sn = await newDevice()
    const before = await summary()
    await send(eventOf('paid', 'MONTH-1', [{ sn, amount: 900 }]))
    await send(refundOf('MONTH-1', sn, [{ outRefundNo: 'MONTH-R1', amount: 300 }]))
    const now = await summary()
    expect([now.gross - before.gross, now.revenue - before.revenue]).toEqual([900, 600])
  })
})

test('the export of orders contains the filtered orders that the caller can see, with amounts in yuan', async () => {
  await send(eventOf('paid', 'EXPORT-1', [{ sn: await newDevice(), amount: 900 }]))
  await send(eventOf('paid', 'EXPORT-2', [{ sn: await newDevice(), amount: 900 }]))
  const admin = await app.by({ superAdmin: true })
  const url = '/api/v1/oss/order/export?format=csv&outOrderNo=EXPORT-2'
  const lines = (await admin.inject({ method: 'GET', url })).body.trim().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('EXPORT-2')
  expect(lines[1]).toContain('9.00')
  const other = await app.by({ tenant: '丁公司', permissions: ['ossManage:deviceList:export'] })
  expect((await other.inject({ method: 'GET', url })).body.trim().split('\n')).toHaveLength(1)
})
