/** Reachable without a token. */
const PUBLIC_PATHS = ['/login', '/reg/index', '/resetPwd/index'] as const
export const HOME = '/indexScreen'
const MAX_ADDRESS = 2000

/**
 * Where to go after login: a path of this very site, or home. Refuses other hosts (`//evil`, `/\evil`, `https:`)
 * and anything too long to be one of ours.
 */
export function safeReturn(wanted: string | null | undefined) {
  if (!wanted || wanted.length > MAX_ADDRESS || !wanted.startsWith('/')) return '/'
  const base = 'http://same.site'
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined
  if (!url || url.origin !== base) return '/'
  const path = url.pathname + url.search + url.hash
  return path.startsWith('//') || isPublic(url.pathname) ? '/' : path
}

export const isPublic = (pathname: string) => PUBLIC_PATHS.some((path) => path === pathname)

/** The login page, with the way back to `from`. */
export function loginAddress(from: string) {
  const back = safeReturn(from)
  return back === '/' ? '/login' : `/login?redirect=${encodeURIComponent(back)}`
}
