import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { closeDueGrants } from '#domain/agents/orders/grant-clock.ts'
import { useOrders } from './order-fixture.ts'

const DAY_MS = 86_400_000
const [TURNS, MINUTES, SECONDS] = [2, 3, 5] as const
const INCREASE = 1
const DECREASE = 2

const lab = useOrders()
const { app, people, get, newDevice, newPackage, put, sold, talk, fold, grantsOf, ledgerOf } = lab

afterEach(() => lab.assertSound())

const adjust = (id: number, direction: number, amount: number, over: object = {}, who = people.seller) =>
  put(who, 'grant/adjust', { id, direction, amount, reason: '补偿故障', ...over })

/** Sells a package to a new device and returns its first grant. */
async function soldGrant(terms: object = {}) {
  const device = await newDevice()
  const { id: orderId } = await sold({ packageId: (await newPackage(terms)).id, deviceIds: [device.id] })
  const [grant] = await grantsOf(`orderId=${orderId}`)
  return { orderId, device, id: grant.id as number }
}
const grantOf = async (orderId: number) => (await grantsOf(`orderId=${orderId}`))[0]

test('AGENT-14 an adjustment changes remaining and total amount, adds a ledger line with the reason and is logged', async () => {
  const { orderId, device, id } = await soldGrant()
  await talk(device.id, TURNS, 30)
  await fold()
  expect(await adjust(id, INCREASE, 50)).toMatchObject({ code: 200, data: { left: 120, total: 150 } })
  expect(await adjust(id, DECREASE, 70, { reason: '录入错误' })).toMatchObject({
    code: 200,
    data: { left: 50, total: 80 },
  })
  expect(await grantOf(orderId)).toMatchObject({ total: 80, adjusted: -20, left: 50, spent: 30, state: 1 })
  const lines = await ledgerOf(`orderId=${orderId}&kind=5`)
  expect(lines).toMatchObject([
    { amount: 50, reason: '补偿故障' },
    { amount: -70, reason: '录入错误' },
  ])
  expect(await get(orderId)).toMatchObject({
    left: '50 / 80 轮',
    leftShare: 0.625,
    units: [{ total: 80, adjusted: -20, left: 50 }],
  })
  const page = await people.seller.call('GET', `/api/v1/agent/order/page?target=${device.sn}`)
  expect(page.data.list).toMatchObject([{ id: orderId, left: '50 / 80 轮', leftShare: 0.625 }])
  const { actions } = await lab.one<{ actions: string }>(sql`
    select string_agg(action, '|') as actions from oper_logs where biz_type = 'agentOrder' and biz_id = ${String(orderId)}`)
  expect(actions).toContain(`${device.sn} 第1份 对话轮数减少70（录入错误）`)
})

test('AGENT-14 an adjustment above the remaining amount, with a fraction of turns or without a reason is refused', async () => {
  const { id } = await soldGrant()
  for (const [amount, msg] of [
    [101, '最多减少100'],
    [1.5, '数量应为整数'],
    [0, '数量应大于0，最多两位小数'],
    [0.001, '数量应大于0，最多两位小数'],
  ] as const)
    expect(await adjust(id, DECREASE, amount)).toMatchObject({ code: 400, msg, data: { field: 'amount' } })
  expect(await adjust(id, INCREASE, 100_000_000_000)).toMatchObject({ code: 400, data: { field: 'amount' } })
  expect(await adjust(id, INCREASE, 1, { reason: ' ' })).toMatchObject({ code: 400, data: { field: 'reason' } })
  expect(await adjust(999_999, INCREASE, 1)).toMatchObject({ code: 400, msg: '权益不存在或已被删除' })
})

test('AGENT-14 a decrease by the displayed remaining minutes removes the whole rest', async () => {
  const { orderId, device, id } = await soldGrant({ allowances: [{ unit: MINUTES, amount: 10 }] })
  await talk(device.id, SECONDS, 90.5)
  await fold()
  expect((await grantOf(orderId)).left).toBe(8.49)
  expect(await adjust(id, DECREASE, 8.5)).toMatchObject({ code: 400, msg: '最多减少8.49' })
  expect(await adjust(id, DECREASE, 8.49)).toMatchObject({ code: 200, data: { left: 0 } })
  expect(await grantOf(orderId)).toMatchObject({ state: 2, left: 0, spent: 1.51 })
})

test.each([
  [5, 'announced with 5 % left'],
  [0, 'announced as used up'],
])(
  'AGENT-14 an increase reopens a used grant until its end, and warnings can be sent again (%i, %s)',
  async (warnedShare) => {
    const { orderId, device, id } = await soldGrant()
    await talk(device.id, TURNS, 100)
    await fold()
    await app.db.execute(sql`update agent_grants set warned_share = ${warnedShare} where id = ${id}`)
    const before = await grantOf(orderId)
    expect(before.state).toBe(2)
    expect((await adjust(id, INCREASE, 100)).code).toBe(200)
    expect(await grantOf(orderId)).toMatchObject({ state: 1, left: 100, validUntil: before.validUntil })
    const { warned } = await lab.one<{ warned: number | null }>(
      sql`select warned_share as warned from agent_grants where id = ${id}`,
    )
    expect(warned).toBeNull()
    await talk(device.id, TURNS, 3)
    await fold()
    expect(await grantOf(orderId)).toMatchObject({ left: 97, spent: 103 })
  },
)

test('AGENT-14 a grant that was decreased to zero before its pack began ends together with the pack', async () => {
  const terms = {
    allowances: [
      { unit: TURNS, amount: 100 },
      { unit: 4, amount: 10 },
    ],
  }
  const { orderId, device } = await soldGrant(terms)
  const byUnit = async (unit: number) => (await grantsOf(`orderId=${orderId}&unit=${unit}`))[0]
  const { id } = await byUnit(4)
  expect((await adjust(id, DECREASE, 10)).code).toBe(200)
  expect(await byUnit(4)).toMatchObject({ state: 2, total: 0, beginTime: null })
  await talk(device.id, TURNS, 1)
  await fold()
  expect((await adjust(id, INCREASE, 5)).code).toBe(200)
  const { beginTime, validUntil } = await byUnit(TURNS)
  expect(await byUnit(4)).toMatchObject({ state: 1, left: 5, beginTime, validUntil })
})

test('AGENT-13 a rejected refund extends used grants by the frozen time, and an adjustment reopens them until then', async () => {
  const allowances = [
    { unit: TURNS, amount: 2 },
    { unit: MINUTES, amount: 10 },
  ]
  const device = await newDevice()
  const { id } = await sold({
    packageId: (await newPackage({ allowances })).id,
    deviceIds: [device.id],
    copies: 3,
  })
  await talk(device.id, TURNS, 2)
  await fold()
  const read = async () =>
    (
      await app.db.execute<{
        id: number
        packNo: number
        unit: number
        state: number
        ends: number
        opens: number
      }>(sql`
        select id::int as id, pack_no as "packNo", unit, state, extract(epoch from valid_until)::float8 as ends,
          extract(epoch from activate_until)::float8 as opens from agent_grants where order_id = ${id} order by pack_no, unit`)
    ).rows
  // The turns of the second pack are removed before the pack begins.
  const [turns, , waiting] = await read()
  expect(await adjust(waiting!.id, DECREASE, 2)).toMatchObject({ code: 200 })
  expect((await read()).map(({ state }) => state)).toEqual([2, 1, 2, 0, 0, 0])
  const before = await read()
  const { rev } = await get(id)
  const asked = await put(people.seller, 'refund', { id, rev, reason: '误操作' })
  await app.db.execute(
    sql`update agent_order_refunds set create_time = now() - interval '20 days' where order_id = ${id}`,
  )
  const reject = { id, rev: asked.data.rev, pass: 0, auditRemark: '已使用' }
  expect(await put(people.accountant, 'refund/audit', reject)).toMatchObject({ code: 200 })
  const after = await read()
  const moved = after.map(({ ends, opens }, at) => [
    ends === null ? null : Math.round((ends - before[at]!.ends) / 86_400),
    Math.round((opens - before[at]!.opens) / 86_400),
  ])
  expect(moved).toEqual([[20, 0], [20, 0], ...Array(4).fill([null, 20])])
  // The end of the used turns, 30 days after the first use, would have passed without the given time.
  await app.db.execute(sql`update agent_grants set valid_until = valid_until - interval '45 days',
    begin_time = begin_time - interval '45 days' where order_id = ${id} and state < 3 and begin_time is not null`)
  expect(await adjust(turns!.id, INCREASE, 5)).toMatchObject({ code: 200, data: { left: 5 } })
})

test('AGENT-13 a rejected refund does not extend a used grant that had ended before the request', async () => {
  const { orderId, device, id } = await soldGrant({ allowances: [{ unit: TURNS, amount: 2 }] })
  await talk(device.id, TURNS, 2)
  await fold()
  await app.db.execute(sql`update agent_grants set valid_until = now() - interval '9 days' where id = ${id}`)
  await app.db.execute(sql`update agent_orders set state = 2 where id = ${orderId}`)
  await app.db.execute(sql`insert into agent_order_refunds (tenant_id, order_id, amount, reason, create_by, create_time)
    values (${people.tenantId}, ${orderId}, 1, '误操作', ${people.seller.uid}, now() - interval '3 days')`)
  const endOf = async () =>
    (await lab.one<{ ends: string }>(sql`select valid_until::text as ends from agent_grants where id = ${id}`)).ends
  const before = await endOf()
  const { rev } = await get(orderId)
  const reject = { id: orderId, rev, pass: 0, auditRemark: '已使用' }
  expect(await put(people.accountant, 'refund/audit', reject)).toMatchObject({ code: 200 })
  expect(await endOf()).toBe(before)
})

test('AGENT-14 adjustments of unlimited, frozen, refunded, lapsed and ended grants are refused', async () => {
  const unlimited = await soldGrant({ allowances: [{ unit: TURNS, amount: 0 }] })
  expect((await adjust(unlimited.id, INCREASE, 1)).msg).toBe('不限量的权益没有余量，不能调整')
  const refunded = await soldGrant()
  const asked = await put(people.seller, 'refund', { id: refunded.orderId, rev: 1, reason: '退货' })
  expect((await adjust(refunded.id, INCREASE, 1)).msg).toBe('订单退款中，只有已支付的订单可以调整余量')
  await put(people.accountant, 'refund/audit', { id: refunded.orderId, rev: asked.data.rev, pass: 1 })
  expect((await adjust(refunded.id, INCREASE, 1)).msg).toBe('订单已退款，只有已支付的订单可以调整余量')
  const device = await newDevice()
  const copies = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id], copies: 2 })
  await talk(device.id, TURNS, 1)
  await fold()
  const [first] = (await grantsOf(`orderId=${copies.id}`)).filter(({ packNo }: { packNo: number }) => packNo === 1)
  await closeDueGrants({ ...app.services, now: () => new Date(Date.now() + 31 * DAY_MS) })
  expect((await adjust(first.id, INCREASE, 1)).msg).toBe('权益已失效，不能调整')
  const ended = await soldGrant()
  await app.db.execute(sql`update agent_grants set activate_until = now() - interval '1 minute' where id = ${ended.id}`)
  expect((await adjust(ended.id, INCREASE, 1)).msg).toBe('权益已过期，不能调整')
})

test('AGENT-14 only platform staff adjust grants; an idempotency key adjusts once; parallel adjustments lose no change', async () => {
  const { orderId, id } = await soldGrant()
  expect((await adjust(id, INCREASE, 1, {}, people.tenant)).code).toBe(501)
  const stranger = await app.by({ permissions: ['agent:order:list', 'agent:order:query'] })
  expect((await adjust(id, INCREASE, 1, {}, stranger)).code).toBe(501)
  const payload = { id, direction: INCREASE, amount: 7, reason: '补偿' }
  const once = () =>
    people.seller.inject({
      method: 'PUT',
      url: '/api/v1/agent/order/grant/adjust',
      payload,
      headers: { 'idempotency-key': 'adjust-once' },
    })
  await once()
  await once()
  await Promise.all(Array.from({ length: 10 }, (_, n) => adjust(id, n % 2 === 0 ? INCREASE : DECREASE, n + 1)))
  expect(await grantOf(orderId)).toMatchObject({ total: 102, adjusted: 2, left: 102 })
})

test('AGENT-14 oms check reports a grant whose adjustments differ from its ledger', async () => {
  const { id } = await soldGrant()
  expect((await adjust(id, INCREASE, 5)).code).toBe(200)
  const tamper = (change: number) =>
    app.db.execute(sql`update agent_grants set adjusted = adjusted + ${change} where id = ${id}`)
  await tamper(1)
  expect(await lab.breaches()).toEqual([{ what: `套餐权益 ${id}` }])
  await tamper(-1)
})
