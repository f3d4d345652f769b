import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createJsonServer } from '#test/clients/json-server.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const KEY = 'Signature-Key-1'
const DAY_MS = 24 * 60 * 60 * 1000
const oms = voiceLab()

/** Fake MQTT gateway, whose clock may be in another day. */
const gateway = {
  days: 0,
  answer: {} as object | string,
  calls: [] as { path: string; body: unknown }[],
  refused: 0,
}
const server = createJsonServer((body, request, response) => {
  const day = new Date(Date.now() + gateway.days * DAY_MS).toISOString().slice(0, 10)
  const token = createHash('sha256').update(`${day}${KEY}`).digest('hex')
  if (request.headers.authorization !== `Bearer ${token}`) {
    gateway.refused += 1
    return void response.writeHead(401).end('{}')
  }
  gateway.calls.push({ path: request.url!, body })
  if (typeof gateway.answer === 'string') return void response.writeHead(500).end(gateway.answer)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(gateway.answer))
})

describe('calls between devices', () => {
  let mother: { id: number; mac: string }
  let child: { id: number; mac: string }
  const contact = (from: { mac: string }, to: { mac: string }, alias: string, allowed = 1, tenantId = 1) =>
    oms.query('insert into agent_contacts (tenant_id, mac, target_mac, alias, allowed) values ($5, $1, $2, $3, $4)', [
      from.mac.replaceAll(':', ''),
      to.mac.replaceAll(':', ''),
      alias,
      allowed,
      tenantId,
    ])
  const ask = async (query: Record<string, string>, path = 'call', secret?: string) => {
    const asked = new URLSearchParams(query).toString()
    const call = await oms.call(`device/address-book/${path}?${asked}`, {
      method: 'GET',
      ...(secret !== undefined && { secret }),
    })
    expect([call.status, call.json().code]).toEqual([200, 0])
    return call.json().data
  }

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const agentId = await oms.agent()
    mother = await oms.bound(agentId)
    child = await oms.bound(agentId)
    await contact(mother, child, '宝宝')
    await contact(child, mother, '妈妈')
  })
  afterAll(() => void server.close())
  beforeEach(() => {
    Object.assign(gateway, { days: 0, answer: { status: 'pending', message: '正在呼叫' }, calls: [], refused: 0 })
  })

  test('AGENT-02 a call without a configured gateway returns an error text that the voice server speaks', async () => {
    expect(await ask({ callerMac: mother.mac, nickname: '宝宝' })).toEqual({
      status: 'error',
      message: '还没有设置通话网关，暂时不能呼叫。',
    })
    await oms.param('server.mqtt_manager_api', `127.0.0.1:${(server.address() as AddressInfo).port}`)
    await oms.secretParam('server.mqtt_signature_key', KEY)
  })

  test("AGENT-02 a call sends the caller's name in the contacts of the target and returns the gateway's status", async () => {
    for (const status of ['pending', 'bridged', 'offline']) {
      gateway.answer = { status, message: `状态 ${status}` }
      expect(await ask({ callerMac: mother.mac.toUpperCase(), nickname: '宝宝' })).toEqual({
        status,
        message: `状态 ${status}`,
      })
    }
    const body = { caller_mac: mother.mac, target_mac: child.mac, caller_nickname: '妈妈' }
    expect(gateway.calls).toEqual(Array.from({ length: 3 }, () => ({ path: '/api/call/request', body })))
  })

  test('AGENT-02 a device accepts a waiting call through the gateway', async () => {
    gateway.answer = { status: 'bridged', message: '已接通' }
    const answer = { callerMac: child.mac, nickname: '', answer: 'true' }
    expect(await ask(answer)).toEqual({ status: 'bridged', message: '已接通' })
    expect(gateway.calls).toEqual([{ path: '/api/call/accept', body: { mac: child.mac } }])
  })

  test('AGENT-02 an unbound device accepts no call, and no device does while contacts are disabled', async () => {
    const refused = { status: 'error', message: '设备还没有绑定，不能接听。' }
    for (const callerMac of ['00:00:00:00:00:01', 'no address', ''])
      expect(await ask({ callerMac, nickname: '', answer: 'true' })).toEqual(refused)
    await oms.param('features', '{"contacts":false}')
    expect((await ask({ callerMac: child.mac, nickname: '', answer: 'true' })).message).toBe('通讯录功能已停用。')
    await oms.param('features', '{"contacts":true}')
    expect(gateway.calls).toEqual([])
  })

  test('AGENT-02 a call that the gateway refuses is retried with the tokens of yesterday and tomorrow', async () => {
    for (const days of [-1, 1]) {
      Object.assign(gateway, { days, calls: [], refused: 0 })
      expect((await ask({ callerMac: mother.mac, nickname: '宝宝' })).status).toBe('pending')
      expect([gateway.calls.length, gateway.refused]).toEqual([1, days === -1 ? 1 : 2])
    }
    Object.assign(gateway, { days: 5, calls: [], refused: 0 })
    expect(await ask({ callerMac: mother.mac, nickname: '宝宝' })).toEqual({
      status: 'error',
      message: '通话网关暂时没有响应，请稍后再试。',
    })
    expect(gateway.refused).toBe(3)
  })

  test('AGENT-02 a call returns an error text when the gateway sends an error, an unknown status or no message', async () => {
    gateway.answer = 'broken'
    expect((await ask({ callerMac: mother.mac, nickname: '宝宝' })).status).toBe('error')
    gateway.answer = { status: 'ringing' }
    expect(await ask({ callerMac: mother.mac, nickname: '宝宝' })).toEqual({
      status: 'error',
      message: '呼叫没有成功。',
    })
  })

  test('AGENT-02 no call is sent to the gateway while the feature contacts is off', async () => {
    await oms.param('features', '{"contacts":false}')
    expect(await ask({ callerMac: mother.mac, nickname: '宝宝' })).toEqual({
      status: 'error',
      message: '通讯录功能已停用。',
    })
    expect(await ask({ callerMac: mother.mac, nickname: '宝宝' }, 'lookup')).toBeNull()
    expect(gateway.calls).toEqual([])
    await oms.param('features', '{"contacts":true}')
  })

  test('AGENT-02 a device cannot call an unknown name, a target that refuses it or a device of another tenant', async () => {
    expect((await ask({ callerMac: mother.mac, nickname: '爷爷' })).message).toContain('通讯录里没有这个名字')
    expect((await ask({ callerMac: '00:00:00:00:00:01', nickname: '宝宝' })).status).toBe('error')
    const stranger = await oms.bound(await oms.agent({ tenant_id: 7 }), 7)
    await contact(mother, stranger, '陌生人')
    expect((await ask({ callerMac: mother.mac, nickname: '陌生人' })).status).toBe('error')
    const strict = await oms.bound(await oms.agent())
    await contact(mother, strict, '爸爸')
    await contact(strict, mother, '别打', 0)
    expect((await ask({ callerMac: mother.mac, nickname: '爸爸' })).message).toBe('对方没有允许你呼叫。')
    expect(await ask({ callerMac: mother.mac, nickname: '爸爸' }, 'lookup')).toEqual({
      targetMac: strict.mac.replaceAll(':', ''),
      nickname: '爸爸',
      hasPermission: false,
    })
    const own = 'address-book-of-acme-0123456789'
    await oms.ownSecret(7, own)
    expect((await ask({ callerMac: mother.mac, nickname: '宝宝' }, 'call', own)).status).toBe('error')
    expect((await ask({ callerMac: child.mac, nickname: '', answer: 'true' }, 'call', own)).status).toBe('error')
    expect(gateway.calls).toEqual([])
  })
})
