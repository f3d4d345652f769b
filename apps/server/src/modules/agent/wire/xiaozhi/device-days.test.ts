import { beforeEach, expect, test } from 'vitest'
import { closeDueGrants } from '../../orders/grant-clock.ts'
import { mergeUsage } from '../../usage/usage-merge.ts'
import { limitLab } from '#test/fixtures/limit-fixture.ts'

const { oms, lab, sell, configuration, limitTo } = limitLab()
const [DEVICE_DAYS, TURNS] = [1, 2] as const

beforeEach(() => oms.query(`update agent_devices set session_time = null, turn_time = null`))

/** Connects the device as a voice server does, and merges its use. */
async function connect() {
  const { code } = await configuration()
  expect(code).toBe(0)
  await oms.services().voiceServers.marks.flush()
  await mergeUsage(oms.services().database.db)
}
const days = async () => {
  const [{ n }] = await oms.query(
    `select count(distinct (day, device_id))::int as n from agent_usage where source = 1 and device_id > 0`,
  )
  return n as number
}
const grantOf = async (id: number) =>
  (await oms.query('select state, spent::int as spent from agent_grants where id = $1', [id]))[0]

test('AGENT-15 a day with connections but no turn counts as one device day, however often the device connects', async () => {
  await connect()
  await connect()
  await Promise.all([configuration(), configuration()])
  await oms.services().voiceServers.marks.flush()
  expect(await days()).toBe(1)
  const rows = await oms.query('select tenant_id, agent_id, device_id, unit, n::int as n from agent_usage')
  expect(rows).toEqual([{ tenant_id: 1, agent_id: lab.agentId, device_id: lab.device.id, unit: 11, n: 1 }])
})

test('AGENT-14 a connection without a turn begins the waiting packs and charges one device day but no turn', async () => {
  const id = await sell({ unit: DEVICE_DAYS, state: 0, remaining: 30 })
  const turns = await sell({ unit: TURNS, state: 0 })
  await connect()
  await connect()
  expect(await grantOf(id)).toEqual({ state: 1, spent: 1 })
  expect(await grantOf(turns)).toEqual({ state: 1, spent: 0 })
})

test('AGENT-13 a waiting pack begins at the first connection without a running pack, also on a day with usage', async () => {
  await connect()
  const running = await sell({ unit: TURNS, remaining: 5 })
  const id = await sell({ unit: TURNS, state: 0 })
  await oms.query('update agent_grants set create_time = now()')
  await connect()
  expect(await grantOf(id)).toEqual({ state: 0, spent: 0 })
  await oms.query('delete from agent_grants where id = $1', [running])
  await connect()
  expect(await grantOf(id)).toEqual({ state: 1, spent: 0 })
  expect(await days()).toBe(1)
  const begun = (await oms.query('select begin_time from agent_grants where id = $1', [id]))[0].begin_time
  await connect()
  expect((await oms.query('select begin_time from agent_grants where id = $1', [id]))[0].begin_time).toEqual(begun)
})

test('AGENT-16 a connection that the usage limit stops counts no device day; a connection after a purchase does', async () => {
  await limitTo('2')
  await connect()
  expect(await days()).toBe(0)
  const id = await sell({ unit: DEVICE_DAYS, remaining: 3 })
  await connect()
  expect(await days()).toBe(1)
  expect(await grantOf(id)).toEqual({ state: 1, spent: 1 })
  await closeDueGrants(oms.services())
  expect(await grantOf(id)).toEqual({ state: 1, spent: 1 })
})
