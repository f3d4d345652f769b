import { HOME, isPublicPath, buildLoginPath } from './core/routing/addresses.ts'
import { readCredentials } from './core/auth/credentials.ts'
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
  return sendEarlyRequest({ 'x-client': 'console', ticket: token, ...(ownerId && { ownerId }) }, token)
}

async function sendEarlyRequest(headers: Record<string, string>, token: string): Promise<ApiResponse> {
  const response = await fetch('/api/v1/sys/account/perms', { headers })
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
