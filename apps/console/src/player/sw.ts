import { OBJECT_STORES, transact } from './database.ts'

// Service worker of `/player/`. Responds with the cached shell, also without a network, and with stored HTML packages.

interface WorkerScope extends EventTarget {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
}
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface Fetching extends Event {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
/** URLs of the player's document and its files, and their hash. The build sets both. */
declare const __SHELL__: readonly string[]
declare const __SHELL_HASH__: string

const CACHE = `oms-player-${__SHELL_HASH__}`
const worker = self as unknown as WorkerScope
const on = <E extends Event>(name: string, run: (event: E) => void) =>
  worker.addEventListener(name, run as EventListener)

on<Extendable>('install', (event) => {
  const store = async () => {
    const cache = await caches.open(CACHE)
    await cache.addAll(__SHELL__.map((url) => new Request(url, { cache: 'no-cache' })))
    await worker.skipWaiting()
  }
  event.waitUntil(store())
})

on<Extendable>('activate', (event) => {
  const clean = async () => {
    for (const name of await caches.keys())
      if (name.startsWith('oms-player-') && name !== CACHE) await caches.delete(name)
    await worker.clients.claim()
  }
  event.waitUntil(clean())
})

on<Fetching>('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  const sha256 = /^\/player\/pkg\/([0-9a-f]{64})\/$/.exec(url.pathname)?.[1]
  if (sha256 !== undefined) event.respondWith(sendPackage(sha256, request))
  else if (__SHELL__.includes(url.pathname)) event.respondWith(sendShell(url.pathname, request))
})

/** Responds from the cache of this build. The document and its files always belong together. */
async function sendShell(path: string, request: Request) {
  const cache = await caches.open(CACHE)
  return (await cache.match(path)) ?? fetch(request)
}

/** Isolates a package: an opaque origin without storage, network, frames and forms. */
const PACKAGE_POLICY = [
  'sandbox allow-scripts',
  "default-src data: blob: 'unsafe-inline'",
  "connect-src 'none'",
  "frame-src 'none'",
  "form-action 'none'",
].join('; ')

/** Responds with a stored package. Packages of previews are not stored and come from the server. */
async function sendPackage(sha256: string, request: Request) {
  const range = IDBKeyRange.bound([sha256, 0], [sha256, Infinity])
  const parts = await transact(
    OBJECT_STORES.chunks,
    'readonly',
    (store) => store.getAll(range) as IDBRequest<Blob[]>,
  ).catch(() => [])
  if (parts.length === 0) return fetch(request)
  return new Response(new Blob(parts), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PACKAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  })
}
