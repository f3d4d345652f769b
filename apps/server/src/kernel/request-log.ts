import type { FastifyInstance } from 'fastify'
import type { User } from './context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `mount` once known: for the log line. */
    caller: User | null
    operation: string | null
  }
}

/** One line a request: who did what, how it ended, how long it took. Never a body, a query or a header. */
export function logRequests(app: FastifyInstance) {
  app.decorateRequest('caller', null)
  app.decorateRequest('operation', null)
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
        ip: request.ip,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
  })
}
