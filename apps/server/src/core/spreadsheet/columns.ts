import { about } from '@oms/contract/core/fields.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import * as z from 'zod'
import { invalid } from '#core/http/api-error.ts'
import type { Column, Row } from './cell.ts'

/** A column by its key in the row schema, with `title` when the schema has none. */
export type ColumnSpec = string | readonly [key: string, options: Partial<Omit<Column, 'key'>>]

const WIDTHS = { text: 18, number: 12, money: 14, dateTime: 20 } as const

/** Returns columns with the titles of the row schema. */
export const createExportColumns = (schema: z.ZodObject, specs: readonly ColumnSpec[]): Column[] =>
  specs.map((spec) => {
    const [key, options] = typeof spec === 'string' ? [spec, {}] : spec
    const { title, unit } = about(schema, key)
    const type = options.type ?? (unit === 'fen' ? 'money' : 'text')
    if (unit === 'fen' && type !== 'money') throw new Error(`the column ${key} is an amount in fen, not ${type}`)
    return { key, title, width: WIDTHS[type], ...options, type }
  })

/** Returns a column for every field of a row that has a title, in the order of the schema. */
export const listTitledColumns = (schema: z.ZodObject): ColumnSpec[] =>
  Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => {
    const { title, labels, unit, format } = field.meta() ?? {}
    if (!title) return []
    const isNumber =
      !labels && !unit && z.toJSONSchema(field, { io: 'output', unrepresentable: 'any' }).type === 'integer'
    const type = format === 'date-time' ? 'dateTime' : isNumber ? 'number' : undefined
    return [type ? [key, { type }] : key]
  })

/**
 * Returns the requested columns in the requested order, then the columns that are always written. Keys that the file
 * does not have are ignored.
 */
export function selectColumns(columns: readonly Column[], wanted: readonly string[] | undefined): readonly Column[] {
  if (!wanted) return columns
  const chosen = wanted.flatMap((key) => columns.filter((column) => column.key === key))
  if (chosen.length === 0) throw invalid('导出列不正确', 'columns')
  return [...new Set([...chosen, ...columns.filter(({ isAlwaysExported }) => isAlwaysExported)])]
}

/** Returns the columns with a new title for the column `key`, whose content depends on the query. */
export const retitleColumn = (columns: readonly Column[], key: string, title: string): readonly Column[] =>
  columns.map((column) => (column.key === key ? { ...column, title } : column))

/** Formats fen in yuan. Costs have fractions of a fen and are rounded to four decimals of a yuan, as on the screens. */
const formatYuan = (fen: number) =>
  Number.isInteger(fen) ? formatFenAsYuan(fen) : String(Number((fen / 100).toFixed(4)))

/** Returns a function that replaces codes of a row by the words of its schema, fen by yuan, and joins lists. */
export function createCodeTranslator(schema: z.ZodObject): (row: Row) => Row {
  const labels = Object.keys(schema.shape).flatMap((key) => {
    const found = about(schema, key).labels
    return found ? [[key, found] as const] : []
  })
  const amounts = Object.keys(schema.shape).filter((key) => about(schema, key).unit === 'fen')
  return (row) => {
    const words: Record<string, unknown> = { ...row }
    for (const [key, names] of labels) {
      const code = words[key]
      if (typeof code === 'number') words[key] = names[code] ?? code
    }
    for (const key of amounts) {
      const fen = words[key]
      if (typeof fen === 'number') words[key] = formatYuan(fen)
    }
    for (const key in words) if (Array.isArray(words[key])) words[key] = (words[key] as unknown[]).join('、')
    return words
  }
}
