/** Paths that are reachable without a login. */
const PUBLIC_PATHS = ['/login', '/reg/index', '/resetPwd/index'] as const
export const HOME = '/indexScreen'
const MAX_ADDRESS = 2000

/**
 * Returns the path to open after login: a path of this site, or the home page. Refuses other hosts (`//evil`,
 * `/\evil`, `https:`) and paths that are too long.
 */
export function safeReturnPath(wanted: string | null | undefined) {
  if (!wanted || wanted.length > MAX_ADDRESS || !wanted.startsWith('/')) return '/'
  const base = 'http://same.site'
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined
  if (!url || url.origin !== base) return '/'
  const path = url.pathname + url.search + url.hash
  return path.startsWith('//') || isPublic(url.pathname) ? '/' : path
}

export const isPublic = (pathname: string) => PUBLIC_PATHS.some((path) => path === pathname)

/** Returns the login URL with `from` as the return path. */
export function loginAddress(from: string) {
  const back = safeReturnPath(from)
  return back === '/' ? '/login' : `/login?redirect=${encodeURIComponent(back)}`
}
