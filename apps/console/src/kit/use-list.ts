import type { Endpoint, InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { useEffect, useRef, useState } from 'react'
import type { Refusal } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { useSearchParams } from '#kernel/router.tsx'
import { useTab } from '#kernel/tab.tsx'
import { filled, lastPage, type ListState, nextSort, readListState, type Sort, writeListState } from './list-state.ts'

interface PageOf<Row> {
  list: Row[]
  total: number
  totalIsEstimate?: boolean | undefined
}
/** An endpoint that answers a page of rows. */
export type ListEndpoint<E extends Endpoint> = ResultOf<E> extends { list: object[]; total: number } ? E : never
export type RowOf<E extends Endpoint> = ResultOf<E> extends PageOf<infer Row> ? Row : never

/** What DataTable needs of a list; `list.table` spreads into it. */
export interface ListTable<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  readonly isEstimate: boolean
  readonly pageNum: number
  readonly pageSize: number
  readonly sort: Sort | undefined
  /** Nothing to show yet: the skeleton's moment. */
  readonly pending: boolean
  readonly fetching: boolean
  /** The rows shown are still those of another page or filter. */
  readonly turning: boolean
  readonly refusal: Refusal | null
  /** Whether filters narrow the list: decides what an empty one says. */
  readonly filtered: boolean
  /** Absent when all rows are here. */
  readonly onPage?: (pageNum: number, pageSize: number) => void
  onSort(column: string): void
  onClear(): void
  onRefresh(): void
}

type Fixed<E extends Endpoint> = Partial<InputOf<E>>

/** A list whose filters, page and order live in the address: `search` spreads into SearchForm, `table` into DataTable. */
export function useList<E extends Endpoint>(endpoint: ListEndpoint<E>, fixed?: Fixed<E>) {
  const [params, setParams] = useAddress()
  const state = readListState(params)
  // A page turned is a step back worth having; a correction of the address is not.
  const change = (next: ListState, replace = false) => setParams(writeListState(next), { replace })
  return useListState(endpoint, state, change, fixed)
}

/** The address, and what it was when this tab's page had to be put away: opened again without filters, it goes on there. */
function useAddress() {
  const { memory } = useTab()
  const [params, setParams] = useSearchParams()
  const text = params.toString()
  const [left] = useState(() => (text === '' ? String(memory.get(MEMORY) ?? '') : ''))
  const resuming = useRef(left !== '')
  useEffect(() => {
    if (resuming.current) setParams(left, { replace: true })
    else memory.set(MEMORY, text)
    resuming.current = false
  }, [text, left, memory, setParams])
  return [params, setParams] as const
}
const MEMORY = 'list'

/** A list inside a dialog or drawer: the same, but its state is its own and the address stays as it is. */
export function useInnerList<E extends Endpoint>(endpoint: ListEndpoint<E>, fixed?: Fixed<E>) {
  const [state, setState] = useState(() => readListState(new URLSearchParams()))
  return useListState(endpoint, state, setState, fixed)
}

function useListState<E extends Endpoint>(
  endpoint: ListEndpoint<E>,
  state: ListState,
  change: (next: ListState, replace?: boolean) => void,
  fixed: Fixed<E> | undefined,
) {
  const { filters, pageNum, pageSize, sort } = state
  const query = { ...filters, ...sorted(sort), ...(fixed as object) } as InputOf<E>
  const read = useRead<E>(endpoint, { ...(query as object), pageNum, pageSize } as InputOf<E>)
  const page = read.data as PageOf<RowOf<E>> | undefined
  const last = lastPage(page?.total ?? 0, pageSize)
  const beyond = page !== undefined && !read.isPlaceholderData && pageNum > last
  useEffect(() => {
    // Rows were deleted, or the address was typed: the last page there is beats an empty one.
    if (beyond) change({ ...state, pageNum: last }, true)
  })

  const onSearch = (values: object) => {
    change({ ...state, pageNum: 1, filters: filled(values) })
    // Asking the same question again means: look once more.
    if (JSON.stringify(filled(values)) === JSON.stringify(filters)) void read.refetch()
  }
  return {
    table: tableOf(page, read, state, change),
    search: { initial: filters, onSearch },
    /** The filters and the order, without the page: what an export of this list takes. */
    query,
  }
}

/** The part of a query a list's table looks at. */
interface Read {
  readonly isPending: boolean
  readonly isFetching: boolean
  readonly isPlaceholderData: boolean
  readonly error: Refusal | null
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
    filtered: Object.keys(filters).length > 0,
    onPage: (pageNum, pageSize) => change({ ...state, pageNum, pageSize }),
    onSort: (column) => change({ ...state, pageNum: 1, sort: nextSort(sort, column) }),
    onClear: () => change({ ...state, pageNum: 1, filters: {} }),
    onRefresh: () => void read.refetch(),
  }
}

const sorted = (sort: Sort | undefined) => sort && { orderByColumn: sort.column, isAsc: sort.direction }
