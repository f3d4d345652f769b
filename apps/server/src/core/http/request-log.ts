import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { User } from './context.ts'
import { BlockList, isIP } from 'node:net'

declare module 'fastify' {
  interface FastifyRequest {
    /** `mount` sets the caller for the log line as soon as the session is known. */
    caller: User | null
    operation: string | null
    /** Body code of the response; null for responses without an envelope. */
    bodyCode: number | null
  }
}

/** Returns the id that a proxy gave the request (`X-Request-Id`, or the trace of `traceparent`), or a new one. */
export function readRequestId({ 'x-request-id': given, traceparent }: IncomingHttpHeaders): string {
  if (typeof given === 'string' && /^[\w.:-]{8,64}$/.test(given)) return given
  const trace = /^[\da-f]{2}-([\da-f]{32})-/.exec(String(traceparent))?.[1]
  // `randomUUID` uses a pool of random bytes. Requesting eight random bytes separately is slower.
  return trace ?? randomUUID().replaceAll('-', '').slice(0, 16)
}

/** Logs one line per request: account, call, result and duration. Never logs a body, a query or a header. */
export function logRequests(app: FastifyInstance) {
  app.decorateRequest('caller', null)
  app.decorateRequest('operation', null)
  app.decorateRequest('bodyCode', null)
  app.addHook('onResponse', async (request, reply) => {
    if (!request.url.startsWith('/api/')) return
    request.log.info(
      {
        account: request.caller?.uid,
        tenant: request.caller?.tenantId,
        operation: request.operation,
        method: request.method,
        path: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        code: request.bodyCode ?? undefined,
        ip: request.clientAddress,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
  })
}

/**
 * Returns the URL of a request as the routers expect it: without scheme and host, which RFC 9112 allows every client to
 * send, without empty path segments, and without escaped letters and digits in the path.
 */
export function normalizeUrl(url: string): string {
  if (url.startsWith('/') && !url.includes('//') && !url.includes('%')) return url
  const bare = url.replace(/^https?:\/\/[^/?]*/i, '')
  const end = bare.search(/\?|$/)
  const path = bare
    .slice(0, end)
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(ESCAPED_ALPHANUMERIC, decodeURIComponent)
  return (path || '/') + bare.slice(end)
}

const ESCAPED_ALPHANUMERIC = /%(?:3\d|[46][1-9a-f]|[57][\da])/gi

const DEVICE_PATH = /^((?:\/[^/?]+)?)\/(controller\/v1|device\/v1|xiaozhi)(?:\/|(?=\?)|$)/i
const DEVICE_PREFIX = /(?:controller\/v1|device\/v1|xiaozhi)(?:\/|$)/i

/** Returns true for a decoded path that contains the prefix of device calls, also at a wrong place. */
export const containsDevicePrefix = (path: string) => DEVICE_PREFIX.test(path)

/**
 * Returns the URL of a device call with the prefix in lower case, or undefined for other URLs. Takes a normalised URL.
 * Only the prefix `controller` follows a tenant segment.
 */
export function readDeviceUrl(url: string): string | undefined {
  const [matched, tenant, prefix] = DEVICE_PATH.exec(url) ?? []
  if (matched === undefined || (tenant !== '' && !/^c/i.test(prefix!))) return undefined
  return `${tenant}/${prefix!.toLowerCase()}/${url.slice(matched.length)}`
}

const PRIVATE = new BlockList()
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4')
PRIVATE.addAddress('::1', 'ipv6')
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Returns 内网 for a private address and an empty text for other addresses, because no location data is installed. */
export function locateIp(ip: string): string {
  const bare = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  const version = isIP(bare)
  if (version === 0) return ''
  return PRIVATE.check(bare, version === 6 ? 'ipv6' : 'ipv4') ? '内网' : ''
}
