import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ConsoleAsset, createConsoleAssets } from './console-assets.ts'

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
  return send(request, response, asset, /-[\w-]{8}\.(?:js|css)$/.test(path))
}

function send(request: IncomingMessage, response: ServerResponse, asset: ConsoleAsset, isImmutable: boolean) {
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
