import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { McpClient } from '#test/clients/mcp-client.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { createToolToken } from './tool-endpoint.ts'

const oms = voiceLab()
const clients: McpClient[] = []
let agentId: number

beforeAll(async () => {
  agentId = await oms.agent({ tools: ['repair', 'warranty'] })
})
afterEach(async () => {
  vi.useRealTimers()
  for (const client of clients.splice(0)) await client.close()
})

const addressOf = (deviceId: number, agent = agentId) =>
  `${oms.origin().replace('http', 'ws')}/xiaozhi/mcp/call/?token=${createToolToken(oms.services().config.secretKey, { deviceId, agentId: agent }, Date.now())}`
async function started(address: string) {
  const client = new McpClient(address)
  clients.push(client)
  await client.start()
  return client
}
const toolsOf = async (client: McpClient) => {
  client.tools = []
  return (await client.request(2, 'tools/list')).result.tools.length as number
}

/** Opens a connection that never responds to a ping. */
async function mute(address: string): Promise<Socket> {
  const url = new URL(address)
  const socket = connect(Number(url.port), url.hostname)
  socket.on('error', () => {})
  socket.write(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n',
  )
  expect(String((await once(socket, 'data'))[0])).toContain('101')
  return socket
}

test('AGENT-18 the tool endpoint closes a connection that sends no message for 15 s', { timeout: 30_000 }, async () => {
  const device = await oms.bound(agentId)
  const socket = await mute(addressOf(device.id))
  const since = performance.now()
  const ended = once(socket, 'data')
  // Opcode 8, length 12, code 1008.
  expect([...((await ended)[0] as Buffer).subarray(0, 4)]).toEqual([0x88, 12, 3, 0xf0])
  expect(performance.now() - since).toBeGreaterThan(14_000)
  socket.destroy()
})

test('AGENT-18 a silent connection that responds to pings stays open, and one that does not respond is terminated', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const twin = await oms.another()
  const at = (address: string) => address.replace(/^ws:\/\/[^/]+/, twin.origin.replace('http', 'ws'))
  const [alive, dead] = [await oms.bound(agentId), await oms.bound(agentId)]
  const client = await started(at(addressOf(alive.id)))
  const socket = await mute(at(addressOf(dead.id)))
  // A masked text message, so that the connection is not closed as unused.
  const text = Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]))
  const cut = once(socket, 'close')
  for (let minutes = 0; minutes < 10; minutes += 0.5) {
    vi.advanceTimersByTime(30_000)
    // The client responds to the ping meanwhile.
    await new Promise((done) => setTimeout(done, 30))
  }
  await cut
  expect(await client.call('query_warranty')).toContain('保修')
})

test('AGENT-18 the tool endpoint serves fifty devices that connect and call at the same time', async () => {
  const devices = await Promise.all(Array.from({ length: 50 }, () => oms.bound(agentId)))
  const texts = await Promise.all(
    devices.map(async ({ id }) => (await started(addressOf(id))).call('open_repair_ticket', { problem: '没有声音' })),
  )
  expect(new Set(texts.map((text) => /FB\d{13}/.exec(text)?.[0])).size).toBe(50)
})

test('AGENT-18 simultaneous calls of a connection are answered in order; more than sixteen calls close the connection', async () => {
  const device = await oms.bound(agentId)
  const client = await started(addressOf(device.id))
  const order: number[] = []
  const ids = Array.from({ length: 16 }, (_, at) => at + 10)
  await Promise.all(
    ids.map(async (id) => {
      await client.request(id, 'tools/call', { name: 'query_warranty', arguments: {} })
      order.push(id)
    }),
  )
  expect(order).toEqual(ids)
  const flooding = await started(addressOf(device.id))
  for (let id = 10; id < 60; id += 1) flooding.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } })
  expect(await flooding.closed).toBe(1008)
})

test('AGENT-18 a token with another agent than the agent of the device gets no tools', async () => {
  const device = await oms.bound(agentId)
  const other = await oms.agent({ tools: ['repair', 'warranty'] })
  const client = await started(addressOf(device.id, other))
  expect(client.tools).toEqual([])
  await expect(client.call('open_repair_ticket', { problem: '没有声音' })).rejects.toThrow('unknown tool')
  expect(await oms.query('select id from tickets where device_id = $1', [device.id])).toEqual([])
})

const DEVICE_GOES_TO_7 = [
  'update devices set tenant_id = 7 where id = $1',
  `update agent_devices set tenant_id = 7, agent_id = $2 where device_id = $1`,
]

test.each([
  [
    'its agent is disabled',
    ['update agents set status = 0 where id = (select agent_id from agent_devices where device_id = $1)'],
  ],
  [
    'its agent is deleted',
    ['update agents set deleted_at = now() where id = (select agent_id from agent_devices where device_id = $1)'],
  ],
  [
    'the tenant is disabled',
    ['update tenants set status = 0 where id = (select tenant_id from devices where id = $1)'],
  ],
  ['the device is disabled', ['update devices set status = 0 where id = $1']],
  ['the device is deleted', ['update devices set deleted_at = now() where id = $1']],
  ['the device is unbound', ['delete from agent_devices where device_id = $1']],
  ['the device is bound by another tenant', DEVICE_GOES_TO_7],
])('AGENT-18 a connected device loses its tools when %s', async (_name, changes) => {
  await oms.query(`insert into tenants (id, tenant_no, name) values (8, 'B8', '乙公司') on conflict do nothing`)
  await oms.query('update tenants set status = 1 where id = 8')
  const own = await oms.agent({ tenant_id: 8, tools: ['warranty'] })
  const theirs = await oms.agent({ tenant_id: 7, tools: ['warranty'] })
  const device = await oms.bound(own, 8)
  const client = await started(addressOf(device.id, own))
  expect(await client.call('query_warranty')).toContain('保修')
  for (const text of changes) await oms.query(text, text.includes('$2') ? [device.id, theirs] : [device.id])
  await expect(client.call('query_warranty')).rejects.toThrow('unknown tool')
  expect(await toolsOf(client)).toBe(0)
})

test('AGENT-18 a stopping process answers the running call, closes connections with 1001 and accepts no new ones', async () => {
  const device = await oms.bound(agentId)
  const client = await started(addressOf(device.id))
  const idle = await started(addressOf(device.id))
  const { pool } = oms.services().database
  const lock = await pool.connect()
  await lock.query('begin')
  await lock.query('lock table tickets in access exclusive mode')
  const text = client.call('open_repair_ticket', { problem: '重启时报修' })
  await new Promise((done) => setTimeout(done, 100))
  oms.services().shutdown.begin()
  expect(await idle.closed).toBe(1001)
  await lock.query('rollback')
  lock.release()
  expect(await text).toMatch(/FB\d{13}/)
  expect(await client.closed).toBe(1001)
  const late = new McpClient(addressOf(device.id))
  expect(await late.closed).toBe(1006)
})
