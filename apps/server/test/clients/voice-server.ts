import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Json = any

interface Options {
  /** Value of `manager-api.url`. */
  readonly url: string
  /** Value of `manager-api.secret`. */
  readonly secret: string
}

interface Said {
  readonly mac: string
  readonly session: string
  readonly kind: 1 | 2 | 3
  readonly content: string
  readonly time?: number
  readonly audio?: Buffer
}

/**
 * Stand-in of the voice server xiaozhi-esp32-server 0.9, written from the protocol. Reads its configuration at the
 * start and requests the configuration of each connecting device. Reports turns, ends sessions, and executes actions
 * received over WebSocket.
 */
export class VoiceServer {
  readonly #options: Options
  /** Actions that were confirmed. */
  readonly actions: string[] = []
  config: Json
  starts = 0
  address = ''
  /** Responds to actions with a failure. */
  isBroken = false
  #server: Server | undefined
  readonly #sockets = new Set<Duplex>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Calls the management API with a new connection, as the Python client does. Throws for codes other than 0. */
  async call(method: string, path: string, body?: object): Promise<Json> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const reply = await new Promise<{ status: number; text: string }>((done, fail) => {
      const headers = {
        'user-agent': 'PythonClient/2.0 (PID:42)',
        accept: 'application/json',
        authorization: `Bearer ${this.#options.secret}`,
        connection: 'close',
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      }
      const request = httpRequest(`${this.#options.url}/${path}`, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      })
      request.on('error', fail).end(text)
    })
    if (reply.status !== 200) throw new Error(`HTTP ${reply.status}`)
    const { code, msg, data } = JSON.parse(reply.text)
    if (code !== 0) throw Object.assign(new Error(msg), { code })
    return data
  }

  /** Reads the base configuration, as at the start and at a reload. */
  async start() {
    this.config = await this.call('POST', 'config/server-base')
    this.starts += 1
  }

  connect(mac: string, clientId = 'client') {
    const selectedModule = this.config?.selected_module ?? {}
    return this.call('POST', 'config/agent-models', { macAddress: mac, clientId, selectedModule })
  }

  report({ mac, session, kind, content, time = Date.now(), audio }: Said) {
    return this.call('POST', 'agent/chat-history/report', {
      macAddress: mac,
      sessionId: session,
      chatType: kind,
      content,
      reportTime: time,
      audioBase64: audio ? audio.toString('base64') : null,
    })
  }

  async end(session: string) {
    await this.call('POST', `agent/chat-title/${session}/generate`)
    await this.call('POST', `agent/chat-summary/${session}/save`)
  }

  /** Opens the WebSocket port that devices and OMS connect to. */
  async listen() {
    this.#server = createServer((_request, response) => response.writeHead(200).end('Server is running\n'))
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex) => this.#upgrade(request, socket))
    await new Promise<void>((done) => this.#server!.listen(0, '127.0.0.1', done))
    this.address = `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/xiaozhi/v1/`
  }

  async close() {
    for (const socket of this.#sockets) socket.destroy()
    this.#server?.closeAllConnections()
    await new Promise((done) => (this.#server ? this.#server.close(done) : done(undefined)))
  }

  #isAuthorised({ headers }: IncomingMessage) {
    const [signature, seconds] = (headers.authorization ?? '').replace('Bearer ', '').split('.')
    const text = `${headers['client-id']}|${headers['device-id']}|${seconds}`
    const expected = createHmac('sha256', this.#options.secret).update(text).digest('base64url')
    return signature === expected && Math.abs(Date.now() / 1000 - Number(seconds)) < 30 * 86_400
  }

  #upgrade(request: IncomingMessage, socket: Duplex) {
    if (!this.#isAuthorised(request)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    this.#sockets.add(socket)
    socket.on('error', () => {})
    // The server requests the configuration of each connecting client, while OMS waits for the confirmation.
    const asked = this.connect(String(request.headers['device-id']), String(request.headers['client-id']))
    socket.once('data', (frame: Buffer) => void this.#act(socket, frame, asked))
    asked.catch(() => {})
  }

  async #act(socket: Duplex, frame: Buffer, asked: Promise<unknown>) {
    const send = (message: object) => socket.write(serverFrame(Buffer.from(JSON.stringify(message))))
    const { type, action, content } = JSON.parse(unmasked(frame))
    await asked
    send({ type: 'hello', session_id: 's' })
    const isKnown = type === 'server' && content.secret === this.#options.secret && !this.isBroken
    if (!isKnown)
      return void send({ type: 'server', status: 'error', message: '服务器密钥验证失败', content: { action } })
    if (action === 'update_config') await this.start()
    this.actions.push(action)
    send({ type: 'server', status: 'success', message: '已执行', content: { action } })
  }
}

function serverFrame(payload: Buffer) {
  const head =
    payload.length < 126
      ? Buffer.from([0x81, payload.length])
      : Buffer.from([0x81, 126, payload.length >> 8, payload.length & 255])
  return Buffer.concat([head, payload])
}

function unmasked(frame: Buffer) {
  const at = (frame[1]! & 0x7f) === 126 ? 4 : 2
  const mask = frame.subarray(at, at + 4)
  return Buffer.from(frame.subarray(at + 4).map((byte, index) => byte ^ mask[index % 4]!)).toString()
}
