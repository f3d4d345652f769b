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
