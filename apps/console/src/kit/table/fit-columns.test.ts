import { expect, test } from 'vitest'
import type { Column } from './columns.tsx'
import { fitColumns } from './fit-columns.ts'

const column = (key: string, width: number, more: Partial<Column<object>> = {}): Column<object> => ({
  key,
  title: '标题',
  width,
  render: () => null,
  ...more,
})
const text = { plain: () => '' }
const actions = column('actions', 120, { pin: 'right', fixed: true })
const widths = (columns: readonly Column<object>[], room?: number, resized?: Record<string, number>) =>
  fitColumns(columns, { room, resized }).map(({ width }) => width)

test('columns keep their widths when all columns fit into the table', () => {
  expect(widths([column('a', 100), column('b', 200), actions], 420)).toEqual([100, 200, 120])
  expect(widths([column('a', 100), column('b', 200), actions])).toEqual([100, 200, 120])
})

test('text columns shrink until all columns fit', () => {
  const shown = [column('a', 80), column('b', 200, text), column('c', 200, text), actions]
  expect(widths(shown, 560)).toEqual([80, 180, 180, 120])
})

test('narrow text columns and columns without text do not shrink', () => {
  const shown = [column('a', 150), column('b', 100, text), column('c', 200, text), actions]
  expect(widths(shown, 540)).toEqual([150, 100, 170, 120])
})

test('visible columns grow up to the pinned column when the next column does not fit', () => {
  const shown = [column('a', 90), column('b', 90), column('c', 90), column('d', 90), actions]
  const [a = 0, b = 0, c, d] = widths(shown, 350)
  expect(a + b).toBe(350 - 120)
  expect([c, d]).toEqual([90, 90])
})

test('a column keeps a width that the account has set', () => {
  const shown = [column('a', 90), column('b', 200, text), column('c', 200, text), actions]
  expect(widths(shown, 570, { b: 200 })).toEqual([90, 200, 160, 120])
})

test('no column becomes narrower than its title', () => {
  const shown = [column('a', 300, text), column('b', 125, { ...text, title: '七个字的长标题', sort: 'b' }), actions]
  expect(widths(shown, 485)).toEqual([240, 125, 120])
})

test('without pinned columns, all columns shrink until no column is cut off', () => {
  expect(widths([column('a', 200, text), column('b', 200, text)], 360)).toEqual([180, 180])
})

test('a single column that is wider than the table keeps its width', () => {
  expect(widths([column('a', 500), actions], 300)).toEqual([500, 120])
})
