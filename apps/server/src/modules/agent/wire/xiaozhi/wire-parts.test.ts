import { formatMac } from '@oms/contract/device/device-fields.ts'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createAccessToken } from '../../voice-servers/server-actions.ts'
import { parseMacDigits } from './call.ts'
import {
  buildBootResponse,
  buildNoUpdateOffer,
  selectVoiceServerUrl,
  parseBootReport,
  readIdentity,
  buildMqttSettings,
} from './boot-report.ts'

const requestWith = (headers: Record<string, string>) => {
  const request = new IncomingMessage(new Socket())
  request.rawHeaders = Object.entries(headers).flat()
  return request
}
const reportOf = (body: unknown) =>
  parseBootReport({ text: typeof body === 'string' ? body : JSON.stringify(body), isCut: false })

describe('MAC addresses', () => {
  test.each([
    'aa:bb:cc:dd:ee:0f',
    'AA-BB-CC-DD-EE-0F',
    'aabbccddee0f',
    'AABB.CCDD.EE0F',
    'aa bb cc dd ee 0f',
    'Aa:bB-cC:dd:Ee:0f',
  ])('the MAC address %s is read as twelve lower-case digits', (text) => {
    expect(parseMacDigits(text)).toBe('aabbccddee0f')
  })
  test.each(['', 'aa:bb:cc:dd:ee', 'aa:bb:cc:dd:ee:0g', 'aa:bb:cc:dd:ee:0f:11', 'aa_bb_cc_dd_ee_0f'])(
    'the text %j is not accepted as a MAC address',
    (text) => {
      expect(parseMacDigits(text)).toBeUndefined()
    },
  )
  test('a MAC address is formatted with colons or another separator', () => {
    expect([formatMac('aabbccddee0f'), formatMac('aabbccddee0f', '_')]).toEqual([
      'aa:bb:cc:dd:ee:0f',
      'aa_bb_cc_dd_ee_0f',
    ])
  })
})

describe('identity of a device', () => {
  test('the identity keeps Device-Id and Client-Id as sent', () => {
    const sent = { 'Device-Id': 'AA-bb-CC-dd-EE-ff', 'Client-Id': 'uuid-1', 'Serial-Number': 'SN0001' }
    expect(readIdentity(requestWith(sent))).toEqual({
      mac: 'aabbccddeeff',
      deviceId: 'AA-bb-CC-dd-EE-ff',
      clientId: 'uuid-1',
      serial: 'SN0001',
    })
  })
  test('the Device-Id replaces a missing Client-Id, and a serial number with invalid characters is ignored', () => {
    const sent = { 'device-id': 'aa:bb:cc:dd:ee:ff', 'serial-number': '序列号' }
    expect(readIdentity(requestWith(sent))).toMatchObject({ clientId: 'aa:bb:cc:dd:ee:ff', serial: '' })
  })
  test('a missing and an invalid Device-Id each return an error message', () => {
    expect(readIdentity(requestWith({}))).toBe('Device ID is required')
    expect(readIdentity(requestWith({ 'device-id': 'web_test_client' }))).toBe('Invalid device ID')
  })
})

describe('boot report', () => {
  test('the report of firmware 2.x contains board and version', () => {
    const body = { version: 2, application: { version: '2.4.2' }, board: { type: 'bread-compact-wifi', csq: '21' } }
    expect(reportOf(body)).toEqual({
      boardType: 'bread-compact-wifi',
      board: 'bread-compact-wifi',
      reported: '2.4.2',
      version: '2.4.2',
      verCode: 2_004_002,
    })
  })
  test('numbers in a report are read as text, and the chip model replaces a missing board', () => {
    const body = { chip_model_name: 'esp32s3', application: { version: 2 }, board: { type: '' } }
    expect(reportOf(body)).toMatchObject({ boardType: '', board: 'esp32s3', version: '2', verCode: 2_000_000 })
  })
  test.each([
    ['empty', ''],
    ['truncated', '{"application":{"version":"2.4.2"},"board":{"ty'],
    ['a list', []],
    ['null', null],
    ['a board that is text', { board: 'esp32', application: 'x' }],
    ['a version that is an object', { application: { version: { a: 1 } }, board: { type: ['x'] } }],
  ])('a boot request whose body is %s is read as an empty report', (_name, body) => {
    expect(reportOf(body)).toMatchObject({ boardType: '', board: 'unknown', version: '0.0.0', verCode: undefined })
  })
  test('a body above the limit is treated as an empty report', () => {
    expect(parseBootReport({ text: '{"board":{"type":"x"}}', isCut: true })).toMatchObject({ board: 'unknown' })
  })
  test('a version with letters is read as 0.0.0, and a version with four parts has no version number', () => {
    expect(reportOf({ application: { version: 'v2.4-dirty' } })).toMatchObject({
      reported: 'v2.4-dirty',
      version: '0.0.0',
    })
    expect(reportOf({ application: { version: '1.2.3.4' } })).toMatchObject({ version: '1.2.3.4', verCode: undefined })
  })
})

test('the token of a voice connection equals the token computed by the voice server', () => {
  const ids = { clientId: '3f8e2b1c-1111-4222-8333-444455556666', deviceId: 'aa:bb:cc:dd:ee:ff' }
  expect(createAccessToken('server-secret-0123456789', ids, 1_767_225_600_999)).toBe(
    'vKLn8bGntPMgKF_rQjehmQGO3CjDU0O3rFUxeX82CgQ.1767225600',
  )
})

test('the MQTT settings have the format that xiaozhi-mqtt-gateway expects', () => {
  const gateway = { endpoint: 'mqtt.example.com:1883', signatureKey: 'Signature-Key-1' }
  const client = { mac: 'aabbccddeeff', ip: '192.168.1.20' }
  expect(buildMqttSettings(gateway, { ...client, board: 'bread-compact-wifi' })).toEqual({
    endpoint: 'mqtt.example.com:1883',
    client_id: 'bread-compact-wifi@@@aa_bb_cc_dd_ee_ff@@@aa_bb_cc_dd_ee_ff',
    username: 'eyJpcCI6IjE5Mi4xNjguMS4yMCJ9',
    password: 'HIYGeja4xwTx5HITp2rAywVOQSum0Zx4ufTnp/8aC3o=',
    publish_topic: 'device-server',
    subscribe_topic: 'devices/p2p/aa_bb_cc_dd_ee_ff',
  })
  expect(buildMqttSettings(gateway, { ...client, board: undefined })).toMatchObject({
    client_id: 'GID_default@@@aa_bb_cc_dd_ee_ff@@@aa_bb_cc_dd_ee_ff',
    password: 'PVlpuJH7qAfTEkGM3QyM7ettOJtAA2bld1I3VUtKpl0=',
  })
})

describe('boot response', () => {
  const websocket = { url: 'ws://h:8000/xiaozhi/v1/', token: '' }
  const base = { now: 1, timeZone: 'Asia/Shanghai', offset: 480, websocket }
  test('the boot response omits absent fields', () => {
    expect(buildBootResponse({ ...base, firmware: undefined, gateway: undefined, activation: undefined })).toEqual({
      server_time: { timestamp: 1, timeZone: 'Asia/Shanghai', timezone_offset: 480 },
      websocket,
    })
  })
  test('the activation message contains the URL of the console and the code', () => {
    const activation = { code: '012345', consoleUrl: 'http://h:8080', challenge: 'aa:bb:cc:dd:ee:ff' }
    const firmware = buildNoUpdateOffer('http://h:8080', '2.4.2')
    expect(buildBootResponse({ ...base, firmware, gateway: undefined, activation })).toMatchObject({
      firmware: { version: '2.4.2', url: expect.stringContaining('/xiaozhi/otaMag/download/') },
      activation: { code: '012345', message: 'http://h:8080\n012345', challenge: 'aa:bb:cc:dd:ee:ff' },
    })
  })
  test('the boot response contains a voice server from the list, or else port 8000 of the called host', () => {
    expect(selectVoiceServerUrl(' ws://a/ ; wss://b/;', 'http://h:8080', () => 0.9)).toBe('wss://b/')
    expect(selectVoiceServerUrl('', 'https://oms.example.com')).toBe('ws://oms.example.com:8000/xiaozhi/v1/')
    expect(selectVoiceServerUrl(';', 'http://[::1]:8080')).toBe('ws://[::1]:8000/xiaozhi/v1/')
  })
})
