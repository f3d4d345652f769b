import { money, note } from '@oms/contract/core/fields.ts'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { formatPlainText, createFieldFormatter } from './plain-text.ts'

test('formats values as display text', () => {
  expect(formatPlainText(null)).toBe('')
  expect(formatPlainText(0)).toBe('0')
  expect(formatPlainText(true)).toBe('是')
  expect(formatPlainText(['甲', '乙'])).toBe('甲、乙')
  expect(formatPlainText(1, { 0: '停用', 1: '启用' })).toBe('启用')
  expect(formatPlainText('1', { 1: '启用' })).toBe('启用')
  expect(formatPlainText(9, { 1: '启用' })).toBe('9')
  expect(formatPlainText([1, 2], { 1: '男', 2: '女' })).toBe('男、女')
})

test('formats amounts in fen as yuan', () => {
  const schema = z.object({ price: money('单价'), remark: note('备注', 20) })
  const text = createFieldFormatter(schema, 'price')
  expect([text(123_456), text(0), text(null)]).toEqual(['¥1,234.56', '¥0.00', ''])
  expect(createFieldFormatter(schema, 'remark')(123)).toBe('123')
})
