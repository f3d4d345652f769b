import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPagePolicy } from '#core/http/security-headers.ts'

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

export interface ConsoleAsset {
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
export function createConsoleAssets() {
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
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    return {
      body,
      brotli,
      type,
      etag,
      policy: name.endsWith('.html') ? buildPagePolicy(inlineScripts(body)) : undefined,
    }
  } catch {
    return undefined
  }
}

/** Returns the base64 SHA-256 of each inline script, as a content security policy lists them. */
const inlineScripts = (page: Buffer) =>
  [...page.toString('utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) =>
    createHash('sha256').update(text).digest('base64'),
  )
