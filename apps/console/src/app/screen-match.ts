import { trimEndMatching } from '@oms/contract/core/strip.ts'
import { matchPath } from 'react-router'
import type { Screen } from '#core/routing/screens.ts'
import { screens } from './screens.ts'

export interface RouteMatch {
  readonly screen: Screen
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** Returns the identity of a page: the path and the declared query parameters. */
  readonly key: string
}

/** Returns the screen of a URL; an invalid path parameter does not match. */
export function matchRoute(url: string, among: readonly Screen[] = screens): RouteMatch | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://same.site')
  for (const screen of among) {
    if (!mayMatch(screen.path, pathname)) continue
    const params = matchPath({ path: screen.path, caseSensitive: true, end: true }, pathname)?.params
    if (!params || !fits(screen, params)) continue
    return { screen, params, query, key: keyOf(screen, pathname, query) }
  }
  return undefined
}

/** Cheap pre-check that excludes most screens by the pattern's literal prefix. */
function mayMatch(pattern: string, pathname: string) {
  const fixed = pattern.indexOf(':')
  return pathname.startsWith(fixed < 0 ? pattern : pattern.slice(0, fixed))
}

const fits = ({ params: rules = {} }: Screen, params: RouteMatch['params']) =>
  Object.entries(rules).every(([name, rule]) => rule.test(params[name] ?? ''))

function keyOf({ identity = [] }: Screen, pathname: string, query: URLSearchParams) {
  const path = pathname.length > 1 ? trimEndMatching(pathname, /\//) : pathname
  const parts = identity.flatMap((name) => (query.has(name) ? [`${name}=${query.get(name)}`] : []))
  return parts.length ? `${path}?${parts.join('&')}` : path
}
