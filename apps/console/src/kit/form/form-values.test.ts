import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  keepDigits,
  listConflicts,
  mergeEdits,
  yuanToFen,
  formatYuanInput,
  toFieldPath,
  selectAcceptedFields,
  fenToYuan,
} from './form-values.ts'

test('an API error of a nested field is assigned to its form field', () => {
  expect(toFieldPath('verCode')).toEqual(['verCode'])
  expect(toFieldPath('components.0.name')).toEqual(['components', 0, 'name'])
})

test('a form that is filled from a list row sends only the fields of the endpoint, including ids and rev', () => {
  const input = z.object({ id: z.int(), rev: z.int(), name: z.string() })
  expect(selectAcceptedFields({ input }, { id: 1, rev: 2, name: 'a', createTime: 'x' })).toEqual({
    id: 1,
    rev: 2,
    name: 'a',
  })
  expect(selectAcceptedFields({ input: z.any() }, { a: 1 })).toEqual({ a: 1 })
})

test('OTA-07 a digits field removes all other characters while the user types', () => {
  expect(keepDigits('1a2 b3-')).toBe('123')
  expect(keepDigits(undefined)).toBe('')
})

test('converting an amount from fen to yuan and back does not lose a fen', () => {
  for (const fen of [0, 1, 115, 1_005, 2_147_483_647]) expect(yuanToFen(fenToYuan(fen))).toBe(fen)
  expect([yuanToFen(null), fenToYuan(null)]).toEqual([null, undefined])
})

test('an amount with more than two decimals keeps its fraction of a fen, and is shown unchanged', () => {
  expect([yuanToFen(1.255), yuanToFen(1.15)]).toEqual([125.5, 115])
  const shown = (value: unknown) => formatYuanInput(value, { userTyping: false, input: '' })
  expect(['19.9', '1.255', 12, '', undefined].map(shown)).toEqual(['19.90', '1.255', '12.00', '', ''])
  expect(formatYuanInput('1', { userTyping: true, input: '1.' })).toBe('1.')
})

test('the latest values of a record are loaded into the fields that the user has not changed', () => {
  const base = { status: 1, handlerId: 3, problemAttr: { screen: ['a'], power: ['b'] }, remark: '' }
  const edited = { ...base, handlerId: undefined, problemAttr: { screen: ['a', 'c'], power: ['b'] }, remark: '已寄出' }
  const latest = { status: 2, handlerId: 5, problemAttr: { screen: [], power: ['d'] }, remark: '' }
  expect(mergeEdits(base, edited, latest)).toEqual({
    status: 2,
    handlerId: undefined,
    problemAttr: { screen: ['a', 'c'], power: ['d'] },
    remark: '已寄出',
  })
})

test('only fields that both people changed to different values are in conflict', () => {
  const base = { name: 'a', sort: 1, remark: '', rev: 3, address: { city: 'x', street: 'y' } }
  const edited = { ...base, name: 'b', sort: 2, remark: 'mine', address: { city: 'x2', street: 'y2' } }
  const latest = { ...base, name: 'c', sort: 2, rev: 4, address: { city: 'x3', street: 'y' } }
  expect(listConflicts(base, edited, latest)).toEqual([['name'], ['address', 'city']])
})
