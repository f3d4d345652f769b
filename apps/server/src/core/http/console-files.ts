import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pagePolicy } from './security-headers.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
}

interface Asset {
  readonly body: Buffer
  readonly brotli: Buffer | undefined
  readonly etag: string
  readonly type: string
  /** Content security policy of pages. */
  readonly policy: string | undefined
}

/** Returns the folder of the built console: next to the bundle, or the workspace's `dist` when run from source. */
function consoleRoot() {
  const here = import.meta.dirname
  const places = [join(here, 'console'), join(here, '../../../../dist/console')]
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? (places[1] as string)
}

/**
 * Serves the built console from memory, with the brotli files made at build time. Every other URL returns the
 * application's page, whose router shows the screen or the 404 page.
 */
export function serveConsole(app: FastifyInstance) {
  const root = consoleRoot()
  const cache = new Map<string, Promise<Asset | undefined>>()
  const load = (name: string) => {
    const cached = cache.get(name)
    if (cached) return cached
    const loading = read(root, name)
    cache.set(name, loading)
    // Missing files are not cached, because requests could fill the memory with names.
    void loading.then((asset) => asset ?? cache.delete(name))
    return loading
  }
  app.get('/*', { exposeHeadRoute: true }, async (request, reply) => {
    const path = decode(request.url)
    if (path === undefined || path.startsWith('/api/')) return reply.callNotFound()
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

async function read(root: string, name: string): Promise<Asset | undefined> {
  const type = TYPES[name.split('.').at(-1)?.toLowerCase() ?? '']
  if (!type) return undefined
  try {
    const body = await readFile(join(root, name))
    const brotli = await readFile(join(root, `${name}.br`)).catch(() => undefined)
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    return { body, brotli, type, etag, policy: name.endsWith('.html') ? pagePolicy(inlineScripts(body)) : undefined }
  } catch {
    return undefined
  }
}

/** Returns the base64 SHA-256 of each inline script, as a content security policy lists them. */
const inlineScripts = (page: Buffer) =>
  [...page.toString('utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) =>
    createHash('sha256').update(text).digest('base64'),
  )

function send(request: FastifyRequest, reply: FastifyReply, asset: Asset, immutable: boolean) {
  const { body, brotli, type, etag, policy } = asset
  reply.header('etag', etag).header('vary', 'accept-encoding').type(type)
  if (policy) reply.header('content-security-policy', policy)
  reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (brotli && /\bbr\b/.test(request.headers['accept-encoding'] ?? ''))
    return reply.header('content-encoding', 'br').send(brotli)
  return reply.send(body)
}
