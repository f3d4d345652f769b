import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { call } from '#core/api/client.ts'
import { can } from '#core/auth/session.tsx'
import { matchRoute } from '#app/screen-match.ts'
import type { Run } from './limit-parallel.ts'

/** A hit of the global search (Ctrl/⌘ K). */
export interface SearchHit {
  readonly key: string
  readonly title: string
  /** Distinguishing data: `客厅摄像机 · KX-200`. */
  readonly detail: string
  /** URL of the hit; '' for an action without a page. */
  readonly to: string
  /** Name of the icon; by default the icon of the module of the URL. */
  readonly icon?: string
  /** Runs instead of opening the URL. */
  readonly run?: () => void
}

/** Searches records of one kind. Runs only when the account holds `access`. */
export interface RecordFinder {
  /** Chinese name of the kind, unique among the finders: the heading of the hits. */
  readonly kind: string
  readonly access: string
  /** Returns whether records of this kind can match the keyword. */
  accepts(keyword: string): boolean
  /** `run` limits the number of simultaneous requests. */
  find(keyword: string, signal: AbortSignal, run: Run): Promise<readonly SearchHit[]>
}

/** First page of a list call. */
export const FIRST_PAGE = { pageNum: 1, pageSize: 5 }
type Paged = Endpoint & { readonly access: string }
type RowOf<E extends Paged> = ResultOf<E> extends { list: readonly (infer Row)[] } ? Row : never

/**
 * Returns whether a keyword contains three digits in a row. Record numbers contain such digits. Records that are found
 * only by number need no request for other keywords.
 */
export const hasThreeDigits = (keyword: string) => /\d{3}/.test(keyword)
const isAny = () => true

/**
 * Creates a finder that returns the first matching rows of a list as hits. With several `filters`, a row must match one
 * of them.
 */
export function createFinder<E extends Paged>(
  kind: string,
  endpoint: E,
  filters: ((keyword: string) => InputOf<E>) | readonly ((keyword: string) => InputOf<E>)[],
  hitOf: (row: RowOf<E>, keyword: string) => SearchHit,
  accepts: (keyword: string) => boolean = isAny,
): RecordFinder {
  return {
    kind,
    access: endpoint.access,
    accepts,
    async find(keyword, signal, run) {
      const pages = await Promise.all(
        [filters].flat().map((filter) => run(() => call(endpoint, filter(keyword), { signal, quiet: true }))),
      )
      const rows = (pages as unknown as { list: RowOf<E>[] }[]).flatMap(({ list }) => list)
      const hits = rows.map((row) => hitOf(row, keyword)).filter(({ to }) => canOpen(to))
      return hits
        .filter(({ key }, at) => hits.findIndex((each) => each.key === key) === at)
        .slice(0, FIRST_PAGE.pageSize)
    },
  }
}

/** Returns whether the account may open the page of a URL. */
function canOpen(url: string) {
  const screen = matchRoute(url)?.screen
  return screen !== undefined && can(screen.access)
}
/** Returns the page of a record when the account may open the page, otherwise the list that contains the record. */
export const getDetailOrListUrl = (detail: string, list: string) => (canOpen(detail) ? detail : list)
export const joinDetails = (...parts: readonly string[]) => parts.filter(Boolean).join(' · ')
/** Returns the URL of a list page with filters, in which the record is the first row. */
export const listUrl = (path: string, filters: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(filters)}`
