import type { FastifyInstance } from 'fastify'

/**
 * Returns the content security policy of pages. Scripts and connections are limited to this server. Inline `scripts`
 * are allowed by the base64 of their SHA-256. Inline styles are allowed because antd generates styles.
 */
export const buildPagePolicy = (scripts: readonly string[] = []) =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...scripts.map((hash) => `'sha256-${hash}'`)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    // The player of recordings feeds the video element from a media source.
    "media-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')
const PAGE_POLICY = buildPagePolicy()

/** Headers of responses that browsers do not show as pages: such content must not run, load or be framed. */
const DATA_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Files have their own policy without `frame-ancestors`.
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const

const PAGE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** Sets security headers on every response unless its route set its own. */
export function setSecurityHeaders(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    const headers = request.url.startsWith('/api/') ? DATA_HEADERS : PAGE_HEADERS
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
    done(null, payload)
  })
}

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
