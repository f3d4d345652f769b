import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ORDER_URL, useOrders } from '#test/fixtures/order-fixture.ts'

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
async function incomes(query: string, range = `startDate=${today}&endDate=${today}`, who = people.seller) {
  return (await who.call('GET', `${ORDER_URL}/income/page?${range}&${query}`)).data
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

test('AGENT-15 income is the payments less the refunds; cost is assigned to the package of the device', async () => {
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
  expect(await incomes('by=2')).toMatchObject({
    total: 2,
    list: [
      { id: pack.id, name: pack.packageName, income: 1000, cost: 12.5, hasEstimates: true },
      { id: 0, name: '', income: 0, cost: 7.5 },
    ],
    sums: { income: 1000, cost: 20, hasEstimates: true },
  })
  expect(await incomes('by=1')).toMatchObject({ total: 1, list: [{ id: people.tenantId, cost: 20, income: 1000 }] })
  const used = await people.seller.call('GET', `/api/v1/agent/usage/day?startDate=${today}&endDate=${today}`)
  expect(used.data.total.cost).toBe(20)
  const asked = await put(people.seller, 'refund', { id, rev: (await get(id)).rev, reason: '退货' })
  await put(people.accountant, 'refund/audit', { id, rev: asked.data.rev, pass: 1, auditRemark: '' })
  expect(await get(id)).toMatchObject({ refunded: 500 })
  expect(await incomes(`by=2&packageId=${pack.id}`)).toMatchObject({ sums: { income: 500 } })
  await app.db.execute(sql`update agent_orders set pay_time = pay_time - interval '1 day' where id = ${id}`)
  expect(await incomes(`by=2&packageId=${pack.id}`)).toMatchObject({ sums: { income: -500 } })
  const gift = { tenantId: people.tenantId, packageId: pack.id, deviceIds: [device.id], remark: '补偿' }
  const given = (await people.seller.call('POST', `${ORDER_URL}/gift`, gift)).data
  await put(people.accountant, 'confirm', { id: given.id, rev: 0 })
  expect(await incomes(`by=2&packageId=${pack.id}`)).toMatchObject({ sums: { income: -500 } })
})

test('AGENT-15 income by day, agent and device equals the orders and the sums by tenant', async () => {
  const [agentId, other] = [await newAgent(people.tenantId), await newAgent(people.tenantId)]
  const [one, two] = [await newDevice(agentId), await newDevice(other)]
  const own = await newPackage({ price: 1000 })
  const { id } = await sold({ packageId: own.id, deviceIds: [one.id, two.id] })
  await app.db.execute(sql`update agent_orders set pay_time = pay_time - interval '1 day' where id = ${id}`)
  await sold({ packageId: own.id, deviceIds: [one.id] })
  const ofAgent = await newPackage({ scope: 2, price: 600 })
  await sold({ packageId: ofAgent.id, agentIds: [agentId] })
  await addCost(one.id, 9, agentId)
  const before = await dayBefore(1)
  const range = `startDate=${before}&endDate=${today}`
  const rowsBy = async (by: number, packageId: number) => {
    const { list } = await incomes(`by=${by}&packageId=${packageId}&pageSize=50`, range)
    return list.map(({ name, income }: { name: string; income: number }) => [name, income])
  }
  expect(await rowsBy(3, own.id)).toEqual([
    [today, 1000],
    [before, 2000],
  ])
  expect(await rowsBy(5, own.id)).toEqual([
    [one.sn, 2000],
    [two.sn, 1000],
  ])
  const names = async (id: number) =>
    (await lab.one<{ name: string }>(sql`select agent_name as name from agents where id = ${id}`)).name
  expect(await rowsBy(4, own.id)).toEqual([
    [await names(agentId), 2000],
    [await names(other), 1000],
  ])
  expect(await rowsBy(4, ofAgent.id)).toEqual([[await names(agentId), 600]])
  expect(await rowsBy(5, ofAgent.id)).toEqual([['', 600]])
  const sums = await Promise.all([1, 2, 3, 4, 5].map(async (by) => (await incomes(`by=${by}`, range)).sums))
  for (const each of sums) for (const key of ['income', 'cost'] as const) expect(each[key]).toBeCloseTo(sums[0][key], 6)
  const costs = (await incomes(`by=5&pageSize=50`, range)).list.find(({ id }: { id: number }) => id === one.id)
  expect(costs.cost).toBe(9)
  const file = await people.seller.inject({ method: 'GET', url: `${ORDER_URL}/income/export?${range}&by=3&format=csv` })
  expect(file.body.indexOf(before)).toBeLessThan(file.body.indexOf(today))
})

test('AGENT-14 the ledger is filtered by the day of the use', async () => {
  const [one, own] = [await newDevice(), await newPackage({ price: 1000 })]
  await sold({ packageId: own.id, deviceIds: [one.id] })
  await addYesterday(own.id, one.id, 10)
  const before = await dayBefore(1)
  const ledger = await people.seller.call(
    'GET',
    `${ORDER_URL}/ledger/page?kind=2&deviceId=${one.id}&startDate=${before}&endDate=${before}`,
  )
  expect(ledger.data.list).toMatchObject([{ amount: -10, day: before }])
})

test('AGENT-15 income and cost can be exported, and tenants cannot read them', async () => {
  const range = `startDate=${today}&endDate=${today}`
  const file = await people.seller.inject({ method: 'GET', url: `${ORDER_URL}/income/export?${range}&by=1&format=csv` })
  const [titles, ...lines] = file.body
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(titles).toEqual([expect.stringContaining('客户'), '收入（元）', '成本（元）', '成本含估算'])
  const { list } = await incomes('by=1&pageSize=50', range)
  const yuan = (fen: number) => Number((fen / 100).toFixed(4))
  for (const { name, income, cost } of list) {
    const amounts = lines
      .find(([title]) => title === name)
      ?.slice(1, 3)
      .map(Number)
    expect(amounts, name).toEqual([income, cost].map(yuan))
  }
  expect((await people.tenant.call('GET', `${ORDER_URL}/income/page?${range}`)).code).toBe(501)
})
