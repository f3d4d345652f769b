import type { FastifyInstance } from 'fastify'

/**
 * Scripts and connections come from this server alone, but for `scripts` written into the page, named by the base64 of
 * their SHA-256; styles may be inline because antd computes some of its own.
 */
export const pagePolicy = (scripts: readonly string[] = []) =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...scripts.map((hash) => `'sha256-${hash}'`)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')
const PAGE_POLICY = pagePolicy()

/** Of answers a browser never shows as a page: nothing in them may be run, loaded or framed. */
const DATA_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // A file has a policy of its own, which says nothing of frames.
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

/** Headers every answer carries unless its route set its own. */
export function setSecurityHeaders(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    const headers = request.url.startsWith('/api/') ? DATA_HEADERS : PAGE_HEADERS
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value)
    done(null, payload)
  })
}
