import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { selectAddressPolicy } from './address-policy.ts'
import { ConnectionPool, type OutboundRequest, sendOutbound } from './outbound.ts'

const platform = selectAddressPolicy({ outboundPrivate: [] }, 'platform')
const tenant = selectAddressPolicy({ outboundPrivate: [] }, 'tenant')
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function textOf(request: OutboundRequest): Promise<string> {
  const response = await sendOutbound(request)
  const chunks: Buffer[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('sendOutbound sends a body and reads the response', async () => {
  const url = await serve((request, response) => request.pipe(response))
  expect(await textOf({ url, method: 'POST', body: '你好', policy: platform })).toBe('你好')
})

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://[::1]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://10.1.2.3/',
  'http://169.254.169.254/',
  'http://localhost/',
  'http://[64:ff9b::7f00:1]/',
  'http://[::ffff:0:7f00:1]/',
])('the URL %s is refused in a row of a tenant', async (url) => {
  await expect(sendOutbound({ url, policy: tenant })).rejects.toThrow('不能访问内网或保留地址')
})

test.each(['169.254.169.254', '[64:ff9b::a9fe:a9fe]', '[::ffff:0:a9fe:a9fe]', '[::ffff:169.254.169.254]'])(
  'the cloud metadata address %s is refused in a row of the platform',
  async (host) => {
    await expect(sendOutbound({ url: `http://${host}/`, policy: platform })).rejects.toThrow('不能访问内网')
  },
)

test('a tenant can reach a private network that the installation permits', async () => {
  const policy = selectAddressPolicy({ outboundPrivate: [{ address: '127.0.0.0', bits: 8 }] }, 'tenant')
  const url = await serve((_, response) => response.end('ok'))
  expect(await textOf({ url, policy })).toBe('ok')
  expect(policy.allows('10.0.0.1')).toBe(false)
})

test('a redirect is returned and not followed', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end())
  expect((await sendOutbound({ url, policy: platform })).status).toBe(302)
})

test.each(['ftp://example.com/', 'nonsense', 'http://user:word@example.com/'])(
  'the invalid URL %s is refused',
  async (url) => {
    await expect(sendOutbound({ url, policy: platform })).rejects.toMatchObject({ kind: 'address' })
  },
)

test('a refused connection is reported as an error of the address', async () => {
  const url = await serve(() => {})
  await new Promise((resolve) => servers.pop()?.close(resolve))
  await expect(sendOutbound({ url, policy: platform })).rejects.toMatchObject({
    kind: 'address',
    message: '连接被拒绝',
  })
})

test('the wait for the first byte, pauses and the total time are limited', async () => {
  const silent = await serve(() => {})
  await expect(textOf({ url: silent, policy: platform, limits: { firstByteMs: 50 } })).rejects.toThrow('等待响应超过')
  const pausing = await serve((_, response) => void response.write('a'))
  await expect(textOf({ url: pausing, policy: platform, limits: { idleMs: 50 } })).rejects.toThrow('等待数据超过')
  const endless = await serve((_, response) => {
    const timer = setInterval(() => response.write('a'), 5)
    response.on('close', () => clearInterval(timer))
  })
  await expect(textOf({ url: endless, policy: platform, limits: { totalMs: 80 } })).rejects.toThrow('总时长超过')
})

test('the size of a response body is limited', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(100_000)))
  await expect(textOf({ url, policy: platform, limits: { maxBytes: 99_999 } })).rejects.toMatchObject({ kind: 'size' })
})

test('a lost connection is distinguished from the end of a body', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('abc', () => response.destroy())
  })
  await expect(textOf({ url, policy: platform })).rejects.toMatchObject({ kind: 'connection' })
})

test('a cancelled request closes the connection to the remote server', async () => {
  let isClosed = false
  const url = await serve((_, response) => {
    response.write('a')
    response.on('close', () => {
      isClosed = true
    })
  })
  const controller = new AbortController()
  const reading = textOf({ url, policy: platform, signal: controller.signal })
  await sleep(50)
  controller.abort()
  await expect(reading).rejects.toMatchObject({ kind: 'cancelled' })
  await expect.poll(() => isClosed).toBe(true)
})

test('the connection is closed when the loop over the body ends early', async () => {
  let isClosed = false
  const url = await serve((_, response) => {
    response.write('a')
    response.on('close', () => {
      isClosed = true
    })
  })
  const response = await sendOutbound({ url, policy: platform })
  for await (const _ of response.body) break
  await expect.poll(() => isClosed).toBe(true)
})

/** Starts a server that counts its connections. */
async function counting(listener: RequestListener) {
  let connections = 0
  const url = await serve(listener)
  servers.at(-1)!.on('connection', () => (connections += 1))
  return { url, connections: () => connections }
}

test('the pool keeps a connection after a complete body, and after a body whose rest is skipped', async () => {
  const { url, connections } = await counting((_, response) => {
    response.write('first')
    setImmediate(() => response.end('rest'))
  })
  const pool = new ConnectionPool()
  const agent = pool.agentFor(new URL(url))
  const whole = once(agent, 'free')
  expect(await textOf({ url, policy: platform, pool })).toBe('firstrest')
  await whole
  const skipped = once(agent, 'free')
  const response = await sendOutbound({ url, policy: platform, pool })
  for await (const chunk of response.body) {
    expect(chunk.toString()).toContain('first')
    response.skipRest()
    break
  }
  response.close()
  await skipped
  expect(await textOf({ url, policy: platform, pool })).toBe('firstrest')
  expect(connections()).toBe(1)
})

test('a pooled connection is closed when its body is not read to the end, so that the server stops its work', async () => {
  const closed = Promise.withResolvers<void>()
  const url = await serve((request, response) => {
    request.socket.once('close', () => closed.resolve())
    response.write('first')
  })
  const response = await sendOutbound({ url, policy: platform, pool: new ConnectionPool() })
  for await (const _chunk of response.body) break
  await expect(closed.promise).resolves.toBeUndefined()
})

test('a request whose pooled connection was closed is sent again on a new connection', async () => {
  const used = new WeakSet<object>()
  const { url, connections } = await counting((request, response) => {
    if (used.has(request.socket)) return void request.socket.destroy()
    used.add(request.socket)
    response.end('ok')
  })
  const pool = new ConnectionPool()
  const free = once(pool.agentFor(new URL(url)), 'free')
  expect(await textOf({ url, policy: platform, pool })).toBe('ok')
  await free
  expect(await textOf({ url, method: 'POST', body: 'x', policy: platform, pool })).toBe('ok')
  expect(connections()).toBe(2)
})
