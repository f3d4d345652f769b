import { about } from '@oms/contract/core/fields.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import type * as z from 'zod'

/** Returns the function that formats the values of a schema field as text: amounts in fen as `¥1,234.56`. */
export function createFieldFormatter(schema: z.ZodObject, field: string): (value: unknown) => string {
  const { labels, unit } = about(schema, field)
  if (unit === 'fen') return (value) => (typeof value === 'number' ? formatCurrency(value) : '')
  return (value) => formatPlainText(value, labels)
}

/** Formats a value as text: labels for codes, 是/否 for booleans, lists joined by 、, empty text for absent values. */
export function formatPlainText(value: unknown, labels?: Readonly<Record<number, string>>): string {
  if (value === undefined || value === null || value === '') return ''
  if (Array.isArray(value)) return value.map((item) => formatPlainText(item, labels)).join('、')
  if (labels && typeof value !== 'object') return labels[Number(value)] ?? String(value)
  if (typeof value === 'boolean') return value ? '是' : '否'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
