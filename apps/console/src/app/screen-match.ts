import { matchPath } from 'react-router'
import type { Screen } from '#kernel/screens.ts'
import { screens } from './screens.ts'

export interface Match {
  readonly screen: Screen
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** What makes this page another one than its likes: the path and the declared query parameters. */
  readonly key: string
}

/** Finds the screen of an address; a path parameter of the wrong form is no match. */
export function matchScreen(url: string, among: readonly Screen[] = screens): Match | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://same.site')
  for (const screen of among) {
    if (!mayMatch(screen.path, pathname)) continue
    const params = matchPath({ path: screen.path, caseSensitive: true, end: true }, pathname)?.params
    if (!params || !fits(screen, params)) continue
    return { screen, params, query, key: keyOf(screen, pathname, query) }
  }
  return undefined
}

/** Cheap, and false for nearly all: the pattern begins with what stands before its first parameter. */
function mayMatch(pattern: string, pathname: string) {
  const fixed = pattern.indexOf(':')
  return pathname.startsWith(fixed < 0 ? pattern : pattern.slice(0, fixed))
}

const fits = ({ params: rules = {} }: Screen, params: Match['params']) =>
  Object.entries(rules).every(([name, rule]) => rule.test(params[name] ?? ''))

function keyOf({ identity = [] }: Screen, pathname: string, query: URLSearchParams) {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname
  const parts = identity.flatMap((name) => (query.has(name) ? [`${name}=${query.get(name)}`] : []))
  return parts.length ? `${path}?${parts.join('&')}` : path
}
