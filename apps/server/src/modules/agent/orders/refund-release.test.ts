import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const [TURNS, MINUTES] = [2, 3] as const

const lab = useOrders()
const { app, people, get, newDevice, newPackage, put, sold, talk, fold, grantsOf } = lab

afterEach(() => lab.assertSound())

/** Sells a package to a new device and returns its first grant. */
async function soldGrant(terms: object = {}) {
  const device = await newDevice()
  const { id: orderId } = await sold({ packageId: (await newPackage(terms)).id, deviceIds: [device.id] })
  const [grant] = await grantsOf(`orderId=${orderId}`)
  return { orderId, device, id: grant.id as number }
}

test('AGENT-13 a rejected refund extends used grants by the frozen time', async () => {
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
  expect((await read()).map(({ state }) => state)).toEqual([2, 1, 0, 0, 0, 0])
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
