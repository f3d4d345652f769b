import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { mergeUsage } from '../usage/usage-merge.ts'
import { closeDueGrants } from './grant-clock.ts'
import { ORDER_URL, useOrders } from '#test/fixtures/order-fixture.ts'

const DAY_MS = 86_400_000
const [SESSIONS, TURNS, CHARACTERS, SECONDS, TOKENS_IN, TOKENS_OUT] = [1, 2, 4, 5, 6, 7] as const

const lab = useOrders()
const { app, people, get, newAgent, newDevice, newPackage, place, put, sold, talk, fold, grantsOf, ledgerOf } = lab

afterEach(() => lab.assertSound())

const clockAt = (days: number) => closeDueGrants({ ...app.services, now: () => new Date(Date.now() + days * DAY_MS) })

describe('AGENT-14 charging of measured usage to grants', () => {
  test('AGENT-14 device days, turns, minutes, characters and tokens are charged from the measured usage', async () => {
    const device = await newDevice()
    const allowances = [1, 2, 3, 4, 5].map((unit) => ({ unit, amount: 1000 }))
    const { id } = await sold({ packageId: (await newPackage({ allowances })).id, deviceIds: [device.id] })
    await talk(device.id, SESSIONS, 1)
    await talk(device.id, TURNS, 4)
    await talk(device.id, CHARACTERS, 52)
    await talk(device.id, SECONDS, 90.5)
    await talk(device.id, TOKENS_IN, 300)
    await fold()
    await talk(device.id, TURNS, 1)
    await talk(device.id, TOKENS_OUT, 20)
    await fold()
    const spent = (await grantsOf(`orderId=${id}`)).map((row: { unit: number; spent: number }) => [row.unit, row.spent])
    expect(Object.fromEntries(spent)).toEqual({ 1: 1, 2: 5, 3: 1.51, 4: 52, 5: 320 })
    const lines = await ledgerOf(`orderId=${id}&kind=2&unit=2`)
    expect(lines).toMatchObject([{ amount: -5, unit: 2, operName: '系统' }])
    await talk(device.id, SESSIONS, 1, new Date(Date.now() + DAY_MS))
    await fold()
    expect((await grantsOf(`orderId=${id}&unit=1`))[0]).toMatchObject({ spent: 2, left: 998 })
  })

  test('AGENT-14 the exports of grants and ledger contain the rows of the lists within the data scope', async () => {
    const device = await newDevice()
    const packageId = (await newPackage({ allowances: [{ unit: 3, amount: 1000 }] })).id
    const { id, orderNo } = await sold({ packageId, deviceIds: [device.id] })
    await talk(device.id, SECONDS, 90.5)
    await fold()
    const fileOf = async (call: string, who = people.seller) => {
      const url = `${ORDER_URL}/${call}/export?format=csv&unit=3&orderId=${id}`
      return (await who.inject({ method: 'GET', url })).body.trim().split(/\r?\n/).slice(1)
    }
    const grants = await fileOf('grant')
    expect(grants).toHaveLength(1)
    expect(grants[0]).toContain(`${orderNo},订购公司,`)
    expect(grants[0]).toContain(`,${device.sn},1,语音分钟,否,1000,998.49,1.51,0,0,使用中,否,`)
    const lines = await fileOf('ledger')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(`,${device.sn},1,语音分钟,使用,-1.51,`)
    expect(lines[1]).toContain(`,${device.sn},1,语音分钟,发放,1000,`)
    const other = await app.by({ tenant: '旁观公司', permissions: ['agent:order:export'] })
    expect([await fileOf('grant', other), await fileOf('ledger', other)]).toEqual([[], []])
  })

  test('AGENT-14 usage before the payment, of try-outs and of other devices is not charged to a grant', async () => {
    const [device, other] = [await newDevice(), await newDevice()]
    await talk(device.id, TURNS, 7)
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    await talk(other.id, TURNS, 7)
    await app.db.execute(sql`
      insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
      values (current_date, ${people.tenantId}, ${people.agentId}, ${device.id}, 0, 2, 2, 7)`)
    await fold()
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ state: 0, spent: 0, beginTime: null }])
    await talk(device.id, TURNS, 7)
    await fold()
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ state: 1, spent: 7, beginTime: expect.any(String) }])
  })

  test('AGENT-14 devices share grants of their agent and tenant; a device lists all grants that it may use', async () => {
    const owner = await app.by({ tenant: '共享公司' })
    const { id: tenantId } = await lab.one<{ id: number }>(
      sql`select tenant_id as id from accounts where uid = ${owner.uid}`,
    )
    const agent = await newAgent(tenantId)
    const [one, two] = [await newDevice(agent, tenantId), await newDevice(agent, tenantId)]
    const agents = await sold({ tenantId, packageId: (await newPackage({ scope: 2 })).id, agentIds: [agent] })
    await talk(one.id, TURNS, 30)
    await talk(two.id, TURNS, 30)
    await fold()
    expect(await grantsOf(`orderId=${agents.id}`)).toMatchObject([{ scope: 2, spent: 60 }])
    const all = await sold({ tenantId, packageId: (await newPackage({ scope: 3 })).id })
    await talk(two.id, TURNS, 50)
    await fold()
    expect(await grantsOf(`orderId=${all.id}`)).toMatchObject([{ scope: 3, spent: 10, targetName: '共享公司' }])
    const mine = await grantsOf(`deviceId=${one.id}`)
    expect(mine.map(({ orderId }: { orderId: number }) => orderId)).toEqual([all.id, agents.id])
  })

  test('AGENT-14 simultaneous merges in small batches charge exactly the recorded usage', async () => {
    const device = await newDevice(await newAgent(1), 1)
    const goods = { tenantId: 1, packageId: (await newPackage()).id, deviceIds: [device.id], copies: 3 }
    const { id } = await sold(goods)
    for (let n = 0; n < 60; n += 1) await talk(device.id, TURNS, 2)
    await Promise.all([3, 5, 7].map((atOnce) => mergeUsage(app.db, { atOnce })))
    const rows = await grantsOf(`orderId=${id}`)
    const spent = rows.map((row: { packNo: number; spent: number; state: number }) => [
      row.packNo,
      row.spent,
      row.state,
    ])
    expect(spent.toSorted()).toEqual([
      [1, 100, 2],
      [2, 20, 1],
      [3, 0, 0],
    ])
  })

  test('AGENT-14 a merge that fails after charging is rolled back, and the next merge charges the usage once', async () => {
    const device = await newDevice()
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    await talk(device.id, TURNS, 9)
    await app.db.execute(
      sql`create function fail_once() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`,
    )
    await app.db.execute(
      sql`create trigger fail_once before insert on agent_ledger for each row when (new.kind = 2) execute function fail_once()`,
    )
    await expect(fold()).rejects.toThrow()
    await app.db.execute(sql`drop trigger fail_once on agent_ledger`)
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ spent: 0, state: 0 }])
    await fold()
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ spent: 9 }])
  })
})

describe('AGENT-14 the job agent-grant-clock', () => {
  test('AGENT-14 unused amounts lapse and the order finishes; an unused pack lapses after its activation window', async () => {
    const device = await newDevice()
    const { id } = await sold({
      packageId: (await newPackage({ activateDays: 40 })).id,
      deviceIds: [device.id],
      copies: 2,
    })
    await talk(device.id, TURNS, 60)
    await fold()
    await clockAt(29)
    expect((await get(id)).units).toMatchObject([{ left: 140, spent: 60, lapsed: 0 }])
    await clockAt(31)
    expect((await get(id)).units).toMatchObject([{ left: 100, spent: 60, lapsed: 40 }])
    expect(await get(id)).toMatchObject({ state: 1 })
    await clockAt(71)
    expect(await get(id)).toMatchObject({ state: 5, units: [{ left: 0, spent: 60, lapsed: 140 }] })
    const reasons = (await ledgerOf(`orderId=${id}&kind=3`)).map(({ reason }: { reason: string }) => reason)
    expect(reasons).toEqual(['有效期已过', '未在激活期限内使用'])
    expect(await put(people.seller, 'refund', { id, rev: (await get(id)).rev, reason: '退' })).toMatchObject({
      msg: '订单已完成，只有已支付的订单可以退款',
    })
  })

  test('AGENT-13 an order that nobody confirms is closed after seven days', async () => {
    const { id } = await place({ packageId: (await newPackage()).id, deviceIds: [(await newDevice()).id] })
    await clockAt(6.9)
    expect((await get(id)).state).toBe(0)
    await clockAt(7.1)
    expect(await get(id)).toMatchObject({ state: 4, closeReason: '7 天内未确认，自动关闭' })
  })
})

describe('AGENT-13 transfer of a device to another tenant', () => {
  test('AGENT-13 a transferred device keeps its grants; with order.device_transfer 1 the transfer is refused', async () => {
    const device = await newDevice()
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    await talk(device.id, TURNS, 40)
    await fold()
    const stranger = await app.by({ tenant: '接收公司', permissions: ['agent:order:query'] })
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '接收公司'`)
    await app.db.execute(sql`delete from agent_devices where device_id = ${device.id}`)
    const transfer = () =>
      people.seller.call('POST', '/api/v1/device/info/transfer', { ids: [device.id], tenantId: rows[0]!.id })
    const choose = async (value: string) => {
      await app.db.execute(sql`insert into agent_params (tenant_id, code, value) values (1, 'order.device_transfer', ${value})
        on conflict (tenant_id, code) do update set value = excluded.value`)
      app.services.agentParameters.forget()
    }
    await choose('1')
    expect((await transfer()).msg).toContain('设备有未用完的智能体套餐或待确认的订单，不能转移')
    await choose('0')
    const limited = await app.by({ permissions: ['agent:order:query'], dataScope: 3, scopeIds: [people.tenantId] })
    expect(await get(id, limited)).toMatchObject({ state: 1 })
    expect((await transfer()).data).toMatchObject({ done: 1, failed: [] })
    expect(await get(id, limited)).toBeNull()
    expect(await grantsOf(`deviceId=${device.id}`, stranger)).toMatchObject([{ left: 60, orderNo: '' }])
    expect(await grantsOf(`orderId=${id}`, people.tenant)).toEqual([])
    const kept = { left: '60 / 100 轮', leftShare: 0.6 }
    expect(await get(id, people.tenant)).toMatchObject({ ...kept, units: [{ left: 60, spent: 40 }], proposal: 540 })
    const { data } = await people.tenant.call('GET', `${ORDER_URL}/page?pageSize=50`)
    expect(data.list.find((row: { id: number }) => row.id === id)).toMatchObject(kept)
  })
})

test('AGENT-14 the database refuses changes of the ledger except an increase of the line of a day', async () => {
  const device = await newDevice()
  const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
  await talk(device.id, TURNS, 5)
  await fold()
  for (const change of [
    sql`update agent_ledger set amount = amount + 1 where order_id = ${id} and kind = 1`,
    sql`update agent_ledger set amount = amount - 1 where order_id = ${id} and kind = 2`,
    sql`update agent_ledger set reason = 'x' where order_id = ${id}`,
    sql`delete from agent_ledger where order_id = ${id}`,
  ])
    await expect(app.db.execute(change)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('append-only') },
    })
  await expect(
    app.db.execute(sql`update agent_grants set remaining = remaining - 1 where order_id = ${id}`),
  ).rejects.toThrow()
})
