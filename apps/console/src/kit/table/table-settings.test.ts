import { describe, expect, test } from 'vitest'
import {
  applySettings,
  arrangeColumns,
  moveColumn,
  pinColumn,
  resizeColumn,
  type ConfigurableColumn,
  toggleColumn,
} from './table-settings.ts'

const columns: ConfigurableColumn[] = [
  { key: 'a', title: 'A' },
  { key: 'b', title: 'B', hidden: true },
  { key: 'c', title: 'C', width: 80 },
  { key: 'actions', title: '操作', fixed: true, pin: 'right' },
]
const keys = (list: readonly ConfigurableColumn[]) => list.map(({ key }) => key).join('')

describe('column settings of an account', () => {
  test('the default columns apply until the account changes them', () => {
    expect(keys(applySettings(columns, {}))).toBe('acactions')
  })

  test('reordered columns keep their order, and a new column is placed after its default neighbour', () => {
    expect(keys(arrangeColumns(columns, { order: ['c', 'a'] }))).toBe('cabactions')
    expect(keys(arrangeColumns([{ key: 'x', title: 'X' }, ...columns], { order: ['c', 'a'] }))).toBe('xcabactions')
  })

  test('a column that no longer exists is dropped from the settings', () => {
    expect(keys(arrangeColumns(columns, { order: ['gone', 'b'] }))).toBe('abcactions')
  })

  test('columns can be moved in both directions, except the actions column', () => {
    expect(moveColumn(columns, {}, 'a', 'c').order).toEqual(['b', 'c', 'a'])
    expect(moveColumn(columns, {}, 'c', 'a').order).toEqual(['c', 'a', 'b'])
    expect(moveColumn(columns, {}, 'actions', 'a')).toEqual({})
  })

  test('columns can be hidden and shown, but at least one column stays visible', () => {
    const without = toggleColumn(columns, {}, 'a')
    expect(keys(applySettings(columns, without))).toBe('cactions')
    expect(toggleColumn(columns, without, 'c')).toBe(without)
    expect(keys(applySettings(columns, toggleColumn(columns, {}, 'b')))).toBe('abcactions')
  })

  test('a column can be pinned to an edge', () => {
    expect(keys(applySettings(columns, pinColumn({}, 'c', 'left')))).toBe('caactions')
    expect(keys(applySettings(columns, pinColumn({}, 'a', 'right')))).toBe('caactions')
  })

  test('column widths have a minimum and a maximum', () => {
    expect(resizeColumn({}, 'a', 10.4).width).toEqual({ a: 60 })
    expect(resizeColumn({}, 'a', 5000).width).toEqual({ a: 800 })
    expect(applySettings(columns, resizeColumn({}, 'a', 200.6))[0]?.width).toBe(201)
  })
})
