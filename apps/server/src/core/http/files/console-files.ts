import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { containsDevicePrefix } from '#core/http/request-url.ts'
import { type ConsoleAsset, createConsoleAssets } from './console-assets.ts'

/**
 * Serves the built console from memory, with the brotli files made at build time. Every other URL returns the
 * application's page, whose router shows the screen or the 404 page.
 */
export function serveConsole(app: FastifyInstance) {
  const load = createConsoleAssets()
  app.get('/*', { exposeHeadRoute: true }, async (request, reply) => {
    const path = decode(request.url)
    // A misspelt path of a device call (`/device%2Fv1/check`) receives no page.
    if (path === undefined || path.startsWith('/api/') || containsDevicePrefix(path)) return reply.callNotFound()
    if (/\.[a-z0-9]{1,12}$/i.test(path)) {
      const asset = await load(path.slice(1))
      if (asset) return send(request, reply, asset, path.startsWith('/assets/'))
      // A URL with a dot (`/system/dict/data/index/1.5`) requested by a page navigation is a missing page, not a file.
      if (path.startsWith('/assets/') || !request.headers.accept?.includes('text/html')) return reply.callNotFound()
    }
    const page = (await load(pageOf(path, Boolean(request.cookies.oms_token)))) ?? (await load('index.html'))
    if (!page) return reply.code(503).type('text/plain; charset=utf-8').send('控制台尚未构建，请运行 npm run build')
    return send(request, reply, page, false)
  })
}

/** Pages that need no session. */
const OPEN_PAGES = new Set(['/reg/index', '/resetPwd/index'])

/**
 * Returns the HTML page for a path. Visitors without a token get the small login page instead of the application, which
 * would only redirect them. The cookie only selects the page; every call checks the session. The dashboard for large
 * screens has its own page.
 */
function pageOf(path: string, hasToken: boolean) {
  if (path === '/login') return 'login.html'
  if (path === '/display') return 'display.html'
  return hasToken || OPEN_PAGES.has(path) ? 'index.html' : 'login.html'
}

function decode(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '/')
    return /\.\.|[\0\\]/.test(path) ? undefined : path
  } catch {
    return undefined
  }
}

function send(request: FastifyRequest, reply: FastifyReply, asset: ConsoleAsset, immutable: boolean) {
  const { body, brotli, type, etag, policy } = asset
  reply.header('etag', etag).header('vary', 'accept-encoding').type(type)
  if (policy) reply.header('content-security-policy', policy)
  reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (brotli && /\bbr\b/.test(request.headers['accept-encoding'] ?? ''))
    return reply.header('content-encoding', 'br').send(brotli)
  return reply.send(body)
}
