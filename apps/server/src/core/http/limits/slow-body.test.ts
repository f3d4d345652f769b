import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { guardSlowBodies } from './request-body.ts'

const LIMIT_MS = 300

test.each([
  ['of known length', 'content-length: 1000\r\n\r\n', 'a'],
  ['that never ends', 'transfer-encoding: chunked\r\n\r\n', '1\r\na\r\n'],
])('a slow body %s gets HTTP 408 before the connection closes', async (_what, headers, part) => {
  const app = Fastify()
  guardSlowBodies(app, LIMIT_MS)
  app.post('/', async () => 'read')
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket.on('data', (text: string) => (answer += text)).on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nhost: oms\r\ncontent-type: application/json\r\n${headers}`)
  // The server may close while a part is written: an error of the socket is no failure of the test.
  const closed = new Promise((done) => socket.once('close', () => done(true)))
  while (!(await Promise.race([closed, sleep(LIMIT_MS / 5, false)]))) if (socket.writable) socket.write(part)
  expect(answer).toContain('HTTP/1.1 408 ')
  expect(answer).toContain('请求超时，请重试')
  await app.close()
})

test('a call without a body may take longer than the time limit of bodies', async () => {
  const app = Fastify()
  guardSlowBodies(app, LIMIT_MS)
  app.post('/', () => sleep(LIMIT_MS * 3, 'done'))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  expect(await (await fetch(address, { method: 'POST' })).text()).toBe('done')
  await app.close()
})

test('an injected call without a connection may take longer than the time limit of bodies', async () => {
  const app = Fastify()
  guardSlowBodies(app, LIMIT_MS)
  app.post('/', () => sleep(LIMIT_MS * 3, 'done'))
  expect((await app.inject({ method: 'POST', url: '/' })).body).toBe('done')
  await app.close()
})
