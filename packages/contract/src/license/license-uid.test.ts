import { expect, test } from 'vitest'
import { listUidSpellings, toCanonicalUid } from './license-uid.ts'

test('a UID is read without invisible characters', () => {
  expect(toCanonicalUid(2, '\u200Bvstc-000123\u200B-abcde\uFEFF')).toBe('VSTC-000123-ABCDE')
  expect(listUidSpellings('\uFEFFabc')).toEqual(['abc', 'ABC'])
})
