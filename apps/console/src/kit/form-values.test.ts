import { expect, test } from 'vitest'
import * as z from 'zod'
import { digitsOnly, fieldPath, sendable } from './form-values.ts'

test('a refused field is found among nested ones', () => {
  expect(fieldPath('verCode')).toEqual(['verCode'])
  expect(fieldPath('components.0.name')).toEqual(['components', 0, 'name'])
})

test('a form opened with a whole row sends only what the call knows, ids and rev among it', () => {
  const input = z.object({ id: z.int(), rev: z.int(), name: z.string() })
  expect(sendable({ input }, { id: 1, rev: 2, name: 'a', createTime: 'x' })).toEqual({ id: 1, rev: 2, name: 'a' })
  expect(sendable({ input: z.any() }, { a: 1 })).toEqual({ a: 1 })
})

test('OTA-07 everything but digits is stripped as it is typed', () => {
  expect(digitsOnly('1a2 b3-')).toBe('123')
  expect(digitsOnly(undefined)).toBe('')
})
