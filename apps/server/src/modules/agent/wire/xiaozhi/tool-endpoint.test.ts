import { request as httpRequest } from 'node:http'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { McpClient } from '#test/clients/mcp-client.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { createToolToken } from './tool-endpoint.ts'

const oms = voiceLab()
const ALL = ['repair', 'warranty', 'firmware']
const clients: McpClient[] = []
let agentId: number
let device: { id: number; mac: string }

beforeAll(async () => {
  agentId = await oms.agent({ tools: ALL })
  device = await oms.bound(agentId)
  await oms.query(`update agent_devices set app_version = '2.4.2' where device_id = $1`, [device.id])
  await oms.query(`update devices set warranty_end = '2999-03-05' where id = $1`, [device.id])
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

/** Returns the tool endpoint that a voice server gets for a device. */
async function addressOf(macAddress = device.mac) {
  const body = { macAddress, clientId: 'c', selectedModule: {} }
  return (await oms.call('config/agent-models', { body })).json().data.mcp_endpoint as string | undefined
}
const open = (address: string) => {
  const client = new McpClient(address)
  clients.push(client)
  return client
}
const started = async (address?: string) => {
  const client = open(address ?? (await addressOf())!)
  await client.start()
  return client
}
const tokenAddress = (grant: object, at = Date.now()) =>
  `${oms.origin().replace('http', 'ws')}/xiaozhi/mcp/call/?token=${createToolToken(oms.services().config.secretKey, { deviceId: device.id, agentId, ...grant }, at)}`
/** Returns the status with which an upgrade is refused. */
const refusedWith = (path: string) =>
  new Promise<number>((done, fail) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    }
    httpRequest(`${oms.origin()}${path}`, { headers })
      .on('response', ({ statusCode = 0 }) => done(statusCode))
      .on('upgrade', (_response, socket) => {
        socket.destroy()
        done(101)
      })
      .on('error', fail)
      .end()
  })

describe('tools of a device', () => {
  test('AGENT-18 turning the feature mcp off removes the endpoint from the configuration and the tools of open connections', async () => {
    const client = await started()
    const toolsOf = async (id: number) => (await client.request(id, 'tools/list')).result.tools
    expect(await toolsOf(100)).toHaveLength(3)
    await oms.param('features', '{"mcp":false}')
    expect(await addressOf()).toBeUndefined()
    expect(await toolsOf(101)).toEqual([])
    await oms.param('features', '{"mcp":true}')
    expect(await toolsOf(102)).toHaveLength(3)
  })

  test('AGENT-18 the configuration contains the tool endpoint, which serves initialize and the chosen tools', async () => {
    const address = await addressOf()
    expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/xiaozhi\/mcp\/call\/\?token=/)
    const client = open(address!)
    expect(await client.start()).toMatchObject({ protocolVersion: '2024-11-05', serverInfo: { name: 'OMS' } })
    expect(client.tools.map(({ name }) => name)).toEqual(['open_repair_ticket', 'query_warranty', 'query_firmware'])
    expect(client.tools[0]!.inputSchema.required).toEqual(['problem'])
  })

  test('AGENT-18 the configuration of an agent without tools contains no tool endpoint', async () => {
    const plain = await oms.bound(await oms.agent())
    expect(await addressOf(plain.mac)).toBeUndefined()
  })

  test('AGENT-18 a device opens a repair ticket of its tenant; the ticket and its history name the device', async () => {
    const client = await started()
    const text = await client.call('open_repair_ticket', {
      problem: '开机没有声音\0',
      type: '硬件故障',
      contact: '13800000000',
    })
    const [number] = /FB\d{13}/.exec(text)!
    const [ticket] = await oms.query('select * from tickets where feedback_no = $1', [number])
    expect(ticket).toMatchObject({
      device_id: device.id,
      tenant_id: 1,
      sn: device.mac.replaceAll(':', ''),
      content: '开机没有声音',
      contact: '13800000000',
      problem_type: 1,
      source: 4,
      status: 0,
    })
    const records = await oms.query('select realname, uid from ticket_records where ticket_id = $1', [ticket.id])
    expect(records).toEqual([{ realname: ticket.sn, uid: null }])
    expect(await client.call('open_repair_ticket', { problem: '开机没有声音' })).toContain(
      `已经报修过，工单编号 ${number}`,
    )
    expect(await client.call('open_repair_ticket', {})).toContain('请先说明故障现象')
    const [{ n }] = await oms.query('select count(*)::int as n from tickets where device_id = $1', [device.id])
    expect(n).toBe(1)
  })

  test('AGENT-18 a device queries its warranty and its upgrade; the timeline records each tool call', async () => {
    const client = await started()
    expect(await client.call('query_warranty')).toBe('本设备型号 C1，保修期内，截至2999年3月5日。')
    expect(await client.call('query_firmware')).toBe('当前固件版本 2.4.2。目前没有下发给本设备的升级。')
    await oms.query(
      `insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date) values (1, 1, 2005000, '2.5.0', now())`,
    )
    const [{ ota_id }] = await oms.query(`select ota_id from ota_versions where ver_name = '2.5.0'`)
    const states = {
      0: '有新版本 2.5.0，重启设备后会自动安装',
      20: '正在升级到 2.5.0',
      100: '升级到 2.5.0 已成功',
      110: '没有成功',
      120: '已取消',
    }
    for (const [state, words] of Object.entries(states)) {
      await oms.query('delete from ota_tasks where device_id = $1', [device.id])
      await oms.query(
        `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code, state) values ($1, $2, 1, 1, 2005000, $3)`,
        [ota_id, device.id, state],
      )
      expect(await client.call('query_firmware')).toContain(words)
    }
    await oms.services().voiceServers.events.flush()
    const steps = await oms.query(
      `select detail ->> 'tool' as tool from agent_events where mac = $1 and kind = 16 order by id`,
      [device.mac.replaceAll(':', '')],
    )
    expect(steps.map(({ tool }) => tool)).toEqual(expect.arrayContaining(['报修', '查询保修', '查询固件升级']))
  })

  test('AGENT-18 a tool acts only on the device of its token; a disabled or unbound device loses its tools', async () => {
    const theirAgent = await oms.agent({ tenant_id: 7, tools: ['warranty'] })
    const theirs = await oms.bound(theirAgent, 7)
    const client = await started(await addressOf(theirs.mac))
    expect(client.tools.map(({ name }) => name)).toEqual(['query_warranty'])
    expect(await client.call('query_warranty', { deviceId: device.id, sn: 'x' })).toContain('没有登记保修期')
    await expect(client.call('open_repair_ticket', { problem: '没有选择' })).rejects.toThrow('unknown tool')
    await oms.query('update devices set status = 0 where id = $1', [theirs.id])
    await expect(client.call('query_warranty')).rejects.toThrow('unknown tool')
    await oms.query('update devices set status = 1 where id = $1', [theirs.id])
    await oms.query('delete from agent_devices where device_id = $1', [theirs.id])
    await expect(client.call('query_warranty')).rejects.toThrow('unknown tool')
  })

  test('AGENT-18 another process with the same database accepts the token of the tool endpoint', async () => {
    const address = (await addressOf())!
    const twin = await oms.another()
    const client = await started(address.replace(/^ws:\/\/[^/]+/, twin.origin.replace('http', 'ws')))
    expect(await client.call('query_warranty')).toContain('保修期内')
    await client.close()
  })
})

describe('invalid tokens, messages and connections', () => {
  const DAY = 86_400_000

  test('AGENT-18 the tool endpoint refuses a missing, changed, wrong or expired token before the handshake', async () => {
    const token = createToolToken(oms.services().config.secretKey, { deviceId: device.id, agentId }, Date.now())
    const expired = createToolToken(
      oms.services().config.secretKey,
      { deviceId: device.id, agentId },
      Date.now() - DAY - 2000,
    )
    for (const wrong of [
      '',
      '?token=',
      `?token=1${token}`,
      `?token=${token}x`,
      `?token=${expired}`,
      `?token=${await oms.secret()}`,
    ])
      expect(await refusedWith(`/xiaozhi/mcp/call/${wrong}`)).toBe(401)
    expect(await refusedWith(`/xiaozhi/mcp/call/?token=${'x'.repeat(3000)}`)).toBe(414)
    expect(await refusedWith(`/xiaozhi/mcp/call/?token=${token}`)).toBe(101)
    // Upgrades that do not belong to the endpoint stay ordinary requests.
    expect(await refusedWith('/xiaozhi/ota/')).toBe(200)
    expect(await refusedWith('/xiaozhi/mcp/other')).toBe(404)
  })

  test('AGENT-18 the tool endpoint answers invalid messages with JSON-RPC errors and keeps the connection open', async () => {
    const client = await started()
    const sent = async (message: object | string, id: number) => {
      const answer = client.answerTo(id)
      client.send(message)
      return (await answer).error.code
    }
    expect(await sent('{', 0)).toBe(-32_700)
    expect(await sent('[]', 0)).toBe(-32_600)
    expect(await sent('null', 0)).toBe(-32_600)
    expect(await sent({ jsonrpc: '1.0', id: 5, method: 'ping' }, 0)).toBe(-32_600)
    expect(await sent({ jsonrpc: '2.0', id: 5, method: 'tools/steal' }, 5)).toBe(-32_601)
    expect(await sent({ jsonrpc: '2.0', id: 6, method: 'tools/call' }, 6)).toBe(-32_602)
    expect(await sent({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: '__proto__' } }, 7)).toBe(-32_602)
    client.send({ jsonrpc: '2.0', id: 99, result: {} })
    client.send({ jsonrpc: '2.0', method: 'notifications/unknown' })
    expect((await client.request(8, 'ping')).result).toEqual({})
  })

  test('AGENT-18 the tool endpoint closes a connection that sends a huge message, binary messages or too many messages', async () => {
    const huge = await started()
    huge.send('x'.repeat(65 * 1024))
    expect(await huge.closed).toBe(1009)
    const many = await started()
    for (let count = 0; count < 200; count += 1) many.send({ jsonrpc: '2.0', id: count, method: 'ping' })
    expect(await many.closed).toBe(1008)
  })

  test('AGENT-18 of 100 connections with one token only four stay open', async () => {
    const other = await oms.bound(agentId)
    const address = tokenAddress({ deviceId: other.id })
    const all = Array.from({ length: 100 }, () => open(address))
    let closed = 0
    for (const each of all) void each.closed.then(() => (closed += 1))
    await expect.poll(() => closed, { timeout: 20_000 }).toBe(96)
  })
})
