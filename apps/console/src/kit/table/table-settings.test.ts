import { describe, expect, test } from 'vitest'
import { applied, arranged, moved, pinned, resized, type ConfigurableColumn, toggled } from './table-settings.ts'

const columns: ConfigurableColumn[] = [
  { key: 'a', title: 'A' },
  { key: 'b', title: 'B', hidden: true },
  { key: 'c', title: 'C', width: 80 },
  { key: 'actions', title: '操作', fixed: true, pin: 'right' },
]
const keys = (list: readonly ConfigurableColumn[]) => list.map(({ key }) => key).join('')

describe('column settings of an account', () => {
  test('are the default columns until the account changes them', () => {
    expect(keys(applied(columns, {}))).toBe('acactions')
  })

  test('keep their order, and insert a new column after its default neighbour', () => {
    expect(keys(arranged(columns, { order: ['c', 'a'] }))).toBe('cabactions')
    expect(keys(arranged([{ key: 'x', title: 'X' }, ...columns], { order: ['c', 'a'] }))).toBe('xcabactions')
  })

  test('drop a column that no longer exists', () => {
    expect(keys(arranged(columns, { order: ['gone', 'b'] }))).toBe('abcactions')
  })

  test('move in both directions, except the actions column', () => {
    expect(moved(columns, {}, 'a', 'c').order).toEqual(['b', 'c', 'a'])
    expect(moved(columns, {}, 'c', 'a').order).toEqual(['c', 'a', 'b'])
    expect(moved(columns, {}, 'actions', 'a')).toEqual({})
  })

  test('hide and show columns, but keep at least one', () => {
    const without = toggled(columns, {}, 'a')
    expect(keys(applied(columns, without))).toBe('cactions')
    expect(toggled(columns, without, 'c')).toBe(without)
    expect(keys(applied(columns, toggled(columns, {}, 'b')))).toBe('abcactions')
  })

  test('pin a column to an edge', () => {
    expect(keys(applied(columns, pinned({}, 'c', 'left')))).toBe('caactions')
    expect(keys(applied(columns, pinned({}, 'a', 'right')))).toBe('caactions')
  })

  test('limit column widths', () => {
    expect(resized({}, 'a', 10.4).width).toEqual({ a: 60 })
    expect(resized({}, 'a', 5000).width).toEqual({ a: 800 })
    expect(applied(columns, resized({}, 'a', 200.6))[0]?.width).toBe(201)
  })
})
