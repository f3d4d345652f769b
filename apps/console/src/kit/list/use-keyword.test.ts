import { expect, test } from 'vitest'
import { keywordOf } from './use-keyword.ts'

test('a keyword is the typed text without surrounding spaces', () => {
  expect(keywordOf('  海川 智能 ')).toBe('海川 智能')
  expect(keywordOf('')).toBe('')
})

test('a long pasted text is truncated to the keyword limit without splitting a character', () => {
  expect(keywordOf('长'.repeat(10_000))).toBe('长'.repeat(30))
  expect(keywordOf(`${'a'.repeat(29)}😀😀`)).toBe('a'.repeat(29))
  expect(keywordOf('第一行\r\n第二行\u0000')).toBe('第一行 第二行')
})
