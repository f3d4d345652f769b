import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { sendServerAction } from './server-actions.ts'

const oms = voiceLab()
const open: { server: HttpServer | Server; sockets: Set<Duplex> }[] = []
afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
  }
})

/** Starts a server and returns its address. */
async function listen(server: HttpServer | Server) {
  const sockets = new Set<Duplex>()
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})))
  open.push({ server, sockets })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/xiaozhi/v1/`
}

const webSockets = new WebSocketServer({
  noServer: true,
  maxPayload: 1024,
  perMessageDeflate: false,
  clientTracking: false,
})

/** Starts a voice server that accepts the WebSocket and calls `connected` with its socket. */
const voiceServer = (connected: (socket: Duplex) => void) =>
  listen(
    createHttpServer().on('upgrade', (request, socket: Duplex, head) => {
      webSockets.handleUpgrade(request, socket, head, () => connected(socket))
    }),
  )
const frame = (text: string) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
const LIMITS = { connectMs: 200, responseMs: 300 }
const restart = (address: string) => sendServerAction(oms.services(), { tenantId: 1, address }, 'restart', LIMITS)

describe('AGENT-11 a voice server that does not confirm', () => {
  test('a refused connection is reported at once', async () => {
    const address = await listen(createServer())
    const { server } = open.pop()!
    await new Promise((done) => server.close(done))
    await expect(restart(address)).rejects.toMatchObject({ name: 'OutboundError', message: '连接被拒绝' })
  })

  test('an action on a server that never accepts the WebSocket fails after the connect timeout', async () => {
    await expect(restart(await listen(createServer()))).rejects.toMatchObject({ kind: 'time', message: '连接超时' })
  })

  test('an action on a web server without WebSocket fails, and the error contains its status', async () => {
    const address = await listen(createHttpServer((_request, response) => response.writeHead(404).end('none')))
    await expect(restart(address)).rejects.toMatchObject({
      kind: 'address',
      message: '对方不是 WebSocket 服务（HTTP 404）',
    })
  })

  test('an action on a server that accepts the WebSocket and never replies fails after the reply timeout', async () => {
    await expect(restart(await voiceServer(() => {}))).rejects.toMatchObject({ kind: 'time', message: '等待响应超时' })
  })

  test('an action on a server that sends only unrelated messages fails after the reply timeout', async () => {
    const address = await voiceServer((socket) => {
      const timer = setInterval(() => socket.write(frame('{"type":"tts","state":"start"}')), 5)
      socket.on('close', () => clearInterval(timer)).on('error', () => clearInterval(timer))
    })
    await expect(restart(address)).rejects.toMatchObject({ kind: 'time' })
  })

  test.each<[string, (socket: Duplex) => void, string]>([
    ['closes the connection', (socket) => socket.end(), '对方关闭了连接'],
    ['sends half a frame and closes', (socket) => socket.end(frame('{"type":"server"}').subarray(0, 5)), '关闭了连接'],
    ['refuses', (socket) => socket.write(frame('{"type":"server","status":"error","message":"no"}')), 'no'],
    ['confirms with odd fields', (socket) => socket.write(frame('{"type":"server","status":"error"}')), '没有执行'],
  ])('an action on a server that %s fails, and the error contains the reason', async (_name, connected, words) => {
    await expect(restart(await voiceServer(connected))).rejects.toThrow(words)
  })

  test('a frame of 2 GB closes the connection before it is read', async () => {
    const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff])
    await expect(restart(await voiceServer((socket) => socket.write(head)))).rejects.toMatchObject({
      name: 'OutboundError',
    })
  })

  test('the success message of another action does not confirm an action', async () => {
    const words = '{"type":"server","status":"success","content":{"action":"update_config"}}'
    await expect(restart(await voiceServer((socket) => socket.write(frame(words))))).rejects.toMatchObject({
      kind: 'time',
    })
  })
})
