import type { FastifyInstance } from 'fastify'

/** Scripts and connections come from this server alone; styles may be inline because antd computes some of its own. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ')

/** Headers every answer carries unless its route set its own. */
export function setSecurityHeaders(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply) => {
    const set = (name: string, value: string) => {
      if (!reply.hasHeader(name)) reply.header(name, value)
    }
    set('x-content-type-options', 'nosniff')
    set('referrer-policy', 'same-origin')
    set('content-security-policy', PAGE_POLICY)
    set('x-frame-options', 'DENY')
    set('cross-origin-opener-policy', 'same-origin')
    set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
    if (request.url.startsWith('/api/')) set('cache-control', 'no-store')
  })
}
