import { about } from '@oms/contract/core/fields.ts'
import * as z from 'zod'
import { invalid } from '#core/http/api-error.ts'
import type { ColumnSpec } from './columns.ts'
import { REASON_COLUMNS } from './import/failure-file.ts'

/** Columns that a header is compared with. */
export interface KnownColumns {
  readonly schema: z.ZodObject
  readonly columns: readonly ColumnSpec[]
  readonly required: readonly string[]
  /** Row schema of the export of the same records. An import ignores columns that only the export has. */
  readonly exportedRow?: z.ZodObject
}

/** Maximum number of titles in an error message, and maximum characters of an unknown title. */
const MAX_NAMED = 10
const MAX_TITLE = 40

export const readFieldTitle = (schema: z.ZodObject, key: string) => String(about(schema, key).title)

/**
 * Returns the field of each column, undefined for columns without a title and for columns of a file of failed lines.
 * Refuses unknown, duplicate or missing columns before any line is read, because an unknown column would be lost
 * silently. Some templates mark required columns with a star before the title.
 */
export function matchHeaderFields({ schema, columns, required, exportedRow }: KnownColumns, header: readonly string[]) {
  const keyByTitle = new Map(
    columns.map((spec) => (typeof spec === 'string' ? spec : spec[0])).map((key) => [readFieldTitle(schema, key), key]),
  )
  const titles = header.map((title) => (title.startsWith('*') ? title.slice(1).trim() : title))
  const fields = titles.map((title) => keyByTitle.get(title))
  const problems = [
    unknownColumns(titles, [...keyByTitle.keys()], exportedRow),
    doubledColumns(titles),
    missingColumns(required.filter((key) => !fields.includes(key)).map((key) => readFieldTitle(schema, key))),
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw invalid(`${problems.join('；')}，请使用导入模板`, 'file')
  return fields
}

function unknownColumns(titles: readonly string[], known: readonly string[], exportedRow = z.object({})) {
  const exported = Object.keys(exportedRow.shape).map((key) => readFieldTitle(exportedRow, key))
  const ignored = new Set<string>(['', ...known, ...exported, ...REASON_COLUMNS.map(({ title }) => title)])
  const unknown = titles.filter((title) => !ignored.has(title))
  if (unknown.length === 0) return undefined
  const named = unknown.slice(0, MAX_NAMED).map((title) => `「${title.slice(0, MAX_TITLE)}」`)
  return `表格中有无法识别的列：${named.join('、')}`
}

function doubledColumns(titles: readonly string[]) {
  const doubled = new Set(titles.filter((title, at) => title !== '' && titles.indexOf(title) !== at))
  return doubled.size > 0 ? `表格中有重复的列：${[...doubled].slice(0, MAX_NAMED).join('、')}` : undefined
}

const missingColumns = (titles: readonly string[]) =>
  titles.length > 0 ? `表格缺少列：${titles.join('、')}` : undefined
