import { describe, expect, test } from 'vitest'
import {
  omitEmptyFilters,
  computeLastPage,
  nextSortOrder,
  listShownPages,
  readListState,
  formatTotal,
  writeListState,
} from './list-state.ts'

const read = (query: string) => readListState(new URLSearchParams(query))

describe('list state in the URL', () => {
  test('PAGER-01 a list without URL parameters shows page 1 with 20 rows', () => {
    expect(read('')).toEqual({ filters: {}, pageNum: 1, pageSize: 20, sort: undefined })
  })

  test('invalid values are replaced by the defaults', () => {
    expect(read('pageNum=-3&pageSize=9999&isAsc=up')).toMatchObject({ pageNum: 1, pageSize: 20, sort: undefined })
    expect(read('pageNum=1.5&name=').filters).toEqual({})
  })

  test('a list state written to the URL is parsed to the same state', () => {
    const query = 'name=a%26b&status=1&status=2&orderByColumn=createTime&isAsc=desc&pageNum=3&pageSize=50'
    expect(writeListState(read(query)).toString()).toBe(query)
  })

  test('the URL parameters `view` and `list` are not filters, and a change of the list keeps them', () => {
    const params = new URLSearchParams('state=1&list=refunds&view=grants')
    expect(readListState(params).filters).toEqual({ state: '1' })
    expect(writeListState({ ...readListState(params), pageNum: 2 }, params).toString()).toBe(
      'view=grants&list=refunds&state=1&pageNum=2',
    )
  })

  test('defaults are omitted from the URL', () => {
    expect(writeListState(read('pageNum=1&pageSize=20')).toString()).toBe('')
  })

  test('PAGER-04 several values of one filter are written as repeated keys', () => {
    expect(writeListState({ ...read(''), filters: { id: ['1', '2'] } }).toString()).toBe('id=1&id=2')
  })
})

test('empty form fields are omitted from the filters', () => {
  expect(omitEmptyFilters({ a: ' x ', b: '', c: null, d: undefined, e: [], f: [1], g: [1, 2], h: 0 })).toEqual({
    a: 'x',
    f: '1',
    g: ['1', '2'],
    h: '0',
  })
})

test('sorting cycles through ascending, descending and none', () => {
  const up = nextSortOrder(undefined, 'a')
  expect(up).toEqual({ column: 'a', direction: 'asc' })
  const down = nextSortOrder(up, 'a')
  expect(down).toEqual({ column: 'a', direction: 'desc' })
  expect(nextSortOrder(down, 'a')).toBeUndefined()
  expect(nextSortOrder(down, 'b')).toEqual({ column: 'b', direction: 'asc' })
})

describe('pager', () => {
  test('PAGER-02 the pager shows 5 or 7 page numbers on every page', () => {
    for (const count of [5, 7])
      for (let current = 1; current <= 40; current++) {
        const shown = listShownPages(current, 40, count)
        expect(shown.filter((page) => page !== '…')).toHaveLength(count)
        expect(shown).toContain(current)
        expect([shown[0], shown.at(-1)]).toEqual([1, 40])
      }
  })

  test('the pager shows an ellipsis only where page numbers are omitted', () => {
    expect(listShownPages(1, 10, 5)).toEqual([1, 2, 3, 4, '…', 10])
    expect(listShownPages(5, 10, 5)).toEqual([1, '…', 4, 5, 6, '…', 10])
    expect(listShownPages(10, 10, 5)).toEqual([1, '…', 7, 8, 9, 10])
    expect(listShownPages(2, 3, 5)).toEqual([1, 2, 3])
  })

  test('the last page ends at row 10,000 even when more rows exist', () => {
    expect(computeLastPage(0, 20)).toBe(1)
    expect(computeLastPage(41, 20)).toBe(3)
    expect(computeLastPage(1_000_000, 30)).toBe(334)
  })

  test('the pager marks an estimated total', () => {
    expect(formatTotal(10_000, true)).toBe('10000+')
    expect(formatTotal(1234, true)).toBe('约 1234')
    expect(formatTotal(9_999, false)).toBe('9999')
  })
})
