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
