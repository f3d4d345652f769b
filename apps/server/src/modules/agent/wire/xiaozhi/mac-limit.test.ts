import { describe, expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { countMacCall } from './mac-limit.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const oms = deviceLab()

/** Calls as often as allowed, at most `most` times, and returns the number of calls. */
function callsAt(mac: string, now: number, most = 100): number {
  for (let n = 0; n < most; n += 1)
    try {
      countMacCall(mac, now)
    } catch {
      return n
    }
  return most
}
const retryAfter = (mac: string, now: number) => {
  try {
    countMacCall(mac, now)
  } catch (error) {
    return (error as { retryAfter?: number }).retryAfter
  }
  return 0
}

describe('calls of one MAC address', () => {
  test('AGENT-01 the 61st call of a MAC address in a minute is refused, and other MAC addresses are not affected', () => {
    expect(callsAt('020000000001', START)).toBe(60)
    expect(callsAt('020000000001', START + 30_000)).toBe(0)
    expect(callsAt('020000000002', START + 30_000)).toBe(60)
  })

  test('AGENT-01 a burst at the end of a minute also counts in the next minute, because the window slides', () => {
    const next = START + 600_000
    expect(callsAt('020000000003', next + 59_000)).toBe(60)
    expect(callsAt('020000000003', next + 61_000)).toBe(1)
    expect(callsAt('020000000003', next + 90_000)).toBe(29)
    expect(callsAt('020000000003', next + 240_000)).toBe(60)
  })

  test('AGENT-01 a device may call again after the time in Retry-After, and not earlier', () => {
    const next = START + 1_200_000
    for (const at of [0, 20_000, 59_000]) {
      const mac = `03000000${String(at).padStart(4, '0').slice(0, 4)}`
      const now = next + at
      callsAt(mac, now)
      const seconds = retryAfter(mac, now)!
      expect(seconds).toBeGreaterThanOrEqual(2)
      expect(retryAfter(mac, now + (seconds - 2) * 1000)).toBeGreaterThan(0)
      expect(retryAfter(mac, now + seconds * 1000)).toBe(0)
    }
  })

  test('AGENT-01 a device that calls every three seconds never reaches the limit', () => {
    const next = START + 6_000_000
    for (let at = 0; at < 600_000; at += 3000) expect(callsAt('020000000004', next + at, 1)).toBe(1)
  })

  test('AGENT-01 boots and activation requests count together, and a refused request gets the time to wait', async () => {
    const send = (path: string, mac: string) =>
      oms.send(`${oms.origin}/xiaozhi/ota/${path}`, {
        method: 'POST',
        token: null,
        headers: { 'device-id': mac, 'client-id': 'limit' },
        body: {},
      })
    const statuses: number[] = []
    for (let n = 0; n < 60; n += 1) statuses.push((await send(n % 2 ? 'activate' : '', '02:00:00:00:0a:01')).status)
    expect(new Set(statuses)).toEqual(new Set([200, 202]))
    const refused = await send('', '02:00:00:00:0A:01')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await send('activate', '02:00:00:00:0a:01')).status).toBe(429)
    expect((await send('', '02:00:00:00:0a:02')).status).toBe(200)
  })
})
