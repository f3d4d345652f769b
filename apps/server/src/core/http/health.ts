import type { FastifyInstance } from 'fastify'
import type { Module } from './implement.ts'
import type { Services } from '#core/services.ts'
import { serveApiDocument } from './openapi.ts'
import { type MeasuredRequest, createMetrics } from './metrics.ts'

/** Serves the operators' endpoints: `/healthz`, `/readyz`, the API document and, when enabled, `/metrics`. */
export function serveHealth(app: FastifyInstance, services: Services, modules: readonly Module[]) {
  app.get('/healthz', { logLevel: 'silent', exposeHeadRoute: true }, async () => ({ status: 'ok' }))
  app.get('/readyz', { logLevel: 'silent', exposeHeadRoute: true }, async (_request, reply) => {
    const { ready, ...state } = await checkReadiness(services)
    return reply.code(ready ? 200 : 503).send(state)
  })
  serveApiDocument(app, services, modules)
  if (services.config.metrics) serveMetrics(app, services)
}

function serveMetrics(app: FastifyInstance, services: Services) {
  app.addHook('onReady', async () => void (await createMetrics(services)))
  app.addHook('onResponse', async (request, reply) => {
    const { url = '' } = request.routeOptions
    const measured = {
      operationClass: classOf(request.method, url),
      code: request.bodyCode ?? reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    }
    ;(await createMetrics(services))?.observe(measured)
  })
  app.get('/metrics', { logLevel: 'silent' }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(await (await createMetrics(services))?.text()),
  )
}

function classOf(method: string, url: string): MeasuredRequest['operationClass'] {
  if (!url.startsWith('/api/v1/')) return 'other'
  if (/^\/api\/v1\/account\/(?:login|captcha|register|passwd\/reset|mfa)/.test(url)) return 'login'
  if (url.startsWith('/api/v1/file')) return 'file'
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

/**
 * Reports whether this process can serve calls. Without the file store or the store of videos the process is degraded but
 * ready: lists and forms still work. A proxy that removed every process would make the outage complete.
 */
export async function checkReadiness(services: Services) {
  const [database, ...parts] = await Promise.all([
    isHealthy(() => askDatabase(services)),
    ...[...services.readiness.checks].map(async ([name, check]) => [name, await isHealthy(check)] as const),
  ])
  const checks = { database, ...Object.fromEntries(parts) }
  const { hasBegun: isStopping } = services.shutdown
  const isLoaded = services.readiness.isLoaded()
  const ready = database && isLoaded && !isStopping
  const isComplete = parts.every(([, isWorking]) => isWorking)
  const lack = !database ? 'unavailable' : isLoaded ? undefined : 'loading'
  const status = isStopping ? 'stopping' : (lack ?? (isComplete ? 'ok' : 'degraded'))
  return { ready, status, checks }
}

/**
 * Resolves at the first response of the database. Asks over two connections: the connection of the events responds
 * while calls use the whole pool, and the pool responds while the events reconnect.
 */
const askDatabase = ({ database, events }: Services) =>
  Promise.any([
    database.pool.query('select 1'),
    events.caughtUp().then((hasResponded) => (hasResponded ? undefined : Promise.reject(new Error('not connected')))),
  ])

async function isHealthy(check: () => Promise<unknown>) {
  const late = new Promise<false>((done) => setTimeout(() => done(false), 2000).unref())
  return Promise.race([
    check().then(
      () => true,
      () => false,
    ),
    late,
  ])
}
