import { expect, test } from 'vitest'
import { normalizeKeyword } from './use-keyword.ts'

test('a keyword is the typed text without surrounding spaces', () => {
  expect(normalizeKeyword('  海川 智能 ')).toBe('海川 智能')
  expect(normalizeKeyword('')).toBe('')
})

test('a long pasted text is truncated to the keyword limit without splitting a character', () => {
  expect(normalizeKeyword('长'.repeat(10_000))).toBe('长'.repeat(30))
  expect(normalizeKeyword(`${'a'.repeat(29)}😀😀`)).toBe('a'.repeat(29))
  expect(normalizeKeyword('第一行\r\n第二行\u0000')).toBe('第一行 第二行')
})
