import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { type Filters, omitEmptyFilters, readListState, writeListState } from './list-state.ts'
import type { ListTable } from './use-list.ts'

type RowIn<Result> = Result extends readonly (infer Row)[]
  ? Row
  : Result extends { list: readonly (infer Row)[] }
    ? Row
    : never

/** List without pages (menus, trees): filters are stored in the URL and sent to the server. */
export function useRows<E extends Endpoint>(endpoint: E, fixed: Partial<InputOf<E>> = {}) {
  type Row = RowIn<ResultOf<E>>
  const [params, setParams] = useSearchParams()
  const state = readListState(params)
  const change = (filters: Filters) => setParams(writeListState({ ...state, filters }))
  const read = useRead<E>(endpoint, { ...state.filters, ...(fixed as object) } as InputOf<E>)
  const data = read.data as Row[] | { list: Row[] } | undefined
  const rows = Array.isArray(data) ? data : (data?.list ?? [])
  const table: ListTable<Row> = {
    rows,
    total: rows.length,
    isEstimate: false,
    pageNum: 1,
    pageSize: rows.length,
    sort: undefined,
    pending: read.isPending,
    fetching: read.isFetching,
    turning: read.isPlaceholderData,
    refusal: read.error,
    query: JSON.stringify(state.filters),
    filtered: Object.keys(state.filters).length > 0,
    onSort: () => {},
    onClear: () => change({}),
    onRefresh: () => void read.refetch(),
  }
  return { table, search: { initial: state.filters, onSearch: (values: object) => change(omitEmptyFilters(values)) } }
}
