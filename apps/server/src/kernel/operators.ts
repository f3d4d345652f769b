import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import type { FastifyInstance } from 'fastify'
import type { Module } from './implement.ts'
import type { Kernel } from './kernel.ts'
import { admit } from './admit.ts'
import { openApiDocument } from './openapi.ts'

/** Addresses for those who run the server: `/healthz`, `/readyz`, the API document and, when switched on, `/metrics`. */
export function serveOperators(app: FastifyInstance, kernel: Kernel, modules: readonly Module[]) {
  app.get('/healthz', { logLevel: 'silent', exposeHeadRoute: true }, async () => ({ status: 'ok' }))
  app.get('/readyz', { logLevel: 'silent', exposeHeadRoute: true }, async (_request, reply) => {
    const { ready, checks } = await readiness(kernel)
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', checks })
  })
  let document: string | undefined
  const describe = () => (document ??= JSON.stringify(openApiDocument(modules)))
  app.get('/api/v1/openapi.json', async (request, reply) => {
    if (!kernel.config.apiDocsOpen) await admit(kernel, request, DOCUMENT)
    return reply.type('application/json; charset=utf-8').send(describe())
  })
  if (kernel.config.apiDocsOpen)
    app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(describe()))
  if (kernel.config.metrics) serveMetrics(app, kernel)
}

const LOOP_RESOLUTION_MS = 5

function serveMetrics(app: FastifyInstance, kernel: Kernel) {
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loop.enable()
  app.addHook('onClose', async () => void loop.disable())
  app.get('/metrics', { logLevel: 'silent' }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(metrics(kernel, loop)),
  )
}

const DOCUMENT = { method: 'GET', path: '/api/v1/openapi.json', access: 'system:AboutUs:list' } as unknown as Endpoint

/** Can this process do its work right now? */
export async function readiness(kernel: Kernel) {
  const checks = {
    database: await works(() => kernel.database.pool.query('select 1')),
    files: await works(() => kernel.files.check()),
  }
  return { ready: checks.database && checks.files, checks }
}

async function works(check: () => Promise<unknown>) {
  const late = new Promise<false>((done) => setTimeout(() => done(false), 2000).unref())
  return Promise.race([
    check().then(
      () => true,
      () => false,
    ),
    late,
  ])
}

function metrics({ database: { pool } }: Kernel, loop: ReturnType<typeof monitorEventLoopDelay>) {
  const memory = process.memoryUsage()
  // Each value holds the interval of the clock itself; counted since the last time somebody asked.
  const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3) || 0
  const [longest, usual] = [delay(loop.max), delay(loop.percentile(99))]
  loop.reset()
  const lines = [
    ['oms_process_uptime_seconds', 'gauge', process.uptime()],
    ['oms_process_resident_memory_bytes', 'gauge', memory.rss],
    ['oms_process_heap_used_bytes', 'gauge', memory.heapUsed],
    ['oms_process_cpu_seconds_total', 'counter', (process.cpuUsage().user + process.cpuUsage().system) / 1e6],
    ['oms_event_loop_delay_max_seconds', 'gauge', longest],
    ['oms_event_loop_delay_p99_seconds', 'gauge', usual],
    ['oms_database_connections', 'gauge', pool.totalCount],
    ['oms_database_connections_idle', 'gauge', pool.idleCount],
    ['oms_database_requests_waiting', 'gauge', pool.waitingCount],
  ] as const
  return lines.map(([name, type, value]) => `# TYPE ${name} ${type}\n${name} ${value}\n`).join('')
}
