import { DEFAULT_PAGE_SIZE, MAX_ROWS, PAGE_SIZES } from '@oms/contract/core/page.ts'

/** Filters of a list as stored in the URL: text, or several texts for a repeated key. */
export type Filters = Readonly<Record<string, string | readonly string[]>>
export type Direction = 'asc' | 'desc'
export interface Sort {
  readonly column: string
  readonly direction: Direction
}
export interface ListState {
  readonly filters: Filters
  readonly pageNum: number
  readonly pageSize: number
  readonly sort: Sort | undefined
}

/** Parses a list's state from the URL; invalid values are replaced by the defaults. */
export function readListState(params: URLSearchParams): ListState {
  const size = Number(params.get('pageSize'))
  const page = Number(params.get('pageNum'))
  const column = params.get('orderByColumn')
  const filters: Record<string, string | string[]> = {}
  for (const key of new Set(params.keys())) {
    if (RESERVED.has(key)) continue
    const values = params.getAll(key).filter((value) => value !== '')
    if (values.length > 0) filters[key] = values.length > 1 ? values : (values[0] as string)
  }
  return {
    filters,
    pageNum: Number.isInteger(page) && page > 0 ? page : 1,
    pageSize: PAGE_SIZES.some((offered) => offered === size) ? size : DEFAULT_PAGE_SIZE,
    sort: column ? { column, direction: params.get('isAsc') === 'desc' ? 'desc' : 'asc' } : undefined,
  }
}
/**
 * URL parameters of the shown view of the page, the shown list of the view, the record in the drawer, and the tab of
 * the drawer.
 */
const PLACE = ['view', 'list', 'record', 'tab'] as const
/** URL parameters that are not filters. */
const RESERVED = new Set<string>(['pageNum', 'pageSize', 'orderByColumn', 'isAsc', ...PLACE])

/** True when two queries select the same view of the page and the same list of the view. */
export const isSameView = (one: URLSearchParams, other: URLSearchParams) =>
  one.get('view') === other.get('view') && one.get('list') === other.get('list')

/** Serialises a list's state to the shortest URL that parses to the same state. Keeps the view, list and open record of
 * `before`. */
export function writeListState({ filters, pageNum, pageSize, sort }: ListState, before?: URLSearchParams) {
  const params = new URLSearchParams()
  for (const key of PLACE) if (before?.get(key)) params.set(key, before.get(key) ?? '')
  for (const [key, value] of Object.entries(omitEmptyFilters(filters)))
    for (const item of [value].flat()) params.append(key, item)
  if (sort) {
    params.set('orderByColumn', sort.column)
    params.set('isAsc', sort.direction)
  }
  if (pageNum !== 1) params.set('pageNum', String(pageNum))
  if (pageSize !== DEFAULT_PAGE_SIZE) params.set('pageSize', String(pageSize))
  return params
}

/** Returns the non-empty fields of a form as text. */
export function omitEmptyFilters(fields: object): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {}
  for (const [key, value] of Object.entries(fields)) {
    const texts = [value].flat().flatMap((item) => {
      const text = item == null ? '' : String(item).trim()
      return text === '' ? [] : [text]
    })
    if (texts.length > 0) kept[key] = texts.length > 1 ? texts : (texts[0] as string)
  }
  return kept
}

/** Returns the next sort order of a column: ascending, descending, none. */
export function nextSortOrder(sort: Sort | undefined, column: string): Sort | undefined {
  if (sort?.column !== column) return { column, direction: 'asc' }
  return sort.direction === 'asc' ? { column, direction: 'desc' } : undefined
}

/** Returns the last page of the pager, at most up to row 10,000, because deeper paging is slow. */
export const computeLastPage = (total: number, pageSize: number) =>
  Math.max(1, Math.ceil(Math.min(total, MAX_ROWS) / pageSize))

/** Returns the shown page numbers: at most `count`, including first and last; `…` marks a gap. */
export function listShownPages(current: number, last: number, count: number): readonly (number | '…')[] {
  if (last <= count) return range(1, last)
  const inner = count - 2
  const from = Math.min(Math.max(2, current - Math.floor(inner / 2)), last - inner)
  const to = from + inner - 1
  return [
    1,
    ...(from > 2 ? (['…'] as const) : []),
    ...range(from, to),
    ...(to < last - 1 ? (['…'] as const) : []),
    last,
  ]
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Formats the total; an estimate is marked as such. */
export function formatTotal(total: number, isEstimate: boolean) {
  if (!isEstimate) return String(total)
  return total >= MAX_ROWS ? `${MAX_ROWS}+` : `约 ${total}`
}
