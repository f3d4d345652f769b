import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { createLogger } from '#core/logging/logger.ts'
import { type Serving, createServers } from './listen.ts'

const MAX_CONNECTIONS = 200
const PER_ADDRESS = 100
const lines: string[] = []
const app = useApp(
  { OMS_TRUST_PROXY: '1', OMS_ROLE: 'console', OMS_MAX_CONNECTIONS: String(MAX_CONNECTIONS), PORT: '0' },
  createLogger('warn', { write: (line: string) => void lines.push(line) }),
)
let serving: Serving
let port: number
const open: (() => void)[] = []

beforeAll(async () => {
  serving = createServers(app.services)
  port = await serving.listen()
  return async () => {
    serving.server.closeAllConnections()
    await serving.close()
  }
})
afterEach(async () => {
  for (const close of open.splice(0)) close()
  while ((await connections()) > 0) await sleep(20)
})

const connections = () => new Promise<number>((done) => serving.server.getConnections((_error, count) => done(count)))

/** Opens a connection that sends `text` and then stays silent. */
async function hold(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  open.push(() => socket.destroy())
  await new Promise((done) => socket.once('connect', done))
  socket.write(text)
  return socket
}

/** Sends one call on a separate connection. Event streams stay open until the end of the test. */
const call = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; retryAfter: string | undefined }>((done, fail) => {
    const outgoing = request({ port, host: '127.0.0.1', path, headers, agent: false })
    outgoing.on('error', fail)
    outgoing.on('response', (reply) => {
      reply.resume()
      done({ status: reply.statusCode ?? 0, retryAfter: reply.headers['retry-after'] })
    })
    outgoing.end()
    open.push(() => outgoing.destroy())
  })
const stream = ({ ticket }: Caller, from = '192.0.2.1') =>
  call('/api/v1/events', { ticket: ticket ?? '', 'x-forwarded-for': from })

describe('event streams', () => {
  test('a session has at most ten event streams and may open another one after one closes', async () => {
    const me = await app.as()
    for (let n = 0; n < 10; n += 1) expect((await stream(me)).status).toBe(200)
    expect(await stream(me)).toEqual({ status: 429, retryAfter: '30' })
    open.splice(0, 1)[0]?.()
    await expect.poll(async () => (await stream(me)).status).toBe(200)
  })

  test('an account has at most thirty event streams in all sessions', async () => {
    const me = await app.as()
    const { services } = app
    const facts = { uid: me.uid, tenantId: 1, ip: '192.0.2.1', userAgent: '', console: false }
    const sessions = await Promise.all([1, 2, 3].map(() => services.sessions.open(app.db, facts)))
    const others = sessions.map(({ token }) => app.withTicket(token))
    for (const other of others) for (let n = 0; n < 10; n += 1) expect((await stream(other)).status).toBe(200)
    expect((await stream(me)).status).toBe(429)
    expect(services.streams.total).toBe(30)
  })

  test('event streams use at most half of the connections, so that other calls are served', async () => {
    const people = await Promise.all(Array.from({ length: 11 }, () => app.as()))
    const replies = []
    for (const [at, who] of people.entries())
      for (let n = 0; n < 10; n += 1) replies.push((await stream(who, `192.0.2.${at + 1}`)).status)
    expect(replies.filter((status) => status === 200)).toHaveLength(MAX_CONNECTIONS / 2)
    expect(replies.filter((status) => status === 503)).toHaveLength(10)
    expect((await call('/api/v1/account/captcha')).status).toBe(200)
  })
})

/** Opens a connection with a call whose body never ends. */
const holdCall = (from: string) =>
  hold(
    `POST /api/v1/account/login HTTP/1.1\r\nhost: oms\r\nx-forwarded-for: ${from}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
  )

describe('connections', () => {
  test('the health probes respond while all connections are in use', async () => {
    const received = vi.fn<() => void>()
    serving.server.on('request', received)
    for (let n = 0; n < MAX_CONNECTIONS; n += 1) await holdCall(`203.0.113.${n % 100}`)
    await expect.poll(() => received.mock.calls.length).toBe(MAX_CONNECTIONS)
    serving.server.off('request', received)
    for (let n = 0; n < 3; n += 1) {
      expect((await call('/healthz')).status).toBe(200)
      expect((await call('/readyz')).status).toBe(200)
      expect(await call('/api/v1/account/captcha')).toEqual({ status: 503, retryAfter: '5' })
    }
  })

  test('connections that sent nothing or half a request are closed when new clients need connections', async () => {
    for (let n = 0; n < MAX_CONNECTIONS + 50; n += 1) await hold(n % 2 ? '' : 'GET /healthz HTTP/1.1\r\nhost: oms\r\n')
    for (let n = 0; n < 3; n += 1) {
      expect((await call('/healthz')).status).toBe(200)
      expect((await call('/api/v1/account/captcha')).status).toBe(200)
    }
  })

  test('idle connections are closed when new clients need connections', async () => {
    const idle = await Promise.all(
      Array.from({ length: MAX_CONNECTIONS }, () => hold('GET /healthz HTTP/1.1\r\nhost: oms\r\n\r\n')),
    )
    await Promise.all(idle.map((socket) => new Promise((done) => socket.once('data', done))))
    await call('/healthz')
    await expect.poll(async () => (await call('/api/v1/account/captcha')).status).toBe(200)
  })

  test('running calls are counted by the client IP address that the proxy sends, and refusals are logged', async () => {
    for (let n = 0; n < PER_ADDRESS; n += 1) await holdCall('203.0.113.5')
    await sleep(200)
    expect((await call('/api/v1/account/captcha', { 'x-forwarded-for': '203.0.113.5' })).status).toBe(429)
    expect((await call('/api/v1/account/captcha', { 'x-forwarded-for': '203.0.113.6' })).status).toBe(200)
    expect((await call('/api/v1/account/captcha', { 'x-forwarded-for': '203.0.113.5:4711' })).status).toBe(429)
    // Values that the client itself wrote into the header are ignored.
    const forged = { 'x-forwarded-for': '203.0.113.6, 203.0.113.5' }
    expect((await call('/api/v1/account/captcha', forged)).status).toBe(429)
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ ip: '203.0.113.5', msg: 'connection refused' }),
    )
  })
})
