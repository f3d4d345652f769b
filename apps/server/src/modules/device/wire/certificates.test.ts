import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '#core/config/config.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const ISSUER = 'aa:bb:cc:dd:01'
const THEIRS = '99887766'
const vouched = (name: string, issuer = ISSUER) => ({
  token: null,
  headers: { 'x-ssl-client-cn': name, 'x-ssl-issuer-hash-1': issuer },
})

describe('client certificates reported by the proxy', () => {
  const oms = deviceLab({
    OMS_DEVICE_CERT_PROXIES: '10.9.8.7, 127.0.0.0/8',
    OMS_DEVICE_CERT_ISSUERS: `DEFAULT=AABBCCDD01,ACME=${THEIRS}`,
  })

  test('the common name of the certificate identifies a device in polls, checks and downloads', async () => {
    const { sn, root } = await oms.device()
    expect((await oms.send(root, vouched(sn))).status).toBe(200)
    const names = { 'x-controller-id': sn, 'x-authority-0': '00112233', 'x-authority-1': ISSUER }
    expect((await oms.send(root, { token: null, headers: names })).status).toBe(200)
    const { bytes } = await oms.version()
    const check = await oms.send('/device/v1/check', { method: 'POST', body: { sn, verCode: 100 }, ...vouched(sn) })
    expect(check.status).toBe(200)
    const { url } = check.json().components[0]
    expect((await oms.send(url, vouched(sn))).body.equals(bytes)).toBe(true)
    expect((await oms.send(url, vouched('another'))).status).toBe(401)
    await oms.query('update ota_versions set status = 2')
    await oms.sync()
  })

  test("a certificate with another name, an unknown authority or another tenant's authority gets 401", async () => {
    const { sn, root } = await oms.device()
    const foreign = await oms.device({ tenantId: 7 })
    const refused = [
      vouched('SN-other'),
      vouched(''),
      vouched(sn, '00112233'),
      vouched(sn, THEIRS),
      { token: null, headers: { 'x-ssl-client-cn': sn } },
      { token: null, headers: { 'x-ssl-client-cn': [sn, sn], 'x-ssl-issuer-hash-1': ISSUER } },
      { token: null, headers: { 'x-ssl-client-cn': sn, 'x-controller-id': sn, 'x-ssl-issuer-hash-1': ISSUER } },
      // A token takes precedence: a certificate does not replace a wrong token.
      { ...vouched(sn), token: 'wrong' },
    ]
    for (const sent of refused) expect((await oms.send(root, sent)).status).toBe(401)
    expect((await oms.send(foreign.root, vouched(foreign.sn, THEIRS))).status).toBe(200)
    expect((await oms.send(foreign.root, vouched(foreign.sn))).status).toBe(401)
    const check = { method: 'POST', body: { sn, verCode: 100 } }
    expect((await oms.send('/device/v1/check', { ...check, ...vouched('other') })).status).toBe(401)
    expect((await oms.send('/device/v1/check', { ...check, token: null })).status).toBe(401)
    // An unknown name registers no device.
    expect((await oms.send('/default/controller/v1/NEWCOMER', vouched('NEWCOMER'))).status).toBe(401)
  })

  test('a disabled device with a valid certificate is refused', async () => {
    const { sn, root, id } = await oms.device()
    await oms.query('update devices set status = 0 where id = $1', [id])
    await oms.sync()
    expect((await oms.send(root, vouched(sn))).status).toBe(401)
  })
})

describe('certificate headers from an untrusted address', () => {
  const oms = deviceLab({ OMS_DEVICE_CERT_PROXIES: '10.9.8.7', OMS_DEVICE_CERT_ISSUERS: 'AABBCCDD01' })

  test('certificate headers from an untrusted IP address are ignored, also with a forged proxy address', async () => {
    const { sn, root } = await oms.device()
    const { headers } = vouched(sn)
    for (const more of [{}, { 'x-forwarded-for': '10.9.8.7' }, { 'x-real-ip': '10.9.8.7' }])
      expect((await oms.send(root, { token: null, headers: { ...headers, ...more } })).status).toBe(401)
    expect((await oms.send(root)).status).toBe(200)
  })
})

describe('certificate headers without a configured authority', () => {
  const oms = deviceLab()

  test('certificate headers are ignored when no authority is configured', async () => {
    const { sn, root } = await oms.device()
    expect((await oms.send(root, vouched(sn))).status).toBe(401)
  })

  test.each([
    { OMS_DEVICE_CERT_PROXIES: '127.0.0.1' },
    { OMS_DEVICE_CERT_ISSUERS: 'aabbccdd' },
    { OMS_DEVICE_CERT_PROXIES: 'proxy.local', OMS_DEVICE_CERT_ISSUERS: 'aabbccdd' },
    { OMS_DEVICE_CERT_PROXIES: '10.0.0.0/33', OMS_DEVICE_CERT_ISSUERS: 'aabbccdd' },
    { OMS_DEVICE_CERT_PROXIES: '10.0.0.1', OMS_DEVICE_CERT_ISSUERS: '=aabbccdd' },
    { OMS_DEVICE_CERT_PROXIES: '10.0.0.1', OMS_DEVICE_CERT_ISSUERS: 'ACME=xyz' },
  ])('an incomplete or unreadable certificate configuration prevents the start: %o', (env) => {
    expect(() => readConfig({ DATA_DIR: '/tmp', ...env })).toThrow(ConfigError)
  })
})
