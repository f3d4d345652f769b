import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { encrypt } from '#core/crypto/keys.ts'
import { ensureVoiceModel } from './voice-model.ts'
import { createJsonServer } from '#test/clients/json-server.ts'
import { useApp } from '#test/harness.ts'
import { buildGatewayClientIds, type GatewayDevice, GatewayStatus } from '../voice-servers/gateway.ts'

type Statuses = Readonly<Record<string, { isAlive: boolean | null; exists: boolean }>>

const oms = useApp()
const clock = { now: 0 }
const device = (n: number, tenantId = 1): GatewayDevice => ({
  tenantId,
  mac: n.toString(16).padStart(12, '0'),
  board: 'b:1',
})
const [alive, unsure, lost] = [device(1), device(2), device(3)]
/** The group of a client id is the board at the last boot, or the default group. */
const statuses: Statuses = {
  [buildGatewayClientIds(alive)[0]!]: { isAlive: true, exists: true },
  [buildGatewayClientIds(unsure)[1]!]: { isAlive: null, exists: true },
  [buildGatewayClientIds(lost)[0]!]: { isAlive: false, exists: true },
}

/** Fake gateway. `answer` responds to a status call; without it the gateway is silent. */
const gateway = {
  asked: [] as string[][],
  paths: new Set<string | undefined>(),
  answer: undefined as (() => object) | undefined,
}
const held: (() => void)[] = []
const server = createJsonServer(({ clientIds }, incoming, outgoing) => {
  gateway.paths.add(incoming.url)
  gateway.asked.push(clientIds)
  const reply = () => outgoing.end(JSON.stringify(gateway.answer?.() ?? statuses))
  if (gateway.answer) reply()
  else held.push(reply)
})

const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await query(`insert into tenants (id, tenant_no, name) values (7, 'ACME', '甲公司')`)
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await query(`insert into agent_params (tenant_id, code, value) values (1, 'server.mqtt_manager_api', $1)`, [address])
  await query(
    `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four)
     values (3, 1, 'server.mqtt_signature_key', 1, $1, '')`,
    [encrypt(oms.services.config.secretKey, 'Signature-Key-1')],
  )
  oms.services.agentParameters.forget()
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  clock.now += 3_600_000
  Object.assign(gateway, { asked: [], answer: () => statuses })
})
const newStatus = () => new GatewayStatus(oms.services, () => clock.now)

test('a device is online when the gateway reports it alive or reports a connection without knowing its state', async () => {
  const found = await newStatus().read([alive, unsure, lost, device(4)])
  expect([...found.values()]).toEqual([true, true, false, false])
  expect([...gateway.paths]).toEqual(['/api/devices/status'])
})

test('a connection state is cached for 15 seconds, and simultaneous readers share one gateway call', async () => {
  const status = newStatus()
  await Promise.all([status.read([alive, lost]), status.read([alive])])
  expect(gateway.asked).toHaveLength(1)
  clock.now += 14_000
  await status.read([alive])
  expect(gateway.asked).toHaveLength(1)
  clock.now += 2000
  await status.read([alive])
  expect(gateway.asked).toEqual([expect.any(Array), buildGatewayClientIds(alive)])
})

test('a reader does not wait for a slow gateway; the late response serves the next reader', async () => {
  gateway.answer = undefined
  const status = newStatus()
  expect([...(await status.read([alive], 20))]).toEqual([])
  await expect.poll(() => held.length).toBe(1)
  held.pop()!()
  await expect.poll(async () => [...(await status.read([alive], 0)).values()]).toEqual([true])
  expect(gateway.asked).toHaveLength(1)
})

test('a gateway with an invalid response is not called for 30 seconds, and its devices have no state meanwhile', async () => {
  gateway.answer = () => ({ [buildGatewayClientIds(alive)[0]!]: 'yes' })
  const status = newStatus()
  expect([...(await status.read([alive]))]).toEqual([])
  expect([...(await status.read([unsure]))]).toEqual([])
  expect(gateway.asked).toHaveLength(1)
  clock.now += 31_000
  gateway.answer = () => statuses
  expect([...(await status.read([alive])).values()]).toEqual([true])
})

test('the states of 250 devices are requested from the gateway in calls of at most 100 devices', async () => {
  const many = Array.from({ length: 250 }, (_, n) => device(n + 100))
  expect((await newStatus().read(many)).size).toBe(250)
  expect(gateway.asked.map((ids) => ids.length / 2).toSorted((a, b) => a - b)).toEqual([50, 100, 100])
})

test('an account gets connection states of visible devices only, and no call is sent without a gateway', async () => {
  const modelId = await ensureVoiceModel(oms.services)
  for (const [id, tenantId] of [
    [1, 1],
    [2, 7],
  ]) {
    const { mac } = device(id!)
    await query('insert into devices (id, tenant_id, model_id, sn, mac) values ($1, $2, $3, $4, $4)', [
      id,
      tenantId,
      modelId,
      mac,
    ])
    await query(
      `insert into agent_devices (device_id, tenant_id, agent_id, mac, board) values ($1, $2, 1, $3, 'b:1')`,
      [id, tenantId, mac],
    )
  }
  const url = '/api/v1/agent/device/connection?ids=1&ids=2'
  const rights = { permissions: ['agent:device:list'] }
  const [stranger, boss] = [await oms.by({ ...rights, tenant: '乙公司' }), await oms.by(rights)]
  const of = async (who: typeof boss) => (await who.call('GET', url)).data.list
  expect(await of(boss)).toEqual(
    expect.arrayContaining([
      { id: 1, connection: 1 },
      { id: 2, connection: 1 },
    ]),
  )
  expect(await of(stranger)).toEqual([])
  await query(`delete from agent_params where code = 'server.mqtt_manager_api'`)
  oms.services.agentParameters.forget()
  gateway.asked = []
  expect([...(await newStatus().read([alive]))]).toEqual([])
  expect(gateway.asked).toEqual([])
})
