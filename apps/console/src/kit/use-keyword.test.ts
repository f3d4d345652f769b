import { expect, test } from 'vitest'
import { keywordOf } from './use-keyword.ts'

test('a keyword is what was typed, without the space around it', () => {
  expect(keywordOf('  海川 智能 ')).toBe('海川 智能')
  expect(keywordOf('')).toBe('')
})

test('a pasted page is cut to what lookups take, at a whole character', () => {
  expect(keywordOf('长'.repeat(10_000))).toBe('长'.repeat(30))
  expect(keywordOf(`${'a'.repeat(29)}😀😀`)).toBe('a'.repeat(29))
  expect(keywordOf('第一行\r\n第二行\u0000')).toBe('第一行 第二行')
})
