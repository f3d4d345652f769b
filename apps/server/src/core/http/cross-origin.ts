import type { FastifyInstance } from 'fastify'

interface CrossOriginRule {
  /** Path prefixes that pages of other origins may request. */
  readonly prefixes: readonly string[]
  /** Request headers that such pages may send. */
  readonly headers: string
  isAllowed(origin: string): Promise<boolean>
}

/**
 * Responds to preflight requests and adds the CORS headers for pages of allowed origins. Cookies are never allowed, so
 * that a page of another origin cannot use a console session. Adds no headers to other paths.
 */
export function allowCrossOrigin(app: FastifyInstance, { prefixes, headers, isAllowed }: CrossOriginRule) {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    if (!origin || !prefixes.some((prefix) => request.url.startsWith(prefix))) return
    reply.header('vary', 'origin')
    if (!(await isAllowed(origin))) return
    reply.header('access-control-allow-origin', origin).header('cross-origin-resource-policy', 'cross-origin')
  })
  for (const prefix of prefixes)
    app.options(`${prefix}*`, (_request, reply) => {
      if (reply.hasHeader('access-control-allow-origin'))
        reply
          .header('access-control-allow-methods', 'GET, HEAD, POST, DELETE')
          .header('access-control-allow-headers', headers)
          .header('access-control-max-age', '600')
      return reply.code(204).send()
    })
}
