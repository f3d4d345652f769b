import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { useShop, ENTITLEMENT_URL as URL, useStorage } from '#test/fixtures/storage-fixture.ts'
import { recordDueEntitlements } from '../clock.ts'

const DAY_MS = 86_400_000
const app = useApp()
const storage = useStorage(app)
const { at, setNow, clock, call, breaches, newDevice, open, rowsOf, shown, step } = storage
const { openShop, eventOf, send, orderOf } = useShop(app, storage)

beforeAll(async () => {
  at('2026-05-01')
  await openShop()
})

/** Returns a generator of whole numbers below `count`, always the same ones. */
function numbersFrom(seed: number) {
  let state = seed
  return (count: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((state / 4_294_967_296) * count)
  }
}

describe('STORAGE-10 sequence of events', () => {
  test('the events of an order lead to the same state in any sequence and with duplicates', {
    timeout: 300_000,
  }, async () => {
    const random = numbersFrom(3)
    const ends = new Set<string>()
    for (let round = 0; round < 24; round += 1) {
      const [sn, no] = [await newDevice(), `PERM-${round}`]
      const items = [{ sn, copies: 2, channels: [0, 1], amount: 1800 }]
      const refunds = [
        { outRefundNo: `${no}-A`, amount: 701, stops: 0 },
        { outRefundNo: `${no}-B`, amount: 500, stops: 1 },
      ]
      const events = [
        eventOf('created', no, items),
        eventOf('paid', no, items),
        eventOf('closed', no, items),
        eventOf('refunded', no, items, { refunds: refunds.slice(0, 1) }),
        eventOf('refunded', no, items, { refunds }),
      ]
      const sent = [...events, events[random(5)]!, events[random(5)]!]
        .map((event) => ({ event, key: random(1_000_000) }))
        .toSorted((a, b) => a.key - b.key)
      for (const { event } of sent) expect(await send(event)).toMatchObject({ status: 200 })
      const { row, refunds: stored } = await orderOf(no)
      ends.add(JSON.stringify([row.payStatus, row.refunded, stored.length, await shown(sn)]))
    }
    expect([...ends]).toEqual([JSON.stringify([2, 1201, 2, [4, 4, 4, 4].map(() => [4, '2026-05-01', '2026-05-01'])])])
    expect(await breaches()).toEqual([])
  })
})

test('all invariants of sales hold after random orders, refunds, cards and entitlement changes', {
  timeout: 300_000,
}, async () => {
  const random = numbersFrom(11)
  const sns = await Promise.all([newDevice(), newDevice(), newDevice()])
  const orders: { no: string; items: object[] }[] = []
  for (let count = 0; count < 140; count += 1) {
    setNow(clock.now + random(6) * DAY_MS)
    const sn = sns[random(3)]!
    const ids = (await rowsOf(sn)).map(({ id }) => id)
    const kind = random(9)
    if (kind < 3 || ids.length === 0) {
      const copies = random(3) + 1
      const channels = [[0], [1], [0, 1]][random(3)]!
      const items = [{ sn, copies, channels, amount: 900 * copies, effectMode: random(3) + 1 }]
      const no = `RAND-${count}`
      const { status } = await send(eventOf('paid', no, items))
      if (status === 200) orders.push({ no, items })
    } else if (kind === 3 && orders.length > 0) {
      const { no, items } = orders[random(orders.length)]!
      const refund = { outRefundNo: `R-${count}`, amount: random(900) + 1, stops: random(2) }
      await send(eventOf('refunded', no, items as never, { refunds: [refund] }))
    } else if (kind === 4) await step(['suspend', 'resume', 'cancel'][random(3)]!, ids.slice(random(ids.length)))
    else if (kind === 5) {
      const target = { targetSn: sns[random(3)], targetChannel: random(2), reason: '换机' }
      await call('POST', `${URL}/transfer`, { id: ids[random(ids.length)], ...target })
    } else if (kind === 6) await open([sn], 'W1', { source: 1, amount: 333, channels: [0, 1] })
    else if (kind === 7 && orders.length > 0) {
      const { items } = await orderOf(orders[random(orders.length)]!.no)
      const amount = Math.max(items[0].refundable, 1)
      const record = { itemId: items[0].id, outRefundNo: `OFF-${count}`, amount, stops: 1, reason: '线下' }
      await call('POST', '/api/v1/oss/order/refund/record', record)
    } else await recordDueEntitlements(app.services)
  }
  expect(await breaches()).toEqual([])
  const { rows } = await app.db.execute<{ statuses: number; refunds: number }>(sql`select
    (select count(distinct pay_status)::int from oss_orders) as statuses,
    (select count(*)::int from oss_refunds where state = 1) as refunds`)
  expect(rows[0]!.statuses).toBeGreaterThanOrEqual(3)
  expect(rows[0]!.refunds).toBeGreaterThan(10)
})
