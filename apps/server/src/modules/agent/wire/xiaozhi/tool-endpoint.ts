import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import { readClientAddress } from '#core/http/forwarded.ts'
import type { Services } from '#core/services.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { handleMessage } from './tool-messages.ts'

const PATH = '/xiaozhi/mcp/call'
const MAX_MESSAGE = 64 * 1024
const MAX_URL = 2048
const MESSAGES_A_MINUTE = 120
/** Maximum number of messages of one connection that wait for their processing. */
const MAX_WAITING = 16
/** Maximum bytes of responses that the client of a connection has not read. */
const MAX_UNREAD = 1024 * 1024
/**
 * Maximum connections of one device. A further connection closes the oldest, because a voice server may not notice that
 * it lost a connection.
 */
const MAX_OF_DEVICE = 4
const MAX_OF_PROCESS = 5000
const PING_MS = 30_000
/** Time within which a connection must send its first message. */
const FIRST_MESSAGE_MS = 15_000
const CLOSE_MS = 2000
/** `readyState` of an open connection. */
const OPEN = 1
/** Close codes of RFC 6455. */
const CLOSE = { goingAway: 1001, unsupported: 1003, policy: 1008 } as const

interface Connection {
  readonly client: WebSocket
  readonly grant: ToolGrant
  isAlive: boolean
  waiting: number
  /** Resolves when the responses to all received messages are sent. */
  turn: Promise<void>
}

const pathOf = (url: string) => url.split('?', 1)[0]!.replace(/\/$/, '')

/** Endpoint of the tools that agents use for their devices: the Model Context Protocol over WebSocket. */
export class ToolEndpoint {
  readonly #services: Services
  readonly #side: DeviceServices
  /** WebSocket server, loaded with the first connection, because most installations have no connections. */
  #sockets: Promise<WebSocketServer> | undefined
  readonly #connections = new Set<Connection>()
  #timer: NodeJS.Timeout | undefined

  constructor(side: DeviceServices) {
    this.#side = side
    this.#services = side.services
    side.services.shutdown.onBegin(() => this.close())
  }

  /**
   * Accepts the WebSocket upgrades of an HTTP server that belong to this endpoint. All other requests stay ordinary
   * requests.
   */
  listen(server: Server) {
    const shouldUpgradeCallback = ({ url = '' }: IncomingMessage) => pathOf(url) === PATH
    Object.assign(server, { shouldUpgradeCallback })
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** Closes each connection after its running call. Terminates clients that do not confirm the close. */
  close() {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const { client, turn } of this.#connections) void turn.finally(() => client.close(CLOSE.goingAway, 'shutdown'))
    setTimeout(() => {
      for (const { client } of this.#connections) client.terminate()
    }, CLOSE_MS).unref()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    socket.on('error', () => socket.destroy())
    const { config, fleet, log, rate, shutdown } = this.#services
    const { url = '' } = request
    const ip = readClientAddress(request, config.trustProxy)
    try {
      this.#side.limits.takeAddress(ip, Date.now(), fleet.slots)
    } catch {
      return refuse(socket, 429)
    }
    if (url.length > MAX_URL) return refuse(socket, 414)
    const token = new URLSearchParams(url.split('?', 2)[1]).get('token') ?? ''
    const grant = readToolToken(config.secretKey, token, Date.now())
    if (!grant) {
      if (rate.tryTake(`tool-endpoint:${ip}`, 1)) log.warn({ ip }, 'tool endpoint refused: wrong token')
      return refuse(socket, 401)
    }
    if (shutdown.hasBegun || this.#connections.size >= MAX_OF_PROCESS) return refuse(socket, 503)
    this.#sockets ??= loadSockets()
    this.#sockets.then(
      (sockets) => sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client, grant)),
      (error: unknown) => {
        log.error({ err: error }, 'tool endpoint failed')
        socket.destroy()
      },
    )
  }

  #accept(client: WebSocket, grant: ToolGrant) {
    if (this.#services.shutdown.hasBegun) return client.close(CLOSE.goingAway, 'shutdown')
    const connection: Connection = { client, grant, isAlive: true, waiting: 0, turn: Promise.resolve() }
    this.#closeOldest(grant.deviceId)
    this.#connections.add(connection)
    this.#timer ??= setInterval(() => this.#ping(), PING_MS).unref()
    const silent = setTimeout(() => client.close(CLOSE.policy, 'no message'), FIRST_MESSAGE_MS).unref()
    client
      .on('message', (data, isBinary) => {
        clearTimeout(silent)
        if (isBinary) return client.close(CLOSE.unsupported, 'text only')
        this.#take(connection, data.toString('utf8'))
      })
      .on('pong', () => (connection.isAlive = true))
      .on('error', () => client.terminate())
      .on('close', () => {
        clearTimeout(silent)
        this.#connections.delete(connection)
      })
  }

  #closeOldest(deviceId: number) {
    const own = [...this.#connections].filter(({ grant }) => grant.deviceId === deviceId)
    for (const { client } of own.slice(0, Math.max(0, own.length - MAX_OF_DEVICE + 1)))
      client.close(CLOSE.policy, 'too many connections')
  }

  /** Handles the messages of a connection one after the other. */
  #take(connection: Connection, text: string) {
    const { client, grant } = connection
    const isWithinRate = this.#services.rate.tryTake(`tool-message:${grant.deviceId}`, MESSAGES_A_MINUTE)
    if (!isWithinRate || connection.waiting >= MAX_WAITING || client.bufferedAmount > MAX_UNREAD)
      return client.close(CLOSE.policy, 'too many messages')
    connection.waiting += 1
    connection.turn = connection.turn
      .then(() => this.#answer(connection, text))
      .finally(() => {
        connection.waiting -= 1
      })
  }

  async #answer({ client, grant }: Connection, text: string) {
    if (client.readyState !== OPEN) return
    const response = await handleMessage(this.#services, grant, text)
    if (response !== undefined && client.readyState === OPEN) client.send(response)
  }

  /** Terminates the connections that did not respond to the last ping, and pings the others. */
  #ping() {
    for (const connection of this.#connections) {
      if (!connection.isAlive) connection.client.terminate()
      else {
        connection.isAlive = false
        connection.client.ping()
      }
    }
  }
}

const loadSockets = async () =>
  new (await import('ws')).WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
    clientTracking: false,
  })

function refuse(socket: Duplex, status: 401 | 414 | 429 | 503) {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const USE = 'xiaozhi-tools'
/**
 * Validity in seconds. A voice server may connect to the tools until this long after the start of a voice connection.
 */
const TOKEN_SECONDS = 86_400

/** Permission in a token of the tool endpoint: the tools of one agent for one device. */
export interface ToolGrant {
  readonly deviceId: number
  readonly agentId: number
}

/** Returns the token with which a voice server uses the tools of an agent for a device. */
export const createToolToken = (secretKey: Buffer, { deviceId, agentId }: ToolGrant, nowMs: number): string =>
  signNumbers(secretKey, USE, [deviceId, agentId, Math.floor(nowMs / 1000) + TOKEN_SECONDS])

/** Returns the grant of a valid token; undefined for a wrong or expired token. */
function readToolToken(secretKey: Buffer, token: string, nowMs: number): ToolGrant | undefined {
  const [deviceId = 0, agentId = 0, end = 0] = readNumbers(secretKey, USE, token, 3) ?? []
  return end * 1000 < nowMs ? undefined : { deviceId, agentId }
}

interface Asker extends ToolGrant {
  readonly secretKey: Buffer
  /** Address at which the voice server called. */
  readonly origin: string
  readonly now: number
}

/** Returns the WebSocket address of the tool endpoint; undefined for an agent without tools. */
export const createToolAddress = ({ secretKey, origin, now, ...grant }: Asker, tools: readonly string[]) =>
  tools.length === 0
    ? undefined
    : `${origin.replace(/^http/, 'ws')}/xiaozhi/mcp/call/?token=${createToolToken(secretKey, grant, now)}`
