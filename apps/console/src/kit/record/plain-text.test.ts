import { expect, test } from 'vitest'
import { plainText } from './plain-text.ts'

test('formats values as display text', () => {
  expect(plainText(null)).toBe('')
  expect(plainText(0)).toBe('0')
  expect(plainText(true)).toBe('是')
  expect(plainText(['甲', '乙'])).toBe('甲、乙')
  expect(plainText(1, { 0: '停用', 1: '启用' })).toBe('启用')
  expect(plainText('1', { 1: '启用' })).toBe('启用')
  expect(plainText(9, { 1: '启用' })).toBe('9')
  expect(plainText([1, 2], { 1: '男', 2: '女' })).toBe('男、女')
})
