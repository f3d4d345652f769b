import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { User } from './context.ts'

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
