import { DEFAULT_PAGE_SIZE, MAX_ROWS, PAGE_SIZES } from '@oms/contract/kernel/page.ts'

/** Filters of a list as the address holds them: texts, or several for a repeated key. */
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

/** Reads a list's state from the address; what makes no sense there falls back to the defaults. */
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
const RESERVED = new Set(['pageNum', 'pageSize', 'orderByColumn', 'isAsc'])

/** Writes a list's state as the shortest address that reads back to it: defaults and empty filters are left out. */
export function writeListState({ filters, pageNum, pageSize, sort }: ListState) {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(filled(filters)))
    for (const item of [value].flat()) params.append(key, item)
  if (sort) {
    params.set('orderByColumn', sort.column)
    params.set('isAsc', sort.direction)
  }
  if (pageNum !== 1) params.set('pageNum', String(pageNum))
  if (pageSize !== DEFAULT_PAGE_SIZE) params.set('pageSize', String(pageSize))
  return params
}

/** The fields of a form that hold something, as texts. */
export function filled(fields: object): Record<string, string | string[]> {
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

/** Filters as a person counts them: the two ends of a range are one. */
export const countFilters = (filters: Filters) =>
  Object.keys(filters).filter((key) => !(key.startsWith('end') && key.replace(/^end/, 'begin') in filters)).length

/** A column's order cycles: ascending, descending, none. */
export function nextSort(sort: Sort | undefined, column: string): Sort | undefined {
  if (sort?.column !== column) return { column, direction: 'asc' }
  return sort.direction === 'asc' ? { column, direction: 'desc' } : undefined
}

/** The last page a pager offers: no further than row 10,000, where paging deeper would only cost and never help. */
export const lastPage = (total: number, pageSize: number) =>
  Math.max(1, Math.ceil(Math.min(total, MAX_ROWS) / pageSize))

/** The page numbers shown: at most `count`, first and last among them, a gap marked by `…`. */
export function pagesShown(current: number, last: number, count: number): readonly (number | '…')[] {
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

/** The total in words: an estimate never pretends to be a count. */
export function totalText(total: number, isEstimate: boolean) {
  if (!isEstimate) return String(total)
  return total >= MAX_ROWS ? `${MAX_ROWS}+` : `约 ${total}`
}
