import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ORDER_URL, useOrders } from './order-fixture.ts'

const lab = useOrders()
const { app, people, newAgent, newDevice, newPackage, put, get, sold, talk, fold } = lab
const TURNS = 2
let today = ''

afterAll(() => lab.assertSound())
beforeAll(async () => {
  today = (await lab.one<{ day: string }>(sql`select current_date::text as day`)).day
})

const dayBefore = async (days: number) =>
  (await lab.one<{ day: string }>(sql`select (current_date - ${days}::int)::text as day`)).day
async function margins(query: string, range = `startDate=${today}&endDate=${today}`, who = people.seller) {
  return (await who.call('GET', `${ORDER_URL}/margin/page?${range}&${query}`)).data
}
/** Spends turns of a device yesterday, as if the package had been sold two days ago. */
async function addYesterday(packageId: number, deviceId: number, turns: number) {
  await app.db.execute(sql`update agent_grants g set create_time = g.create_time - interval '2 days' from agent_orders o
    where o.id = g.order_id and o.package_id = ${packageId} and g.target_id = ${deviceId}`)
  const { at } = await lab.one<{ at: string }>(
    sql`select (current_date - interval '12 hours')::timestamptz::text as at`,
  )
  await talk(deviceId, TURNS, turns, new Date(at))
  await fold()
}
const addCost = (deviceId: number, cost: number, agentId = people.agentId) =>
  app.db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost)
    values (current_date, ${people.tenantId}, ${agentId}, ${deviceId}, 0, ${deviceId > 0 ? 1 : 2}, 6, 1, 1000, ${cost})`)

test('AGENT-15 income follows the usage, and cost is assigned to the package of the device', async () => {
  const allowances = [
    { unit: 2, amount: 100 },
    { unit: 4, amount: 1000 },
  ]
  const [device, pack] = [await newDevice(), await newPackage({ price: 1000, allowances })]
  const { id } = await sold({ packageId: pack.id, deviceIds: [device.id] })
  await talk(device.id, 2, 50)
  await talk(device.id, 4, 100)
  await fold()
  await addCost(device.id, 12.5)
  await addCost(0, 7.5)
  const row = { received: 1000, income: 300, cost: 12.5, margin: 287, hasEstimates: true }
  expect(await margins('by=2')).toMatchObject({
    total: 2,
    list: [
      { id: pack.id, name: pack.packageName, ...row },
      { id: 0, name: '', received: 0, income: 0, cost: 7.5, margin: -8 },
    ],
    sums: { received: 1000, income: 300, cost: 20, margin: 280, hasEstimates: true },
  })
  expect(await margins('by=1')).toMatchObject({ total: 1, list: [{ id: people.tenantId, cost: 20, income: 300 }] })
  const used = await people.seller.call('GET', `/api/v1/agent/usage/day?startDate=${today}&endDate=${today}`)
  expect(used.data.total.cost).toBe(20)
  const asked = await put(people.seller, 'refund', { id, rev: (await get(id)).rev, reason: '退货' })
  await put(people.accountant, 'refund/audit', { id, rev: asked.data.rev, pass: 1, auditRemark: '' })
  expect(await get(id)).toMatchObject({ refunded: 500 })
  expect(await margins(`by=2&packageId=${pack.id}`)).toMatchObject({ sums: { received: 500, income: 500 } })
})

test('AGENT-15 income of an unlimited package is spread over its validity; a gift earns no income', async () => {
  const unlimited = { price: 3000, allowances: [{ unit: 5, amount: 0 }] }
  const [device, pack] = [await newDevice(), await newPackage(unlimited)]
  const { id } = await sold({ packageId: pack.id, deviceIds: [device.id] })
  await app.db.execute(sql`update agent_grants set state = 1, begin_time = current_date - 10, valid_until = current_date + 20
    where order_id = ${id}`)
  const [begin, yesterday] = [await dayBefore(10), await dayBefore(1)]
  const earned = await margins(`by=2&packageId=${pack.id}`, `startDate=${begin}&endDate=${yesterday}`)
  expect(earned.sums).toMatchObject({ received: 0, income: 1000 })
  const oneDay = await margins(`by=2&packageId=${pack.id}`, `startDate=${yesterday}&endDate=${yesterday}`)
  expect(oneDay.sums.income).toBe(100)
  const gift = { tenantId: people.tenantId, packageId: pack.id, deviceIds: [device.id], remark: '补偿' }
  const given = (await people.seller.call('POST', `${ORDER_URL}/gift`, gift)).data
  await put(people.accountant, 'confirm', { id: given.id, rev: 0 })
  expect((await margins(`by=2&packageId=${pack.id}`)).sums).toMatchObject({ received: 3000, income: 100 })
})

test('AGENT-15 the lapsed amount becomes income on the day it lapses, so that the whole order amount is income', async () => {
  const [device, pack] = [await newDevice(), await newPackage({ price: 700 })]
  const { id } = await sold({ packageId: pack.id, deviceIds: [device.id] })
  await talk(device.id, 2, 30)
  await fold()
  await app.db.execute(sql`
    with gone as (update agent_grants set state = 3, lapsed = remaining, remaining = 0 where order_id = ${id} returning *)
    insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day)
    select tenant_id, id, order_id, 3, lapsed, current_date from gone`)
  expect((await margins(`by=1&packageId=${pack.id}`)).sums).toMatchObject({ received: 700, income: 700 })
})

test('AGENT-15 income by day, agent and device equals the ledger, the orders and the sums by tenant', async () => {
  const [agentId, other] = [await newAgent(people.tenantId), await newAgent(people.tenantId)]
  const [one, two, shared] = [await newDevice(agentId), await newDevice(other), await newDevice(agentId)]
  const own = await newPackage({ price: 1000 })
  await sold({ packageId: own.id, deviceIds: [one.id, two.id] })
  const ofAgent = await newPackage({ scope: 2, price: 600 })
  await sold({ packageId: ofAgent.id, agentIds: [agentId] })
  await addYesterday(own.id, one.id, 10)
  for (const [device, turns] of [
    [one, 20],
    [two, 50],
    [shared, 10],
  ] as const)
    await talk(device.id, TURNS, turns)
  await fold()
  await addCost(one.id, 9, agentId)
  const before = await dayBefore(1)
  const range = `startDate=${before}&endDate=${today}`
  const rowsBy = async (by: number, packageId: number) => {
    const { list } = await margins(`by=${by}&packageId=${packageId}&pageSize=50`, range)
    return list.map(({ name, received, income }: { name: string; received: number; income: number }) => [
      name,
      Math.round(received),
      Math.round(income),
    ])
  }
  expect(await rowsBy(3, own.id)).toEqual([
    [today, 2000, 700],
    [before, 0, 100],
  ])
  expect(await rowsBy(5, own.id)).toEqual([
    [two.sn, 1000, 500],
    [one.sn, 1000, 300],
  ])
  const names = async (id: number) =>
    (await lab.one<{ name: string }>(sql`select agent_name as name from agents where id = ${id}`)).name
  expect(await rowsBy(4, own.id)).toEqual([
    [await names(other), 1000, 500],
    [await names(agentId), 1000, 300],
  ])
  expect(await rowsBy(4, ofAgent.id)).toEqual([[await names(agentId), 600, 60]])
  expect(await rowsBy(5, ofAgent.id)).toEqual([['', 600, 60]])
  const sums = await Promise.all([1, 2, 3, 4, 5].map(async (by) => (await margins(`by=${by}`, range)).sums))
  for (const each of sums)
    for (const key of ['received', 'income', 'cost', 'margin'] as const) expect(each[key]).toBeCloseTo(sums[0][key], 6)
  const costs = (await margins(`by=5&pageSize=50`, range)).list.find(({ id }: { id: number }) => id === one.id)
  expect(costs.cost).toBe(9)
  const ledger = await people.seller.call(
    'GET',
    `${ORDER_URL}/ledger/page?kind=2&deviceId=${one.id}&startDate=${before}&endDate=${before}`,
  )
  expect(ledger.data.list).toMatchObject([{ amount: -10, day: before }])
  const file = await people.seller.inject({ method: 'GET', url: `${ORDER_URL}/margin/export?${range}&by=3&format=csv` })
  expect(file.body.indexOf(before)).toBeLessThan(file.body.indexOf(today))
})

test('AGENT-15 daily income of an unlimited package is proportional to the part of the day in its validity', async () => {
  const pack = await newPackage({ price: 3000, allowances: [{ unit: 5, amount: 0 }] })
  const { id } = await sold({ packageId: pack.id, deviceIds: [(await newDevice()).id] })
  await app.db.execute(sql`update agent_grants set state = 1, begin_time = current_date - interval '36 hours',
    valid_until = current_date - interval '36 hours' + interval '30 days' where order_id = ${id}`)
  const [first, last] = [await dayBefore(3), await dayBefore(1)]
  const { list } = await margins(
    `by=3&packageId=${pack.id}&orderByColumn=id&isAsc=asc`,
    `startDate=${first}&endDate=${last}`,
  )
  expect(list).toMatchObject([
    { name: await dayBefore(2), income: 50 },
    { name: last, income: 100 },
  ])
})

test('AGENT-15 an adjustment changes neither the total income of an order nor the income of earlier days', async () => {
  const [device, pack] = [await newDevice(), await newPackage({ price: 1000 })]
  const { id } = await sold({ packageId: pack.id, deviceIds: [device.id] })
  await addYesterday(pack.id, device.id, 20)
  const before = await dayBefore(1)
  const income = async (from: string, to: string) =>
    (await margins(`by=1&packageId=${pack.id}`, `startDate=${from}&endDate=${to}`)).sums.income
  const [grant] = await lab.grantsOf(`orderId=${id}`)
  const adjust = (direction: number, amount: number) =>
    put(people.seller, 'grant/adjust', { id: grant.id, direction, amount, reason: '更正' })
  expect((await adjust(1, 50)).code).toBe(200)
  expect([await income(before, before), await income(today, today)]).toEqual([200, 0])
  await talk(device.id, TURNS, 100)
  await fold()
  expect([await income(before, before), await income(today, today)]).toEqual([200, 800])
  expect((await adjust(2, 30)).code).toBe(200)
  expect([await income(before, before), await income(today, today)]).toEqual([200, 800])
})

test('AGENT-15 an amount that an adjustment removes becomes income on the day of the adjustment', async () => {
  const [device, pack] = [await newDevice(), await newPackage({ price: 1000 })]
  const { id } = await sold({ packageId: pack.id, deviceIds: [device.id] })
  const [grant] = await lab.grantsOf(`orderId=${id}`)
  await put(people.seller, 'grant/adjust', { id: grant.id, direction: 2, amount: 40, reason: '更正' })
  expect((await margins(`by=1&packageId=${pack.id}`)).sums).toMatchObject({ received: 1000, income: 400 })
  await talk(device.id, TURNS, 30)
  await fold()
  expect((await margins(`by=5&packageId=${pack.id}`)).list).toMatchObject([{ name: device.sn, income: 700 }])
  const asked = await put(people.seller, 'refund', { id, rev: (await get(id)).rev, reason: '退货' })
  await put(people.accountant, 'refund/audit', { id, rev: asked.data.rev, pass: 1 })
  expect(await get(id)).toMatchObject({ refunded: 300 })
  expect((await margins(`by=5&packageId=${pack.id}`)).list).toMatchObject([{ received: 700, income: 700 }])
})

test('AGENT-15 margins can be exported, and tenants cannot read them', async () => {
  const range = `startDate=${today}&endDate=${today}`
  const file = await people.seller.inject({ method: 'GET', url: `${ORDER_URL}/margin/export?${range}&by=1&format=csv` })
  const [titles, ...lines] = file.body
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(titles).toEqual([
    expect.stringContaining('客户'),
    '收款净额（元）',
    '收入（元）',
    '成本（元）',
    '毛利（元）',
    '毛利率（%）',
    '成本含估算',
  ])
  const { list } = await margins('by=1&pageSize=50', range)
  const yuan = (fen: number) => Number((fen / 100).toFixed(4))
  for (const { name, received, income, cost, margin } of list) {
    const amounts = lines
      .find(([title]) => title === name)
      ?.slice(1, 5)
      .map(Number)
    expect(amounts, name).toEqual([received, income, cost, margin].map(yuan))
  }
  expect(lines.find(([title]) => title === '订购公司')?.[5]).toMatch(/^-?\d+\.\d\d$/)
  expect((await people.tenant.call('GET', `${ORDER_URL}/margin/page?${range}`)).code).toBe(501)
})
