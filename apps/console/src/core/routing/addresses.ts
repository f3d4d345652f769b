/** Paths that are reachable without a login. */
const PUBLIC_PATHS = ['/login', '/reg/index', '/resetPwd/index'] as const
export const HOME = '/indexScreen'
const MAX_ADDRESS = 2000

/**
 * Returns the path to open after login: a path of this site, or the home page. Refuses other hosts (`//evil`,
 * `/\evil`, `https:`) and paths that are too long.
 */
export function findSafeReturnPath(wanted: string | null | undefined) {
  if (!wanted || wanted.length > MAX_ADDRESS || !wanted.startsWith('/')) return '/'
  const base = 'http://same.site'
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined
  if (!url || url.origin !== base) return '/'
  const path = url.pathname + url.search + url.hash
  return path.startsWith('//') || isPublicPath(url.pathname) ? '/' : path
}

export const isPublicPath = (pathname: string) => PUBLIC_PATHS.some((path) => path === pathname)

/** Returns the login URL with `from` as the return path. */
export function buildLoginPath(from: string) {
  const back = findSafeReturnPath(from)
  return back === '/' ? '/login' : `/login?redirect=${encodeURIComponent(back)}`
}
