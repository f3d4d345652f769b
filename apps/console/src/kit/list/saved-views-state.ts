import type { ViewRow } from '@oms/contract/account/views.ts'
import { type Filters, type ListState, readListState, type Sort, writeListState } from './list-state.ts'

/** A view that the product brings. Filters that contain today or the account are a function. */
export interface BuiltInView {
  /** Also the key of the view in the choices of an account. */
  readonly name: string
  readonly filters: Filters | (() => Filters)
}

/** A view of a list: brought by the product, or saved by an account (`stored`). */
export interface ListView extends Pick<ListState, 'filters' | 'sort'> {
  readonly key: string
  readonly name: string
  readonly stored?: ViewRow
}

/** Choices of an account for the views of one list. */
export interface ViewChoices {
  /** Views that are not shown as tabs. */
  readonly unpinned?: readonly string[]
  readonly order?: readonly string[]
  /** View that opens when the list is opened without a query, with its query at the time of the choice. */
  readonly first?: { readonly key: string; readonly query: string }
}

const MAX_TABS = 8

/** Returns the page of the views: the path, and the tab of a page with several lists. */
export function formatViewPage(pathname: string, params: URLSearchParams) {
  const place = ['view', 'list'].flatMap((key) => (params.get(key) ? [`${key}=${params.get(key)}`] : []))
  return place.length > 0 ? `${pathname}?${place.join('&')}` : pathname
}

export const formatChoicesKey = (page: string) => `views:${page}`

/** Returns the query that a view stores: filters and order. */
export const formatViewQuery = ({ filters, sort }: Pick<ListState, 'filters' | 'sort'>) =>
  writeListState({ ...readListState(new URLSearchParams()), filters, sort }).toString()

/** Returns the views of a page: those of the product, then the saved views in the order of their creation. */
export const listViews = (page: string, builtIn: readonly BuiltInView[], stored: readonly ViewRow[]): ListView[] => [
  ...builtIn.map(({ name, filters }) => ({
    key: name,
    name,
    sort: undefined,
    filters: typeof filters === 'function' ? filters() : filters,
  })),
  ...stored
    .filter((view) => view.page === page)
    .map((view) => {
      const { filters, sort } = readListState(new URLSearchParams(view.query))
      return { key: `v${view.id}`, name: view.name, filters, sort, stored: view }
    }),
]

/** Returns the views in the account's order. New views follow. */
export function arrangeViews(views: readonly ListView[], { order = [] }: ViewChoices): ListView[] {
  const place = ({ key }: ListView) => (order.includes(key) ? order.indexOf(key) : order.length)
  return views.toSorted((one, other) => place(one) - place(other))
}

/** Returns the views that are tabs, at most eight, and the other views. */
export function splitViews(views: readonly ListView[], { unpinned = [] }: ViewChoices) {
  const tabs = views.filter(({ key }) => !unpinned.includes(key)).slice(0, MAX_TABS)
  return { tabs, others: views.filter((view) => !tabs.includes(view)) }
}

/** Swaps a view with its neighbour, and returns the keys in the new order. */
export function moveView(views: readonly ListView[], key: string, step: -1 | 1): string[] {
  const keys = views.map((view) => view.key)
  const at = keys.indexOf(key)
  const to = at + step
  if (at < 0 || to < 0 || to >= keys.length) return keys
  return keys.with(at, keys[to]!).with(to, key)
}

const normalise = (filters: Filters) =>
  JSON.stringify(Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/**
 * Returns the view that the URL shows: equal filters, and an equal order unless the view stores none. `lastKey` decides
 * between equal views.
 */
export function findActiveView(
  views: readonly ListView[],
  state: { readonly filters: Filters; readonly sort: Sort | undefined },
  lastKey?: string,
): ListView | undefined {
  const filters = normalise(state.filters)
  const found = views.filter(
    (view) =>
      normalise(view.filters) === filters &&
      (!view.sort || (view.sort.column === state.sort?.column && view.sort.direction === state.sort.direction)),
  )
  const withoutConditions = (view: ListView) => view.key !== lastKey && formatViewQuery(view) === ''
  // A view that stores only columns equals the list without a view, unless the account opened the view.
  return found.find(({ key }) => key === lastKey) ?? found.find((view) => !withoutConditions(view))
}
