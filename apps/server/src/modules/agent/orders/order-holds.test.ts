import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { closeDueGrants } from './grant-clock.ts'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const lab = useOrders()
const { app, people, confirm, fold, get, grantsOf, newAgent, newDevice, newPackage, place, put, sold, talk } = lab
const TURNS = 2
const YEAR_MS = 365 * 86_400_000

afterEach(() => lab.assertSound())

const unbind = (id: number) => app.db.execute(sql`delete from agent_devices where device_id = ${id}`)
const transfer = (id: number, tenantId: number) =>
  people.seller.call('POST', '/api/v1/device/info/transfer', { ids: [id], tenantId })
const removeDevice = (id: number) => people.seller.call('DELETE', `/api/v1/device/info?ids=${id}`)
const agentName = async (id: number) =>
  (await lab.one<{ name: string }>(sql`select agent_name as name from agents where id = ${id}`)).name
const removeAgent = async (id: number) =>
  people.seller.call('DELETE', `/api/v1/agent/list/${id}?agentName=${encodeURIComponent(await agentName(id))}`)
const newTenant = async (name: string) => {
  const { uid } = await app.by({ tenant: name })
  return (await lab.one<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)).id
}
const chooseTransfer = async (value: string) => {
  await app.db.execute(sql`insert into agent_params (tenant_id, code, value) values (1, 'order.device_transfer', ${value})
    on conflict (tenant_id, code) do update set value = excluded.value`)
  app.services.agentParameters.forget()
}

describe('AGENT-13 targets that left the tenant before the confirmation', () => {
  test('AGENT-13 an order with a transferred or deleted device cannot be confirmed; the message names the devices', async () => {
    const [kept, moved, gone] = [await newDevice(), await newDevice(), await newDevice()]
    const { id } = await place({ packageId: (await newPackage()).id, deviceIds: [kept.id, moved.id, gone.id] })
    const other = await newTenant('转入公司')
    await unbind(moved.id)
    expect((await transfer(moved.id, other)).data).toMatchObject({ done: 1 })
    await app.db.execute(sql`update devices set deleted_at = now() where id = ${gone.id}`)
    const { code, msg } = await confirm(id)
    expect([code, msg]).toEqual([400, `设备「${moved.sn}」「${gone.sn}」已删除或已转移给其他客户，请编辑或关闭订单`])
    expect(await get(id)).toMatchObject({ state: 0, voucherNo: '' })
    expect(await grantsOf(`orderId=${id}`)).toEqual([])
  })

  test('AGENT-13 an order of a deleted agent cannot be confirmed', async () => {
    const agent = await newAgent(people.tenantId)
    const { id } = await place({ packageId: (await newPackage({ scope: 2 })).id, agentIds: [agent] })
    await app.db.execute(sql`update agents set deleted_at = now() where id = ${agent}`)
    expect((await confirm(id)).msg).toBe(`智能体「${await agentName(agent)}」已删除，请编辑或关闭订单`)
  })

  test('AGENT-13 an order of a device that was unbound can still be confirmed', async () => {
    const device = await newDevice()
    const { id } = await place({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    await unbind(device.id)
    expect((await confirm(id)).code).toBe(200)
  })

  test('AGENT-14 usage of one tenant is never charged to a grant of another tenant', async () => {
    const device = await newDevice()
    const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    const other = await newTenant('别家公司')
    await app.db.execute(sql`
      insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
      values (current_date, ${other}, 1, ${device.id}, 0, 1, ${TURNS}, 9)`)
    await fold()
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ state: 0, spent: 0 }])
    await talk(device.id, TURNS, 4)
    await fold()
    expect(await grantsOf(`orderId=${id}`)).toMatchObject([{ state: 1, spent: 4 }])
  })
})

describe('AGENT-13 effects of pending orders and paid grants on their targets', () => {
  test('AGENT-13 a pending order blocks deleting its device; order.device_transfer 1 also blocks transferring it', async () => {
    const device = await newDevice()
    const { id } = await place({ packageId: (await newPackage()).id, deviceIds: [device.id] })
    await unbind(device.id)
    const other = await newTenant('接手公司')
    expect((await removeDevice(device.id)).msg).toContain('1个待确认的智能体订单')
    await chooseTransfer('1')
    expect((await transfer(device.id, other)).msg).toContain('待确认的订单，不能转移')
    const close = { id, rev: (await get(id)).rev, reason: '不买了' }
    expect((await put(people.seller, 'close', close)).code).toBe(200)
    expect((await transfer(device.id, other)).data).toMatchObject({ done: 1 })
    await chooseTransfer('0')
    expect((await removeDevice(device.id)).code).toBe(200)
  })

  test('AGENT-13 an agent with open packs or pending orders cannot be deleted', async () => {
    const agent = await newAgent(people.tenantId)
    const packageId = (await newPackage({ scope: 2 })).id
    await sold({ packageId, agentIds: [agent], copies: 2 })
    const { id } = await place({ packageId, agentIds: [agent] })
    expect((await removeAgent(agent)).msg).toBe('智能体还有2份未用完的套餐、1个待确认的订单，不能删除')
    await put(people.seller, 'close', { id, rev: (await get(id)).rev, reason: '不买了' })
    await closeDueGrants({ ...app.services, now: () => new Date(Date.now() + YEAR_MS) })
    expect((await removeAgent(agent)).code).toBe(200)
  })

  test('AGENT-13 a tenant with open grants or orders cannot be deleted', async () => {
    const tenantId = await newTenant('退场公司')
    await app.db.execute(sql`delete from accounts where tenant_id = ${tenantId}`)
    const packageId = (await newPackage({ scope: 3 })).id
    await sold({ tenantId, packageId })
    const { id } = await place({ tenantId, packageId })
    const remove = () => people.seller.call('DELETE', `/api/v1/tenant/${tenantId}`)
    expect((await remove()).msg).toBe('客户还有1项未用完的智能体套餐权益、1个未完成的智能体订单，不能删除')
    await put(people.seller, 'close', { id, rev: (await get(id)).rev, reason: '不买了' })
    await closeDueGrants({ ...app.services, now: () => new Date(Date.now() + YEAR_MS) })
    expect((await remove()).code).toBe(200)
  })
})
