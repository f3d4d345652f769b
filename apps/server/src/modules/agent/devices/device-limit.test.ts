import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Caller } from '#test/harness.ts'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const TURNS = 2
const CHARACTERS = 4
const NOTICE = '套餐用完啦'

const lab = useOrders()
const { app, people, newAgent, newDevice, newPackage, put, sold, talk, fold } = lab
let staff: Caller
let keeper: Caller

beforeAll(async () => {
  staff = await app.by({ tenant: '订购公司', permissions: ['agent:device:list', 'agent:device:query'] })
  keeper = await app.by({ permissions: ['agent:params:list', 'agent:params:edit'] })
})
beforeEach(async () => {
  await app.db.execute(sql`delete from agent_params`)
  app.services.agentParameters.forget()
})

const setParam = async (code: string, value: string) => {
  const { code: answer, msg } = await keeper.call('PUT', '/api/v1/agent/params', { code, value, rev: 0 })
  expect(answer, msg).toBe(200)
}
const limitTo = async (mode: string) => {
  await app.db.execute(sql`delete from agent_params where code = 'usage.limit'`)
  app.services.agentParameters.forget()
  await setParam('usage.limit', mode)
}
const rowOf = async (id: number) =>
  (await staff.call('GET', `/api/v1/agent/device/page?deviceId=${id}`)).data.list[0] as { limit: number; mac: string }
const diagnosisOf = async (mac: string) => (await staff.call('GET', `/api/v1/agent/device/diagnosis?mac=${mac}`)).data
const keysOf = (steps: readonly { key: string }[]) => steps.map(({ key }) => key)

test('AGENT-16 the device list marks devices at their usage limit, except when usage.limit only counts', async () => {
  const [bare, owner] = [await newDevice(), await newDevice()]
  await sold({ packageId: (await newPackage()).id, deviceIds: [owner.id] })
  expect((await rowOf(bare.id)).limit).toBe(0)
  await limitTo('1')
  expect([(await rowOf(bare.id)).limit, (await rowOf(owner.id)).limit]).toEqual([1, 0])
  await limitTo('2')
  expect([(await rowOf(bare.id)).limit, (await rowOf(owner.id)).limit]).toEqual([2, 0])
  await talk(owner.id, TURNS, 100)
  await fold()
  expect((await rowOf(owner.id)).limit).toBe(2)
  const detail = await staff.call('GET', `/api/v1/agent/device/detail/${owner.id}`)
  expect(detail.data.limit).toBe(2)
})

test('AGENT-16 the limit filter of list and export finds the devices that the list marks', async () => {
  const shared = await newAgent(people.tenantId)
  const [bare, fresh, used, lastDay, revoked, ofAgent] = [
    await newDevice(),
    await newDevice(),
    await newDevice(),
    await newDevice(),
    await newDevice(),
    await newDevice(shared),
  ]
  const twoUnits = [
    { unit: 1, amount: 1 },
    { unit: 2, amount: 100 },
  ]
  await sold({ packageId: (await newPackage()).id, deviceIds: [fresh.id, used.id] })
  await sold({ packageId: (await newPackage({ allowances: twoUnits })).id, deviceIds: [lastDay.id] })
  const free = await newPackage({ allowances: twoUnits, price: 0 })
  const refunded = await sold({ packageId: free.id, deviceIds: [revoked.id] })
  await sold({ packageId: (await newPackage({ scope: 2 })).id, agentIds: [shared] })
  await talk(used.id, TURNS, 100)
  for (const { id } of [lastDay, revoked]) await talk(id, 1, 1)
  await fold()
  const asked = await put(people.seller, 'refund', { id: refunded.id, rev: 1, reason: '退货' })
  const decided = await put(people.accountant, 'refund/audit', { id: refunded.id, rev: 2, pass: 1 })
  expect([asked.code, decided.code]).toEqual([200, 200])
  const all = [bare, fresh, used, lastDay, revoked, ofAgent].map(({ id }) => id)
  const page = async (query: string) =>
    (await staff.call('GET', `/api/v1/agent/device/page?pageSize=50&${query}`)).data.list as {
      id: number
      limit: number
    }[]
  const found = async (limit: number) =>
    (await page(`limit=${limit}`)).map(({ id }) => id).filter((id) => all.includes(id))
  expect([await found(1), await found(2)]).toEqual([[], []])
  for (const [mode, reached] of [
    ['1', 1],
    ['2', 2],
  ] as const) {
    await limitTo(mode)
    const marked = Object.fromEntries((await page('')).map(({ id, limit }) => [id, limit]))
    expect(all.map((id) => marked[id])).toEqual([reached, 0, reached, 0, reached, 0])
    expect((await found(reached)).toSorted()).toEqual([bare.id, used.id, revoked.id].toSorted())
    expect((await found(0)).toSorted()).toEqual([fresh.id, lastDay.id, ofAgent.id].toSorted())
    expect(await found(3 - reached)).toEqual([])
  }
  const { body } = await people.seller.inject({
    method: 'POST',
    url: '/api/v1/agent/device/export',
    payload: { format: 'csv', limit: 2 },
  })
  expect([bare, fresh, used].map(({ mac }) => body.includes(mac.match(/../g)!.join(':')))).toEqual([true, false, true])
})

test('AGENT-16 a refunded order does not count as a package of a device whose other package is used up', async () => {
  const device = await newDevice()
  const turns = { unit: TURNS, amount: 100 }
  const refunded = await sold({ packageId: (await newPackage({ allowances: [turns] })).id, deviceIds: [device.id] })
  const both = await newPackage({ allowances: [turns, { unit: CHARACTERS, amount: 10 }] })
  await sold({ packageId: both.id, deviceIds: [device.id] })
  const asked = await put(people.seller, 'refund', { id: refunded.id, rev: 1, reason: '退货' })
  const decided = await put(people.accountant, 'refund/audit', { id: refunded.id, rev: 2, pass: 1 })
  expect([asked.code, decided.code]).toEqual([200, 200])
  await talk(device.id, CHARACTERS, 10)
  await fold()
  await limitTo('2')
  const found = async (limit: number) => {
    const { data } = await staff.call('GET', `/api/v1/agent/device/page?deviceId=${device.id}&limit=${limit}`)
    return data.list.length
  }
  expect((await rowOf(device.id)).limit).toBe(2)
  expect([await found(2), await found(0)]).toEqual([1, 0])
})

test('AGENT-16 the diagnosis of a stopped device shows the limit as the missing step and the notice that the device speaks', async () => {
  const device = await newDevice()
  await app.db.execute(
    sql`update agent_devices set boot_time = now(), session_time = now() where device_id = ${device.id}`,
  )
  const normal = await diagnosisOf(device.mac)
  expect(normal.limit).toEqual({ state: 0, reason: '', heard: '' })
  expect(keysOf(normal.steps)).not.toContain('limit')
  await limitTo('1')
  const exceeded = await diagnosisOf(device.mac)
  expect(exceeded.limit).toMatchObject({ state: 1, heard: '设备照常对话，超出的用量不扣套餐' })
  expect(keysOf(exceeded.steps)).not.toContain('limit')
  await limitTo('2')
  await setParam('usage.notice', NOTICE)
  await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
  await talk(device.id, TURNS, 200)
  await fold()
  const stopped = await diagnosisOf(device.mac)
  expect(stopped.missing).toBe('limit')
  expect(keysOf(stopped.steps)).toEqual(['boot', 'code', 'bound', 'token', 'configured', 'limit', 'turn', 'ended'])
  expect(stopped.limit).toEqual({
    state: 2,
    reason: '套餐的对话轮数已用完',
    heard: `设备不再对话，只播报：「${NOTICE}」`,
  })
})

test('AGENT-16 an open refund request freezes the pack, and a rejected request lets the device talk again', async () => {
  await limitTo('2')
  const device = await newDevice()
  const { id } = await sold({ packageId: (await newPackage()).id, deviceIds: [device.id] })
  const { rev } = await lab.get(id)
  const asked = await lab.put(people.seller, 'refund', { id, rev, reason: '不用了' })
  expect((await rowOf(device.id)).limit).toBe(2)
  expect((await diagnosisOf(device.mac)).limit.reason).toBe('套餐正在退款，暂停使用')
  await lab.put(people.accountant, 'refund/audit', { id, rev: asked.data.rev, pass: 0, auditRemark: '继续使用' })
  expect((await rowOf(device.id)).limit).toBe(0)
})

test('AGENT-16 a tenant may change its notice, but not change or reset usage.limit', async () => {
  const owner = await app.by({
    tenant: '订购公司',
    permissions: ['agent:params:list', 'agent:params:edit', 'agent:params:remove'],
  })
  const put = (code: string, value: string) => owner.call('PUT', '/api/v1/agent/params', { code, value, rev: 0 })
  expect(await put('usage.limit', '0')).toMatchObject({ code: 400, msg: '该参数由平台设置' })
  const reset = await owner.call('DELETE', '/api/v1/agent/params?code=usage.limit')
  expect(reset).toMatchObject({ code: 400, msg: '该参数由平台设置' })
  expect((await put('usage.notice', NOTICE)).code).toBe(200)
})

test('AGENT-16 an unknown usage.limit and an empty, long or multi-line notice are refused', async () => {
  for (const [code, value] of [
    ['usage.limit', '3'],
    ['usage.notice', ' '],
    ['usage.notice', '一\n二'],
    ['usage.notice', '长'.repeat(201)],
  ]) {
    const answer = await keeper.call('PUT', '/api/v1/agent/params', { code, value, rev: 0 })
    expect(answer).toMatchObject({ code: 400, data: { field: 'value' } })
  }
})
