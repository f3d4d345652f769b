import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { readClientAddress, readHost, readScheme } from './forwarded.ts'

const received = (headers: IncomingHttpHeaders, remoteAddress = '10.0.0.1') => ({
  headers,
  socket: { remoteAddress } as Socket,
})
const addressOf = (text: string, hops: number | false = 1) =>
  readClientAddress(received({ 'x-forwarded-for': text }), hops)

describe('client address', () => {
  test.each([
    ['198.51.100.10:40001', '198.51.100.10'],
    ['[2001:0db8:85a3:08d3:1319:8a2e:0370:7348]:47011', '2001:0db8:85a3:08d3:1319:8a2e:0370:7348'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['192.0.2.1, 203.0.113.7', '203.0.113.7'],
    ['unknown', '10.0.0.1'],
    ['_hidden', '10.0.0.1'],
    ['192.0.2.1, x'.padEnd(80, 'x'), '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('X-Forwarded-For "%s" gives the client address %s', (text, address) => {
    expect(addressOf(text)).toBe(address)
  })

  test('X-Forwarded-For is read only behind trusted proxies, at the entry of the outermost trusted proxy', () => {
    expect(addressOf('198.51.100.10', false)).toBe('10.0.0.1')
    expect(addressOf('192.0.2.1, 192.0.2.2, 192.0.2.3', 2)).toBe('192.0.2.2')
    expect(addressOf('192.0.2.3', 2)).toBe('192.0.2.3')
    expect(readClientAddress(received({}, '::ffff:127.0.0.1'), false)).toBe('127.0.0.1')
  })
})

describe('scheme and host', () => {
  const originOf = (headers: IncomingHttpHeaders, hops = 1) => {
    const request = received(headers)
    return `${readScheme(request, hops)}://${readHost(request, hops, headers.host ?? '')}`
  }

  test.each([
    [{ 'x-forwarded-proto': 'HTTPS', host: 'oms.example.com' }, 'https://oms.example.com'],
    [{ 'x-forwarded-proto': 'https, http', host: 'oms' }, 'http://oms'],
    [{ 'x-forwarded-proto': 'http, https', host: 'oms' }, 'https://oms'],
    [{ 'x-forwarded-host': 'evil, oms:8443', host: 'inner' }, 'http://oms:8443'],
    [{ 'x-forwarded-port': '18443', host: 'oms.example.com' }, 'http://oms.example.com:18443'],
    [{ 'x-forwarded-port': '18443', host: 'oms:9000' }, 'http://oms:9000'],
    [{ 'x-forwarded-port': '8443', 'x-forwarded-host': '[2001:db8::1]' }, 'http://[2001:db8::1]:8443'],
    [{ 'x-forwarded-port': '443', 'x-forwarded-proto': 'https', host: 'oms' }, 'https://oms'],
    [{ 'x-forwarded-port': '8443"', host: 'oms' }, 'http://oms'],
    [{ forwarded: 'for=192.0.2.1;proto=https;host="oms:8443"', host: 'inner' }, 'https://oms:8443'],
  ] as [IncomingHttpHeaders, string][])('the headers %j give the origin %s', (headers, origin) => {
    expect(originOf(headers)).toBe(origin)
  })

  test('Forwarded is read only when X-Forwarded-For is absent', () => {
    const forwarded = 'for=192.0.2.1, For="[2001:db8:cafe::17]:4711";proto=https'
    expect(readClientAddress(received({ forwarded }), 1)).toBe('2001:db8:cafe::17')
    expect(readClientAddress(received({ forwarded, 'x-forwarded-for': '203.0.113.7' }), 1)).toBe('203.0.113.7')
    expect(readScheme(received({ forwarded, 'x-forwarded-for': '203.0.113.7' }), 1)).toBe('http')
  })
})
