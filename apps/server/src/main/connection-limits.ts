import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { readClientAddress } from '#core/http/forwarded.ts'
import type { Services } from '#core/services.ts'
import { discardUnreadBody } from '#core/http/limits/request-body.ts'

const PER_ADDRESS = 100
/** Additional connections above the limit, reserved for the probes. */
const RESERVE = 32
/** Milliseconds within which a connection above the limit must send its request. */
const RESERVE_MS = 3_000
const LOG_EVERY_MS = 10_000
const MAX_LOGGED = 1000
const PROBES = new Set(['/healthz', '/readyz'])
const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/**
 * Limits connections in total and per client address, and keeps the probes reachable. Without a trusted proxy, the
 * address is that of the connection. Behind a proxy, running requests are counted by client address, because all
 * connections belong to the proxy.
 */
export function limitConnections(server: Server, services: Services) {
  const { maxConnections, role, trustProxy } = services.config
  const log = new RefusalLog(services)
  // Thousands of devices may share one address and reconnect together after a power failure.
  const perAddress = { console: PER_ADDRESS, all: Math.max(PER_ADDRESS, maxConnections / 2), device: Infinity }[role]
  const byAddress = new Counts(perAddress)
  const { isSurplus, follow } = limitTotal(server, maxConnections)
  if (trustProxy === false) limitSockets(server, byAddress, log)
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Closes kept connections during a shutdown. A proxy could lose a call that it sends on such a connection.
    if (services.shutdown.hasBegun) response.shouldKeepAlive = false
    discardUnreadBody(request, response)
    follow(request.socket, response)
    if (!PROBES.has(request.url ?? '')) {
      const address = readClientAddress(request, trustProxy)
      if (isSurplus(request.socket)) {
        log.note(address, 'all connections are in use')
        return refuse(response, 503)
      }
      if (trustProxy !== false && !LOOPBACK.test(address)) {
        if (!byAddress.take(address)) {
          log.note(address, TOO_MANY)
          return refuse(response, 429)
        }
        response.once('close', () => byAddress.release(address))
      }
    } else if (isSurplus(request.socket)) response.shouldKeepAlive = false
    for (const listener of listeners) listener.call(server, request, response)
  })
}

const TOO_MANY = 'too many connections from this address'
const WORDS = { 429: '操作过于频繁，请稍后再试', 503: '服务暂时不可用，请稍后再试' } as const

function refuse(response: ServerResponse, status: 429 | 503) {
  const body = JSON.stringify({ code: status, msg: WORDS[status], data: null })
  response.shouldKeepAlive = false
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'retry-after': '5',
    })
    .end(body)
}

/**
 * Limits the total number of connections. A connection above the limit replaces the connection that has been longest
 * without a running request. While all connections have a running request, a few more connections are accepted for a
 * short time, so that health probes succeed.
 */
function limitTotal(server: Server, maxConnections: number) {
  const surplus = new WeakSet<Socket>()
  /** Connections without a running request, the longest waiting first. */
  const waiting = new Set<Socket>()
  let open = 0
  server.maxConnections = maxConnections + RESERVE
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
      waiting.delete(socket)
    })
    const [longest] = waiting
    waiting.add(socket)
    if (open <= maxConnections) return
    if (longest) {
      waiting.delete(longest)
      return void longest.destroy()
    }
    surplus.add(socket)
    const timer = setTimeout(() => socket.destroy(), RESERVE_MS).unref()
    socket.once('close', () => clearTimeout(timer))
  })
  // Registers the listener only for a server with WebSockets, because Node accepts upgrades as soon as a listener
  // exists.
  if (server.listenerCount('upgrade') > 0) server.on('upgrade', ({ socket }) => void waiting.delete(socket))
  return {
    isSurplus: (socket: Socket) => surplus.has(socket),
    follow(socket: Socket, response: ServerResponse) {
      waiting.delete(socket)
      response.once('close', () => socket.destroyed || waiting.add(socket))
    },
  }
}

/**
 * Limits connections per address, so that one client cannot use all connections. Loopback is exempt, because a proxy
 * may run on this machine.
 */
function limitSockets(server: Server, byAddress: Counts, log: RefusalLog) {
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (LOOPBACK.test(address)) return
    if (byAddress.take(address)) return void socket.once('close', () => byAddress.release(address))
    log.note(address, TOO_MANY)
    socket.destroy()
  })
}

/** Counters per address. */
class Counts {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  take(address: string): boolean {
    const count = this.#counts.get(address) ?? 0
    if (count >= this.#most) return false
    this.#counts.set(address, count + 1)
    return true
  }

  release(address: string) {
    const left = (this.#counts.get(address) ?? 1) - 1
    if (left > 0) this.#counts.set(address, left)
    else this.#counts.delete(address)
  }
}

/** Logs the first refusal of an address at once, and the number of further refusals every 10 s. */
class RefusalLog {
  readonly #services: Services
  readonly #further = new Map<string, { reason: string; count: number }>()

  constructor(services: Services) {
    this.#services = services
  }

  note(ip: string, reason: string): void {
    const known = this.#further.get(ip)
    if (known) return void (known.count += 1)
    if (this.#further.size >= MAX_LOGGED) return
    this.#further.set(ip, { reason, count: 0 })
    this.#services.log.warn({ ip, reason }, 'connection refused')
    if (this.#further.size === 1) setTimeout(() => this.#flush(), LOG_EVERY_MS).unref()
  }

  #flush() {
    for (const [ip, { reason, count }] of this.#further)
      if (count > 0) this.#services.log.warn({ ip, reason, refused: count }, 'connections refused')
    this.#further.clear()
  }
}
