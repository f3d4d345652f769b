import { expect, test } from 'vitest'
import { compareLists, describeListChanges, findItemName } from './list-changes.ts'

const plugin = (providerCode: string, params: object = {}) => ({ providerCode, params })
const nameOf = (item: unknown) => (item as { providerCode: string }).providerCode

test('compares lists of records by their identity and names what was added, removed and changed', () => {
  const base = [plugin('天气'), plugin('新闻'), plugin('音乐')]
  const value = [plugin('天气', { city: '上海' }), plugin('音乐'), plugin('股票')]
  expect(compareLists(base, value)).toEqual({
    added: [plugin('股票')],
    removed: [plugin('新闻')],
    changed: [plugin('天气', { city: '上海' })],
  })
  expect(describeListChanges({ value, other: base, base }, nameOf)).toBe('共 3 项\n新增：股票\n移除：新闻\n修改：天气')
})

test('a side that did not change the list says so, and a changed order is not a change of items', () => {
  const base = [plugin('天气'), plugin('新闻')]
  expect(describeListChanges({ value: base, other: [], base }, nameOf)).toBe('共 2 项，未修改')
  expect(describeListChanges({ value: base.toReversed(), other: base, base }, nameOf)).toBe('共 2 项，只调整了顺序')
})

test('without the opened list each side names what the other side does not contain', () => {
  const [value, other] = [
    [plugin('天气', { city: '上海' }), plugin('股票')],
    [plugin('天气'), plugin('新闻')],
  ]
  const lines = '共 2 项\n另一方没有：股票\n与另一方不同：天气'
  expect(describeListChanges({ value, other, base: undefined }, nameOf)).toBe(lines)
})

test('names at most ten items and then the number of all, and counts items without a name', () => {
  const value = Array.from({ length: 12 }, (_, at) => plugin(`插件${at + 1}`))
  const names = value.slice(0, 10).map(nameOf).join('、')
  expect(describeListChanges({ value, other: [], base: [] }, nameOf)).toBe(`共 12 项\n新增：${names} 等 12 项`)
  expect(describeListChanges({ value, other: [], base: [] }, () => undefined)).toBe('共 12 项\n新增：12 项')
})

test('the same ad twice is two items, and the id of a row is no content', () => {
  const item = (adId: number, itemId: number) => ({ adId, itemId, key: `i${itemId}`, weight: 1 })
  const base = [item(1, 10), item(2, 11)]
  expect(compareLists(base, [item(1, 20), item(2, 21), item(1, 0)])).toEqual({
    added: [item(1, 0)],
    removed: [],
    changed: [],
  })
})

test('an item is named by its own fields', () => {
  expect(findItemName({ adId: 3, adName: '春节' })).toBe('春节')
  expect(findItemName({ url: 'https://a.example' })).toBe('https://a.example')
  expect(findItemName({ fileId: 'f1' })).toBeUndefined()
})
