import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** IP address of the client. `ip` of Fastify would be the address of the proxy. */
    readonly clientAddress: string
  }
}

type Received = Pick<IncomingMessage, 'headers' | 'socket'>
type Fact = 'for' | 'proto' | 'host' | 'port'

/** Adds `clientAddress` to the requests of the console. */
export function decorateClientAddress(app: FastifyInstance, trustProxy: number | false) {
  app.decorateRequest('clientAddress', {
    getter() {
      return readClientAddress(this.raw, trustProxy)
    },
  })
}

/**
 * Returns the IP address of the client: behind trusted proxies, the address that the outermost proxy reports. A reported
 * text that is no IP address counts as absent.
 */
export function readClientAddress(request: Received, trustProxy: number | false): string {
  const direct = request.socket.remoteAddress ?? ''
  return parseAddress(readForwarded(request, trustProxy, 'for')) ?? parseAddress(direct) ?? direct
}

export const readScheme = (request: Received, trustProxy: number | false) =>
  readForwarded(request, trustProxy, 'proto')?.toLowerCase() === 'https' ? 'https' : 'http'

/** Returns host and port that the client requested. `direct` is the Host header of the request. */
export function readHost(request: Received, trustProxy: number | false, direct: string): string {
  const host = readForwarded(request, trustProxy, 'host') ?? direct
  const port = readForwarded(request, trustProxy, 'port') ?? ''
  const usual = readScheme(request, trustProxy) === 'https' ? '443' : '80'
  return /^\d{1,5}$/.test(port) && port !== usual && !/:\d+$/.test(host) ? `${host}:${port}` : host
}

/**
 * Returns the value of a field that the outermost trusted proxy reports. `Forwarded` (RFC 7239) is read only without
 * `X-Forwarded-For`. A proxy that writes one of these headers may forward the other header from the client unchanged.
 */
function readForwarded({ headers }: Received, trustProxy: number | false, fact: Fact): string | undefined {
  if (trustProxy === false) return undefined
  const entries =
    headers.forwarded === undefined || headers['x-forwarded-for'] !== undefined
      ? String(headers[`x-forwarded-${fact}`] ?? '').split(',')
      : headers.forwarded.split(',').map((entry) => readParameter(entry, fact))
  return entries[Math.max(0, entries.length - trustProxy)]?.trim() || undefined
}

/** Returns a parameter of one entry of `Forwarded`: `for="[2001:db8::1]:4711";proto=https`. */
function readParameter(entry: string, name: string) {
  const found = entry.split(';').find((each) => each.trim().toLowerCase().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).replaceAll('"', '')
}

/** Returns the IP address without port, brackets and zone, and an IPv4 address without its IPv6 prefix. */
function parseAddress(text = ''): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1')
  const address = bare.split('%', 1)[0]!.replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) > 0 ? address : undefined
}
