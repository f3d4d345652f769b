import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { encrypt } from '#core/crypto/keys.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const oms = deviceLab()
const KIB = 1024
let made = 0
const newMac = () => `02:00:00:00:${(made += 1).toString(16).padStart(2, '0')}:bb`
const device = (headers?: Record<string, string>) =>
  new XiaozhiDevice(`${oms.origin}/xiaozhi/ota/`, { mac: newMac(), ...(headers && { headers }) })
const failures = () => oms.logs.filter((line) => line.includes('"level":50')).length
const codes = async () => (await oms.query('select count(*)::int as n from agent_codes'))[0].n as number

/** Posts a body of any bytes, also an incomplete one. Returns the status, or 0 for a closed connection. */
const raw = (path: string, body: Buffer | string, size = Buffer.byteLength(body)) =>
  new Promise<number>((done) => {
    const headers = { 'device-id': newMac(), 'client-id': 'c', 'content-length': size }
    const request = httpRequest(`${oms.origin}${path}`, { method: 'POST', headers, agent: false }, (reply) => {
      reply.resume().on('end', () => done(reply.statusCode ?? 0))
    })
    request.on('error', () => done(0)).write(body)
    if (size === Buffer.byteLength(body)) request.end()
    else setTimeout(() => request.destroy(), 50)
  })

describe('AGENT-01 invalid boot requests', () => {
  const odd = '{"toString":1,"valueOf":1,"length":5}'
  test.each([
    ['objects for every field', `{"application":${odd},"board":${odd},"chip_model_name":${odd},"mac_address":${odd}}`],
    ['objects for texts', `{"application":{"version":${odd}},"board":{"type":${odd},"name":${odd}}}`],
    ['lists for objects', '{"application":["2.4.2"],"board":[{"type":"x"}],"partition_table":{}}'],
    ['truth values', '{"application":true,"board":false,"version":null}'],
    ['NUL and half characters', '{"application":{"version":"2.\\u00004"},"board":{"type":"a\\u0000\\ud800b"}}'],
    ['huge numbers', '{"application":{"version":1e308},"board":{"type":-1e-308},"flash_size":1e999}'],
    ['names of the prototype', '{"__proto__":{"type":"x"},"constructor":{"prototype":{}},"board":{"__proto__":[]}}'],
    ['8,000 open lists', '['.repeat(8000)],
    ['2,500 nested objects', `${'{"board":'.repeat(1500)}1${'}'.repeat(1500)}`],
    ['quotes and backslashes', '"\\'.repeat(8000)],
    ['exactly 16 KiB', `{"board":{"type":"b"},"x":"${'y'.repeat(16 * KIB - 28)}"}`],
  ])('a boot request (%s) gets a code and logs no error', async (_name, body) => {
    const before = failures()
    const booted = device()
    expect((await booted.boot(body)).activation.code).toMatch(/^\d{6}$/)
    expect(await booted.activate()).toBe(202)
    expect(failures()).toBe(before)
  })

  test('requests with invalid UTF-8 or up to 10 MB of nested lists get a response in linear time', async () => {
    const start = process.cpuUsage()
    for (const body of [Buffer.alloc(KIB, 0xff), Buffer.alloc(KIB * KIB, 0x5b), Buffer.alloc(10 * KIB * KIB, 0x5b)])
      for (const path of ['/xiaozhi/ota/', '/xiaozhi/ota/activate'])
        expect([200, 202, 0]).toContain(await raw(path, body))
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(4000)
  })

  test('a request with an incomplete body stores nothing and causes no internal error', async () => {
    const [before, failed] = [await codes(), failures()]
    for (const path of ['/xiaozhi/ota/', '/xiaozhi/ota/activate'])
      expect(await raw(path, '{"application":{"vers', 500)).toBe(0)
    expect([await codes(), failures()]).toEqual([before, failed])
  })

  test('request headers that are too long or contain control characters are sanitised before they are stored', async () => {
    const long = 'x'.repeat(4000)
    const booted = device({ 'Client-Id': `a\tb${long}`, 'Serial-Number': `'; drop--${long}`, 'User-Agent': long })
    expect((await booted.boot()).activation.code).toMatch(/^\d{6}$/)
    const [row] = await oms.query('select client_id, serial from agent_codes where mac = $1', [
      booted.mac.replaceAll(':', ''),
    ])
    expect([row.client_id.length, row.serial]).toEqual([64, ''])
    expect(row.client_id).toMatch(/^a b/)
  })

  test.each(['02:00:00:00:00', '02:00:00:00:00:0g', '0200.0000.000', '%00', 'x'.repeat(5000), '０２:00:00:00:00:01'])(
    'a boot with the Device-Id %s gets an error and no code',
    async (mac) => {
      const before = await codes()
      const wrong = new XiaozhiDevice(`${oms.origin}/xiaozhi/ota/`, { mac: encodeURI(mac) })
      expect(await wrong.boot()).toEqual({ error: 'Invalid device ID' })
      expect(await wrong.activate()).toBe(202)
      expect(await codes()).toBe(before)
    },
  )

  test.each(['', '%00', 'a.b', '../../etc/passwd', `${'A'.repeat(1900)}`, 'NOT_ACTIVATED_FIRMWARE', '%F0%9F%8F%A0'])(
    'the download link %s returns 404',
    async (token) => {
      const before = failures()
      for (const method of ['GET', 'HEAD'])
        expect((await oms.send(`/xiaozhi/otaMag/download/${token}`, { method, token: null })).status).toBe(404)
      expect(failures()).toBe(before)
    },
  )

  test.each([
    { hmac: 5 },
    { hmac: ['a'] },
    { hmac: { toString: 1 } },
    { hmac: 'zz'.repeat(4000) },
    { hmac: '' },
    [],
    { algorithm: 1, serial_number: {}, challenge: [] },
  ])('an activation with the body %j does not prove the key of the serial number', async (body) => {
    const booted = new XiaozhiDevice(`${oms.origin}/xiaozhi/ota/`, { mac: newMac(), serial: `CHIP-${made}` })
    const mac = booted.mac.replaceAll(':', '')
    const { id } = await oms.device({ sn: mac })
    await oms.query(
      `insert into agent_devices (device_id, tenant_id, agent_id, mac, board) values ($1, 1, 1, $2, '')`,
      [id, mac],
    )
    await oms.query(`insert into agent_identity_keys (tenant_id, serial, key_encrypted) values (1, $1, $2)`, [
      `CHIP-${made}`,
      encrypt(oms.services.config.secretKey, '00'.repeat(32)),
    ])
    const headers = { 'device-id': booted.mac, 'client-id': booted.clientId, 'serial-number': `CHIP-${made}` }
    expect((await booted.send('POST', `${oms.origin}/xiaozhi/ota/activate`, body, headers)).status).toBe(202)
  })

  test('an invalid HTTP request ends its connection, and other devices are still served', async () => {
    const { hostname, port } = new URL(oms.origin)
    await new Promise<void>((done) => {
      const socket = connect(Number(port), hostname, () =>
        socket.end('POST /xiaozhi/ota/ HTTP/1.1\r\nDevice-Id: \0\r\n\r\n'),
      )
      socket
        .on('close', () => done())
        .on('error', () => {})
        .resume()
    })
    expect((await device().boot()).activation.code).toMatch(/^\d{6}$/)
  })
})
