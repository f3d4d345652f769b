import { beforeAll, describe, expect, test } from 'vitest'
import { encrypt } from '#core/crypto/keys.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const oms = deviceLab({ OMS_TRUST_PROXY: '1' })
const PATH = '/xiaozhi/ota/'
let made = 0

const newMac = () => `02:00:00:00:${String((made += 1)).padStart(2, '0')}:aa`
type Options = Partial<ConstructorParameters<typeof XiaozhiDevice>[1]>
const device = (options: Options = {}) => new XiaozhiDevice(`${oms.origin}${PATH}`, { mac: newMac(), ...options })

/** Binds a device as the console does. */
async function bind(booted: XiaozhiDevice, fields: { modelId?: number; tenantId?: number } = {}) {
  const mac = booted.mac.toLowerCase().replaceAll(/[:-]/g, '')
  const { id } = await oms.device({ sn: mac, verCode: null, ...fields })
  await oms.query(
    `insert into agent_devices (device_id, tenant_id, agent_id, mac, client_id, board) values ($1, $2, 1, $3, $4, $5)`,
    [id, fields.tenantId ?? 1, mac, booted.clientId, booted.board],
  )
  await oms.query('delete from agent_codes where mac = $1', [mac])
  return id
}

beforeAll(async () => {
  await oms.query(`update device_models set boards = '{bread-compact-wifi}' where model_code = 'C1'`)
  await oms.sync()
})

describe('AGENT-01 boot of an unbound device', () => {
  test('a boot returns code, token, time and an unusable firmware URL, in an object without envelope', async () => {
    const booted = device()
    const reply = await booted.send('POST', `${oms.origin}${PATH}`, booted.report)
    expect(reply.status).toBe(200)
    expect(reply.headers['content-length']).toBe(String(reply.body.length))
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    const answer = JSON.parse(reply.body.toString())
    const host = new URL(oms.origin).hostname
    expect(answer).toEqual({
      server_time: { timestamp: expect.any(Number), timeZone: 'Asia/Shanghai', timezone_offset: 480 },
      firmware: { version: '2.4.2', url: expect.stringContaining('/xiaozhi/otaMag/download/') },
      websocket: { url: `ws://${host}:8000/xiaozhi/v1/`, token: expect.stringMatching(/^[\w-]{43}\.\d{10}$/) },
      activation: {
        code: expect.stringMatching(/^\d{6}$/),
        message: `${oms.origin}\n${answer.activation.code}`,
        challenge: booted.mac,
      },
    })
    expect((await booted.send('GET', answer.firmware.url, undefined, {})).status).toBe(404)
  })

  test('later boots of a device return the same code, also when another process serves them', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const twin = await oms.another()
    const elsewhere = new XiaozhiDevice(`${twin.origin}/xiaozhi/ota`, { mac: booted.mac, clientId: booted.clientId })
    expect((await elsewhere.boot()).activation.code).toBe(activation.code)
    expect((await booted.boot()).activation.code).toBe(activation.code)
  })

  test('an unbound device with changed firmware keeps its code, and the row of the code stores the data of the last boot', async () => {
    const first = device()
    const { activation } = await first.boot()
    const flashed = device({ mac: first.mac, board: 'esp-box-3', version: '2.5.0' })
    expect((await flashed.boot()).activation.code).toBe(activation.code)
    const [row] = await oms.query('select client_id, board, version from agent_codes where code = $1', [
      activation.code,
    ])
    expect(row).toEqual({ client_id: flashed.clientId, board: 'esp-box-3', version: '2.5.0' })
  })

  test('fifty simultaneous boots of one device get one code, and fifty devices get fifty codes', async () => {
    const booted = device()
    const same = await Promise.all(Array.from({ length: 50 }, () => booted.boot()))
    expect(new Set(same.map(({ activation }) => activation.code)).size).toBe(1)
    const many = Array.from({ length: 50 }, () => device())
    const answers = await Promise.all(many.map((each) => each.boot()))
    expect(new Set(answers.map(({ activation }) => activation.code)).size).toBe(50)
  })

  test('a code is valid for 24 hours; afterwards the device gets a new code', async () => {
    const booted = device()
    const { activation } = await booted.boot()
    const mac = booted.mac.replaceAll(':', '')
    await oms.query(`update agent_codes set expire_time = now() - interval '1 second' where mac = $1`, [mac])
    const again = (await booted.boot()).activation.code
    expect(again).not.toBe(activation.code)
    const [row] = await oms.query(
      'select round(extract(epoch from expire_time - create_time)) as life from agent_codes where mac = $1',
      [mac],
    )
    expect(Number(row.life)).toBe(86_400)
  })

  test('a device whose firmware version has letters gets version 0.0.0 and never an upgrade', async () => {
    await oms.version({ verCode: 9_000_000, fileName: 'xiaozhi.bin' })
    const booted = device({ version: '2.4-dirty' })
    expect((await booted.boot()).firmware.version).toBe('0.0.0')
    await oms.query('update ota_versions set status = 2')
    await oms.sync()
  })

  test.each([
    ['nothing', ''],
    ['a truncated object', '{"application":{"version":"2.4.2"},"board":{"type":"bread-comp'],
    ['16 KiB', JSON.stringify({ board: { type: 'x', name: 'y'.repeat(16_500) } })],
    ['a list', '[]'],
    [
      'numbers and empty texts',
      '{"version":0,"mac_address":"","application":{"version":1},"board":{"type":7,"ip":""}}',
    ],
    [
      'the documented least',
      '{"application":{"version":"1.0.0","elf_sha256":"0"},"board":{"mac":"02:00:00:00:01:aa"}}',
    ],
  ])('a boot whose body is %s gets a code', async (_name, body) => {
    expect((await device().boot(body)).activation.code).toMatch(/^\d{6}$/)
  })

  test('an invalid MAC header returns an error with HTTP 200, and nothing is stored', async () => {
    const [{ n: before }] = await oms.query('select count(*)::int as n from agent_codes')
    const wrong = new XiaozhiDevice(`${oms.origin}${PATH}`, { mac: 'web_test_client' })
    expect(await wrong.boot()).toEqual({ error: 'Invalid device ID' })
    const none = await wrong.send('POST', `${oms.origin}${PATH}`, {}, {})
    expect([none.status, JSON.parse(none.body.toString())]).toEqual([200, { error: 'Device ID is required' }])
    expect(await oms.query('select count(*)::int as n from agent_codes')).toEqual([{ n: before }])
  })

  test('a GET of the boot URL returns a line of text, OPTIONS permits other origins, and other paths return 404', async () => {
    const some = device()
    for (const path of ['/xiaozhi/ota', '/xiaozhi/ota/']) {
      const reply = await some.send('GET', `${oms.origin}${path}`, undefined, {})
      expect([reply.status, reply.body.toString()]).toEqual([200, expect.stringContaining('OTA')])
    }
    const { status, headers } = await some.send('OPTIONS', `${oms.origin}${PATH}`, undefined, {})
    expect([status, headers['access-control-allow-origin']]).toEqual([204, '*'])
    expect(headers['access-control-allow-headers']).toContain('Device-Id')
    for (const path of ['/xiaozhi/', '/xiaozhi/nothing', '/xiaozhi/ota/x', '/xiaozhi/otaMag/download/'])
      expect((await some.send('GET', `${oms.origin}${path}`, undefined, {})).status).toBe(404)
  })

  test('a MAC address may call 60 times per minute', async () => {
    const booted = device()
    const results = await Promise.allSettled(Array.from({ length: 62 }, () => booted.boot()))
    // A new minute may begin between the calls.
    expect(results.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(2)
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
  })

  test('after 2,000 new codes for one IP address in an hour, boots get no activation and a warning is logged', async () => {
    // Codes of earlier tests are random and could be among those of the other devices.
    await oms.query('delete from agent_codes')
    await oms.query(`insert into agent_codes (mac, code, ip, expire_time) select lpad(to_hex(n), 12, '0'),
      lpad((900000 + n)::text, 6, '0'), '203.0.113.9', now() + interval '1 day' from generate_series(1, 2000) n`)
    const booted = device({ headers: { 'x-forwarded-for': '203.0.113.9' } })
    const answer = await booted.boot()
    expect(answer.activation).toBeUndefined()
    expect(answer.websocket.token).not.toBe('')
    const warnings = () => oms.logs.filter((line) => line.includes('limit of new codes')).length
    expect(warnings()).toBe(1)
    const known = device({ mac: '00:00:00:00:00:01', version: '2.5.0', headers: { 'x-forwarded-for': '203.0.113.9' } })
    expect((await known.boot()).activation.code, 'a device with a valid code keeps the code').toBe('900001')
    expect(warnings()).toBe(1)
    await oms.query(`delete from agent_codes where ip = '203.0.113.9'`)
  })
})

describe('AGENT-01 boot of a bound device', () => {
  test('activation returns 202 before the binding and 200 after it, and the next boot response has no activation', async () => {
    const booted = device()
    await booted.boot()
    expect(await booted.activate()).toBe(202)
    await bind(booted)
    expect(await booted.activate()).toBe(200)
    const answer = await booted.boot()
    expect(answer.activation).toBeUndefined()
    expect(answer.websocket.token).not.toBe('')
  })

  test('the last boot is stored in a batch, and a device that was bound by MAC address keeps its first Client-Id', async () => {
    const booted = device()
    const id = await bind(booted)
    await oms.query(`update agent_devices set client_id = '' where device_id = $1`, [id])
    await booted.boot()
    await oms.side.bootTimes.flush()
    const [row] = await oms.query(
      'select client_id, app_version, board, boot_time is not null as booted from agent_devices where device_id = $1',
      [id],
    )
    expect(row).toEqual({ client_id: booted.clientId, app_version: '2.4.2', board: booted.board, booted: true })
    const events = await oms.query('select kind, detail from agent_events where mac = $1', [
      booted.mac.replaceAll(':', ''),
    ])
    expect(events).toEqual([{ kind: 1, detail: { board: booted.board, version: '2.4.2', token: true } }])
  })

  test('a boot with another Client-Id changes no data, gets no token and no firmware, and is recorded once', async () => {
    const booted = device()
    const id = await bind(booted)
    const forged = device({ mac: booted.mac, version: '9.9.9' })
    for (let i = 0; i < 2; i += 1) {
      const answer = await forged.boot()
      expect(answer.firmware).toBeUndefined()
      expect(answer.websocket.token).toBe('')
    }
    await oms.side.bootTimes.flush()
    await oms.services.voiceServers.events.flush()
    const [row] = await oms.query(
      'select client_id, other_client_id, app_version, boot_time from agent_devices where device_id = $1',
      [id],
    )
    const unchanged = { client_id: booted.clientId, app_version: '', boot_time: null }
    expect(row).toEqual({ ...unchanged, other_client_id: forged.clientId })
    const events = await oms.query('select kind from agent_events where mac = $1', [booted.mac.replaceAll(':', '')])
    expect(events).toEqual([{ kind: 6 }])
  })

  test('with device.identity 0, a boot with another Client-Id gets a token', async () => {
    const booted = device()
    await bind(booted)
    await oms.query(`insert into agent_params (tenant_id, code, value) values (1, 'device.identity', '0')`)
    oms.services.agentParameters.forget()
    expect((await device({ mac: booted.mac }).boot()).websocket.token).not.toBe('')
    expect((await booted.boot()).websocket.token).not.toBe('')
    await oms.query(`delete from agent_params`)
    oms.services.agentParameters.forget()
  })

  test('a disabled device gets no firmware and no token', async () => {
    const booted = device()
    const id = await bind(booted)
    await oms.query('update devices set status = 0 where id = $1', [id])
    await oms.sync()
    const answer = await booted.boot()
    expect([answer.firmware, answer.websocket.token, answer.activation]).toEqual([undefined, '', undefined])
  })

  test('a device with an imported key that sends a wrong HMAC gets 202 and is recorded', async () => {
    const key = 'ab'.repeat(32)
    const booted = device({ serial: 'CHIP0001', key })
    await bind(booted)
    await oms.query(`insert into agent_identity_keys (serial, tenant_id, key_encrypted) values ('CHIP0001', 1, $1)`, [
      encrypt(oms.services.config.secretKey, key),
    ])
    expect(await booted.activate()).toBe(200)
    const forged = device({ mac: booted.mac, serial: 'CHIP0001', key: 'cd'.repeat(32) })
    expect(await forged.activate()).toBe(202)
    await oms.services.voiceServers.events.flush()
    const events = await oms.query('select kind from agent_events where mac = $1', [booted.mac.replaceAll(':', '')])
    expect(events).toEqual([{ kind: 8 }])
  })

  test('a device with an imported key must send its HMAC even when the request has no serial number', async () => {
    const key = 'ef'.repeat(32)
    const booted = device({ serial: 'CHIP0002', key })
    const id = await bind(booted)
    await oms.query(`update devices set sn = 'CHIP0002' where id = $1`, [id])
    await oms.query(`insert into agent_identity_keys (serial, tenant_id, key_encrypted) values ('CHIP0002', 1, $1)`, [
      encrypt(oms.services.config.secretKey, key),
    ])
    expect(await booted.activate()).toBe(200)
    expect(await device({ mac: booted.mac }).activate()).toBe(202)
    expect(await device({ mac: booted.mac, serial: 'CHIP0003', key }).activate(), 'another serial number').toBe(202)
    await oms.services.voiceServers.events.flush()
    const events = await oms.query('select kind from agent_events where mac = $1', [booted.mac.replaceAll(':', '')])
    expect(events).toEqual([{ kind: 8 }, { kind: 8 }])
  })

  test('the boot response has gateway settings only when address and key are set, and not for a refused Client-Id', async () => {
    const booted = device()
    await bind(booted)
    await oms.query(`insert into agent_params (tenant_id, code, value) values (1, 'server.mqtt_gateway', 'gw:1883')`)
    oms.services.agentParameters.forget()
    expect((await booted.boot()).mqtt).toBeUndefined()
    await oms.query(
      `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted) values (3, 1, 'server.mqtt_signature_key', 1, $1)`,
      [encrypt(oms.services.config.secretKey, 'Signature-1')],
    )
    oms.services.agentParameters.forget()
    expect((await booted.boot()).mqtt).toMatchObject({
      endpoint: 'gw:1883',
      client_id: expect.stringMatching(/^bread-compact-wifi@@@(\w\w_){5}\w\w@@@/),
    })
    expect((await device().boot()).mqtt.client_id).toMatch(/^GID_default@@@/)
    expect((await device({ mac: booted.mac }).boot()).mqtt, 'another Client-Id').toBeUndefined()
    expect((await booted.boot()).mqtt).toBeDefined()
    await oms.query(`delete from agent_params`)
    oms.services.agentParameters.forget()
    await oms.query(`delete from agent_secrets where field = 'server.mqtt_signature_key'`)
  })
})
