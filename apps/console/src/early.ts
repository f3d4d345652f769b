import { HOME, isPublicPath, buildLoginPath } from './core/routing/addresses.ts'
import { readCredentials } from './core/auth/credentials.ts'
import { storeEarlyResponse } from './core/loading/early-responses.ts'
import type { ApiResponse } from './core/api/transport.ts'

// zod would compile schemas with `new Function`, which the content security policy forbids.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

// Sets the theme before the first paint to avoid a flash.
document.documentElement.dataset['theme'] = localStorage.getItem('theme') ?? ''

preloadPage()

/** Requests the permission list before other code is loaded, because the console cannot start without it. */
export const earlyPermissions = askEarly()
// The start of the console handles a failure; this handler avoids an unhandled rejection before that.
earlyPermissions?.catch(() => {})

function askEarly(): Promise<ApiResponse> | undefined {
  const credentials = readCredentials()
  if (isPublicPath(location.pathname)) return undefined
  if (!credentials) {
    location.replace(buildLoginPath(location.pathname + location.search + location.hash))
    return undefined
  }
  const { token, ownerId } = credentials
  const ask = (url: string) =>
    sendEarlyRequest(url, { 'x-client': 'console', ticket: token, ...(ownerId && { ownerId }) }, token)
  const list = firstList()
  if (list && !credentials.mustChangePassword) storeEarlyResponse(list, ask(list))
  return ask('/api/v1/sys/account/perms')
}

/**
 * Returns the URL of the first list request of this page, like `prefetchFirstPage`. The build writes the URLs into the
 * document.
 */
function firstList(): string | undefined {
  const lists: Readonly<Record<string, string>> = JSON.parse(document.documentElement.dataset['lists'] ?? '{}')
  const path = lists[location.pathname]
  return path && location.search === '' ? `${path}?pageNum=1&pageSize=20` : undefined
}

async function sendEarlyRequest(url: string, headers: Record<string, string>, token: string): Promise<ApiResponse> {
  const response = await fetch(url, { headers })
  const body: unknown = await response.json().catch(() => undefined)
  return { status: response.status, body, permVersion: '', token }
}

/** Preloads the code of the requested page. The build writes the file names into the document. */
function preloadPage() {
  const pages: Readonly<Record<string, readonly string[]>> = JSON.parse(
    document.documentElement.dataset['pages'] ?? '{}',
  )
  for (const file of pages[location.pathname === '/' ? HOME : location.pathname] ?? []) {
    const link = document.createElement('link')
    const isStyle = file.endsWith('.css')
    Object.assign(link, { rel: isStyle ? 'preload' : 'modulepreload', href: `/${file}`, crossOrigin: '' })
    if (isStyle) link.as = 'style'
    document.head.append(link)
  }
}
