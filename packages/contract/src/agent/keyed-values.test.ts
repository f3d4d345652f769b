import { expect, test } from 'vitest'
import * as z from 'zod'
import { limitRecordKeys } from './keyed-values.ts'

let parsed = 0
const counted = z.string('值不正确').refine(() => (parsed += 1) > 0)
const values = limitRecordKeys(z.record(z.string(), counted, '格式不正确'), 3, '最多3个')
const messagesOf = (value: unknown) => values.safeParse(value).error?.issues.map(({ message }) => message)

test('a record with too many keys is refused with one message before any value is parsed', () => {
  const many = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`k${at}`, 'v']))
  parsed = 0
  expect(messagesOf(many)).toEqual(['最多3个'])
  expect(parsed).toBe(0)
})

test('a record within the limit keeps its values and its messages', () => {
  expect(values.parse({ a: '1', b: '2', c: '3' })).toEqual({ a: '1', b: '2', c: '3' })
  expect(messagesOf({ a: 1 })).toEqual(['值不正确'])
  for (const wrong of [null, 'text', 7, undefined]) expect(messagesOf(wrong)).toEqual(['格式不正确'])
})
