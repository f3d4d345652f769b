import { expect, test } from 'vitest'
import type { ViewRow } from '@oms/contract/account/views.ts'
import {
  arrangeViews,
  findActiveView,
  formatViewPage,
  formatViewQuery,
  listViews,
  moveView,
  splitViews,
} from './saved-views-state.ts'

const stored = (id: number, query: string, page = '/a'): ViewRow => ({
  id,
  page,
  query,
  name: `视图${id}`,
  columns: '{}',
  shared: false,
  isOwn: true,
  ownerName: '',
  rev: 0,
})
const BUILT_IN = [{ name: 'mine', filters: () => ({ handlerId: '7' }) }]
const views = listViews('/a', BUILT_IN, [
  stored(1, 'status=1&status=2&orderByColumn=createTime&isAsc=desc'),
  stored(2, 'x=1', '/b'),
  stored(3, ''),
])
const keysOf = (list: readonly { key: string }[]) => list.map(({ key }) => key)

test('a page has the views of the product and its own saved views', () => {
  expect(keysOf(views)).toEqual(['mine', 'v1', 'v3'])
  expect(views[1]).toMatchObject({ filters: { status: ['1', '2'] }, sort: { column: 'createTime', direction: 'desc' } })
  expect(formatViewQuery(views[1]!)).toBe('status=1&status=2&orderByColumn=createTime&isAsc=desc')
})

test('the active view has the filters of the URL, and the order of the URL when the view stores an order', () => {
  const sort = { column: 'createTime', direction: 'desc' } as const
  const active = (filters: object, by?: typeof sort, last?: string) =>
    findActiveView(views, { filters: filters as Record<string, string>, sort: by }, last)?.key
  expect(active({ handlerId: '7' })).toBe('mine')
  expect(active({ handlerId: '7' }, sort)).toBe('mine')
  expect(active({ handlerId: '7', status: '1' })).toBeUndefined()
  expect(active({ status: ['1', '2'] })).toBeUndefined()
  expect(active({ status: ['1', '2'] }, sort)).toBe('v1')
  expect(active({})).toBeUndefined()
  expect(active({}, undefined, 'v3')).toBe('v3')
})

test('an account arranges and unpins views; at most eight views are tabs', () => {
  const order = moveView(views, 'v1', -1)
  expect(order).toEqual(['v1', 'mine', 'v3'])
  expect(moveView(views, 'v3', 1)).toEqual(['mine', 'v1', 'v3'])
  expect(keysOf(arrangeViews(views, { order: ['v3', 'v9'] }))).toEqual(['v3', 'mine', 'v1'])
  const { tabs, others } = splitViews(views, { unpinned: ['mine'] })
  expect([keysOf(tabs), keysOf(others)]).toEqual([['v1', 'v3'], ['mine']])
  const many = listViews(
    '/a',
    [],
    Array.from({ length: 11 }, (_, index) => stored(index, `a=${index}`)),
  )
  expect(keysOf(splitViews(many, {}).others)).toEqual(['v8', 'v9', 'v10'])
})

test('views belong to a path and to the tab of a page with several lists', () => {
  expect(formatViewPage('/a', new URLSearchParams('status=1'))).toBe('/a')
  expect(formatViewPage('/a', new URLSearchParams('list=y&view=x&status=1'))).toBe('/a?view=x&list=y')
})
