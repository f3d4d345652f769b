import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { containsDevicePrefix } from '#core/http/request-log.ts'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPageBrand, type PageBrand } from '#core/brand.ts'
import { buildPagePolicy } from '#core/http/security-headers.ts'
import { brotliCompressSync } from 'node:zlib'
import type { CoreServices } from '#core/services.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Serves the built console from memory, with the brotli files made at build time. Every other URL returns the
 * application's page, whose router shows the screen or the 404 page.
 */
export function serveConsole(app: FastifyInstance, { database }: Pick<CoreServices, 'database'>) {
  const load = createConsoleAssets()
  const withBrand = createBrandedPages()
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
    return send(request, reply, withBrand(page, await findPageBrand(database.db)), false)
  })
}

/**
 * Returns a function that writes the brand of the installation into a page, so that the page is painted with the brand
 * at once. The last page of each kind is kept.
 */
function createBrandedPages() {
  const kept = new Map<ConsoleAsset, { brand: PageBrand; page: ConsoleAsset }>()
  return (page: ConsoleAsset, brand: PageBrand | undefined) => {
    if (!brand) return page
    const before = kept.get(page)
    if (before?.brand === brand) return before.page
    const branded = createPage(page, brandPage(page.body.toString('utf8'), brand))
    kept.set(page, { brand, page: branded })
    return branded
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '')

/** Adds the brand to the root element, and replaces the name in the title and the icon of the browser tab. */
function brandPage(html: string, brand: PageBrand) {
  const { name, favicon } = brand
  return html
    .replace('<html ', () => `<html data-brand="${escapeHtml(JSON.stringify(brand))}" `)
    .replace(/(<title>[^<]*?)运营管理系统/, (_, before: string) => before + escapeHtml(name || '运营管理系统'))
    .replace('href="/favicon.svg" type="image/svg+xml"', (link) => (favicon ? `href="${escapeHtml(favicon)}"` : link))
}

function createPage(page: ConsoleAsset, html: string): ConsoleAsset {
  const body = Buffer.from(html)
  return { ...page, body, brotli: brotliCompressSync(body), etag: computeEtag(body) }
}

/** Pages that need no session. */
const OPEN_PAGES = new Set(['/reg/index', '/resetPwd/index'])

/**
 * Returns the HTML page for a path. Visitors without a token get the small login page instead of the application, which
 * would only redirect them. The cookie only selects the page; every call checks the session. The dashboard for large
 * screens and the guides have their own pages.
 */
function pageOf(path: string, hasToken: boolean) {
  if (path === '/login') return 'login.html'
  if (path === '/display') return 'display.html'
  if (path === '/help') return 'help/index.html'
  if (/^\/help\/[a-z]+$/.test(path)) return `${path.slice(1)}.html`
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

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
}

interface ConsoleAsset {
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
  const places = [join(here, 'console'), join(here, '../../../../../dist/console')]
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? (places[1] as string)
}

/** Returns a loader of built files. Loaded files stay in memory. */
function createConsoleAssets() {
  const root = consoleRoot()
  const cache = new Map<string, Promise<ConsoleAsset | undefined>>()
  return (name: string) => {
    const cached = cache.get(name)
    if (cached) return cached
    const loading = read(root, name)
    cache.set(name, loading)
    // Missing files are not cached, because requests could fill the memory with names.
    void loading.then((asset) => asset ?? cache.delete(name))
    return loading
  }
}

async function read(root: string, name: string): Promise<ConsoleAsset | undefined> {
  const type = TYPES[name.split('.').at(-1)?.toLowerCase() ?? '']
  if (!type) return undefined
  try {
    const body = await readFile(join(root, name))
    const brotli = await readFile(join(root, `${name}.br`)).catch(() => undefined)
    return {
      body,
      brotli,
      type,
      etag: computeEtag(body),
      policy: name.endsWith('.html') ? buildPagePolicy(inlineScripts(body)) : undefined,
    }
  } catch {
    return undefined
  }
}

const computeEtag = (body: Buffer) => `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** Returns the base64 SHA-256 of each inline script, as a content security policy lists them. */
const inlineScripts = (page: Buffer) =>
  [...page.toString('utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) =>
    createHash('sha256').update(text).digest('base64'),
  )

const PAGES: Readonly<Record<string, string>> = {
  '/player/': 'player/player.html',
  '/player/preview.html': 'player/preview.html',
  '/player/package.html': 'player/package.html',
}

/**
 * Content security policy of the web player. Media play from object URLs; web addresses and HTML packages are frames;
 * the console frames the preview.
 */
const PLAYER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  'media-src blob:',
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self' https:",
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Policy of the document around an HTML package: the package's frame cannot navigate to another server. */
const PACKAGE_FRAME_POLICY = PLAYER_POLICY.replace(' https:; frame-ancestors', '; frame-ancestors')

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': PLAYER_POLICY,
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** Returns true when the URL belongs to the web player. */
export const isPlayerUrl = (url: string) => /^\/player(?:[/?]|$)/.test(url)

/**
 * Returns the handler of the web player's files. Processes of every role serve the player, so the handler runs before
 * Fastify.
 */
export function servePlayerFiles() {
  const load = createConsoleAssets()
  return (request: IncomingMessage, response: ServerResponse) => {
    void serve(load, request, response).catch(() => response.destroy())
  }
}

async function serve(load: ReturnType<typeof createConsoleAssets>, request: IncomingMessage, response: ServerResponse) {
  const [path = '', search] = (request.url ?? '').split('?', 2)
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, { allow: 'GET, HEAD' })
  if (path === '/player') return end(response, 308, { location: `/player/${search === undefined ? '' : `?${search}`}` })
  const name = PAGES[path] ?? (/^\/player\/[\w-]+\.(?:js|css)$/.test(path) ? path.slice(1) : undefined)
  if (path === '/player/package.html') response.setHeader('content-security-policy', PACKAGE_FRAME_POLICY)
  const asset = name === undefined ? undefined : await load(name)
  if (!asset) return end(response, 404, { 'cache-control': 'no-store' })
  return sendPlayerFile(request, response, asset, /-[\w-]{8}\.(?:js|css)$/.test(path))
}

function sendPlayerFile(request: IncomingMessage, response: ServerResponse, asset: ConsoleAsset, isImmutable: boolean) {
  const { etag, type, body, brotli } = asset
  response.setHeader('etag', etag)
  response.setHeader('vary', 'accept-encoding')
  response.setHeader('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
  const isBrotli = brotli !== undefined && /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (isBrotli) response.setHeader('content-encoding', 'br')
  const bytes = isBrotli ? brotli : body
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

const end = (response: ServerResponse, status: number, headers: Readonly<Record<string, string>>) =>
  void response.writeHead(status, { ...headers, 'content-length': 0 }).end()
