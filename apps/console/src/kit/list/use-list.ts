import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { MAX_PAGE_SIZE } from '@oms/contract/core/page.ts'
import { useLocation } from 'react-router'
import { type ApiError, call } from '#core/api/client.ts'
import { readResourceName, useRead } from '#core/api/query.ts'
import { useLocationGetter, useSearchParams } from '#core/routing/router.tsx'
import { useTab } from '#core/routing/tab.tsx'
import {
  omitEmptyFilters,
  computeLastPage,
  isSameView,
  type ListState,
  nextSortOrder,
  readListState,
  type Sort,
  writeListState,
} from './list-state.ts'
import { formatChoicesKey, formatViewPage, type ViewChoices } from './saved-views-state.ts'
import type { ListAddress } from './saved-views.tsx'
import { usePreference } from '#kit/table/use-preference.ts'

interface PageOf<Row> {
  list: Row[]
  total: number
  totalIsEstimate?: boolean | undefined
}
/** An endpoint that returns a page of rows. */
export type ListEndpoint<E extends Endpoint> = ResultOf<E> extends { list: object[]; total: number } ? E : never
export type RowOf<E extends Endpoint> = ResultOf<E> extends PageOf<infer Row> ? Row : never

/** Table props of a list; `list.table` is spread into DataTable. */
export interface ListTable<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  readonly isEstimate: boolean
  readonly pageNum: number
  readonly pageSize: number
  readonly sort: Sort | undefined
  /** True during the first load, when the skeleton is shown. */
  readonly pending: boolean
  readonly fetching: boolean
  /** True while the shown rows belong to the previous page or filter. */
  readonly turning: boolean
  readonly refusal: ApiError | null
  /** Key of the current query: filters, order and page. */
  readonly query?: string | undefined
  /** True when filters are active; selects the text of an empty list. */
  readonly filtered: boolean
  /** The list in the URL, for saved views. Absent for a list whose state is elsewhere. */
  readonly address?: ListAddress
  /** Absent when all rows are loaded. */
  readonly onPage?: (pageNum: number, pageSize: number) => void
  onSort(column: string): void
  onClear(): void
  onRefresh(): void
  /** Loads the rows of all pages. Absent when the table already shows all rows. */
  readonly loadAll?: () => Promise<readonly object[]>
}

type Fixed<E extends Endpoint> = Partial<InputOf<E>>

/** List state with filters, page and order in the URL: `search` is spread into SearchForm, `table` into DataTable. */
export function useList<E extends Endpoint>(endpoint: ListEndpoint<E>, fixed?: Fixed<E>) {
  const { pathname } = useLocation()
  const [params, setParams] = useAddress(pathname)
  const client = useQueryClient()
  const state = readListState(params)
  // Turning a page adds a history entry; correcting the URL replaces it.
  const getLocation = useLocationGetter()
  const change = (next: ListState, replace = false) => {
    // While the code of another view loads, the old list is still shown and must not cancel the navigation.
    if (isSameView(params, new URLSearchParams(getLocation().search)))
      setParams(writeListState(next, params), { replace })
  }
  const list = useListState(endpoint, state, change, fixed)
  const address: ListAddress = {
    endpoint,
    fixed,
    state,
    page: formatViewPage(pathname, params),
    urlOf: (next) => `?${writeListState({ ...state, ...next, pageNum: 1 }, params)}`,
    replace: (next) => change({ ...state, ...next, pageNum: 1 }, true),
  }
  const onRefresh = () => {
    list.table.onRefresh()
    // Also the counts of the views, whose keys begin like the key of the list.
    void client.invalidateQueries({ queryKey: [readResourceName(endpoint), endpoint.path, 'counts'] })
  }
  return { ...list, table: { ...list.table, address, onRefresh } }
}

/**
 * Returns the URL query. When a tab shows a page again and the URL has no query, the previous query is restored. A page
 * opened without a query gets the query of the account's default view. The query of a page with views is restored by
 * `useView` instead.
 */
function useAddress(pathname: string) {
  const { memory } = useTab()
  const [params, setParams] = useSearchParams()
  const [{ first }] = usePreference<ViewChoices>(formatChoicesKey(pathname), {})
  const text = params.toString()
  const hasView = params.has('view')
  const [left] = useState(() => (text === '' ? String(memory.get(MEMORY) ?? first?.query ?? '') : ''))
  const resuming = useRef(left !== '')
  useEffect(() => {
    if (resuming.current) setParams(left, { replace: true })
    else if (!hasView) memory.set(MEMORY, text)
    resuming.current = false
  }, [text, hasView, left, memory, setParams])
  return [params, setParams] as const
}
const MEMORY = 'list'

/**
 * List state inside a dialog, a drawer or a view of a page: like `useList`, but stored outside the URL.
 */
export function useInnerList<E extends Endpoint>(endpoint: ListEndpoint<E>, fixed?: Fixed<E>) {
  const [state, setState] = useState(() => readListState(new URLSearchParams()))
  return useListState(endpoint, state, setState, fixed, true)
}

/** List state of a table on a panel with several tables. The caller stores the state. */
export function useStoredList<E extends Endpoint>(
  endpoint: ListEndpoint<E>,
  [state, setState]: readonly [state: ListState, setState: (next: ListState) => void],
  fixed?: Fixed<E>,
) {
  return useListState(endpoint, state, setState, fixed, true)
}

/** `quiet` lists show an error only in the table, like the other parts of their panel or drawer. */
function useListState<E extends Endpoint>(
  endpoint: ListEndpoint<E>,
  state: ListState,
  change: (next: ListState, replace?: boolean) => void,
  fixed: Fixed<E> | undefined,
  quiet = false,
) {
  const { filters, pageNum, pageSize, sort } = state
  const query = { ...filters, ...toSortInput(sort), ...(fixed as object) } as InputOf<E>
  const read = useRead<E>(endpoint, { ...(query as object), pageNum, pageSize } as InputOf<E>, { quiet })
  const page = read.data as PageOf<RowOf<E>> | undefined
  const last = computeLastPage(page?.total ?? 0, pageSize)
  const beyond = page !== undefined && !read.isPlaceholderData && pageNum > last
  useEffect(() => {
    // Shows the last page when the requested page no longer exists.
    if (beyond) change({ ...state, pageNum: last }, true)
  })

  const onSearch = (values: object) => {
    change({ ...state, pageNum: 1, filters: omitEmptyFilters(values) })
    // Submitting unchanged filters refetches the list.
    if (JSON.stringify(omitEmptyFilters(values)) === JSON.stringify(filters)) void read.refetch()
  }
  const loadAll = async () => {
    const pages = Math.ceil((page?.total ?? 0) / MAX_PAGE_SIZE)
    const rows: RowOf<E>[] = []
    for (let at = 1; at <= pages; at++) {
      const input = { ...(query as object), pageNum: at, pageSize: MAX_PAGE_SIZE } as InputOf<E>
      rows.push(...((await call<E>(endpoint, input)) as PageOf<RowOf<E>>).list)
    }
    return rows
  }
  return {
    table: { ...tableOf(page, read, state, change), loadAll },
    search: { initial: filters, onSearch },
    /** Returns filters and order without the page, for exports. */
    query,
  }
}

/** The part of a query result that a list table uses. */
interface Read {
  readonly isPending: boolean
  readonly isFetching: boolean
  readonly isPlaceholderData: boolean
  readonly error: ApiError | null
  refetch(): unknown
}

function tableOf<Row>(
  page: PageOf<Row> | undefined,
  read: Read,
  state: ListState,
  change: (next: ListState) => void,
): ListTable<Row> {
  const { filters, pageNum, pageSize, sort } = state
  return {
    rows: page?.list ?? [],
    total: page?.total ?? 0,
    isEstimate: page?.totalIsEstimate === true,
    pageNum,
    pageSize,
    sort,
    pending: read.isPending,
    fetching: read.isFetching,
    turning: read.isPlaceholderData,
    refusal: read.error,
    query: JSON.stringify(state),
    filtered: Object.keys(filters).length > 0,
    onPage: (pageNum, pageSize) => change({ ...state, pageNum, pageSize }),
    onSort: (column) => change({ ...state, pageNum: 1, sort: nextSortOrder(sort, column) }),
    onClear: () => change({ ...state, pageNum: 1, filters: {} }),
    onRefresh: () => void read.refetch(),
  }
}

const toSortInput = (sort: Sort | undefined) => sort && { orderByColumn: sort.column, isAsc: sort.direction }
