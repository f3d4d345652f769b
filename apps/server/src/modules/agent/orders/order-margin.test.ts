import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ORDER_URL, useOrders } from './order-fixture.ts'

const lab = useOrders()
const { app, people, newDevice, newPackage, put, get, sold, talk, fold } = lab
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
const addCost = (deviceId: number, cost: number) =>
  app.db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost)
    values (current_date, ${people.tenantId}, ${people.agentId}, ${deviceId}, 0, ${deviceId > 0 ? 1 : 2}, 6, 1, 1000, ${cost})`)

test('AGENT-15 income follows the use, and cost belongs to the package of the device', async () => {
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
  const row = { received: 1000, income: 300, cost: 12.5, margin: 287.5, hasEstimates: true }
  expect(await margins('by=2')).toMatchObject({
    total: 2,
    list: [
      { id: pack.id, name: pack.packageName, ...row },
      { id: 0, name: '', received: 0, income: 0, cost: 7.5, margin: -7.5 },
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

test('AGENT-15 income of an unlimited package is spread over its validity; a gift has none', async () => {
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

test('AGENT-15 a lapsed rest becomes income on its day, finally the whole amount of the order', async () => {
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

test('AGENT-15 margins are exported, and tenants get none', async () => {
  const range = `startDate=${today}&endDate=${today}`
  const file = await people.seller.inject({ method: 'GET', url: `${ORDER_URL}/margin/export?${range}&by=1&format=csv` })
  expect(file.body).toContain('毛利')
  expect(file.body).toContain('订购公司')
  expect((await people.tenant.call('GET', `${ORDER_URL}/margin/page?${range}`)).code).toBe(501)
})
