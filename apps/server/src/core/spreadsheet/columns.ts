import type { NumberFormat } from './formats/number-format.ts'
import { about } from '@oms/contract/core/fields.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import * as z from 'zod'
import { invalid } from '#core/http/api-error.ts'

export interface Column {
  readonly key: string
  readonly title: string
  /** Column width in characters. */
  readonly width?: number
  readonly type?: 'text' | 'number' | 'money' | 'dateTime'
  /** True when an export writes the column even if the list hides it, because an import of the file needs it. */
  readonly isAlwaysExported?: boolean
}

export type Row = Readonly<Record<string, unknown>>
export type Rows = AsyncIterable<Row> | Iterable<Row>

/** Returns the text of a value for readers. Never calls `toString` of unknown objects. */
export function formatCell(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? '是' : '否'
  return JSON.stringify(value) ?? ''
}

const PLAIN_NEGATIVE = /^-\d+(\.\d+)?$/

/** Returns true when a spreadsheet would run this CSV cell as a formula. Leading quotes are ignored. */
export function isFormula(text: string) {
  const bare = text.replace(/^'+/, '')
  return /^[=+@\t\r\n＝＋－＠]/.test(bare) || (bare.startsWith('-') && !PLAIN_NEGATIVE.test(bare))
}

/** Prefixes a formula with a quote, so that spreadsheets show text. `restoreFormulaText` removes exactly one quote. */
export const neutralizeFormula = (text: string) => (isFormula(text) ? `'${text}` : text)
export const restoreFormulaText = (text: string) => (text.startsWith("'") && isFormula(text) ? text.slice(1) : text)

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/
const DAY_MS = 86_400_000
/** Day 0 of spreadsheets, shifted by one for the 29 February 1900 that spreadsheets wrongly count. */
const EPOCH = Date.UTC(1899, 11, 30)

/** Returns the spreadsheet number of a local time; undefined for other texts and times before March 1900. */
export function toSpreadsheetSerial(text: string) {
  const match = DATE_TIME.exec(text)
  if (!match) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const serial = (Date.UTC(year as number, (month as number) - 1, day, hour, minute, second) - EPOCH) / DAY_MS
  return serial > 60 ? serial : undefined
}

/**
 * Converts a spreadsheet number to text. A cell with day and time becomes `yyyy-MM-dd HH:mm:ss`, also at midnight. A
 * cell with a day becomes `yyyy-MM-dd` unless the number has a time. A time without a day becomes `HH:mm:ss`.
 */
export function formatSpreadsheetDate(serial: number, kind: 'date' | 'time' | 'dateTime', since1904 = false) {
  // Days before March 1900 are counted without the non-existent 29 February.
  const days = since1904 ? serial + 1462 : serial >= 1 && serial < 60 ? serial + 1 : serial
  const at = new Date(EPOCH + Math.round(days * 86_400) * 1000)
  if (Number.isNaN(at.getTime()) || serial < 0 || serial > 2_958_466) return String(serial)
  const [day, time] = at.toISOString().slice(0, 19).split('T') as [string, string]
  if (serial < 1 && !since1904 && kind !== 'date') return time
  return kind === 'date' && time === '00:00:00' ? day : `${day} ${time}`
}

/** Spreadsheets keep 15 digits of a number and replace the other digits by zeros. */
const EXACT_BELOW = 1e15

const AS_TEXT = '请将该列设置为“文本”格式后重新填写'
/**
 * Prefix of a cell in the file of failed lines whose text differs from the author's input. The author must rewrite the
 * cell.
 */
export const CORRECTION_MARK = '#待更正'

export const CELL_PROBLEMS = {
  tooLong: `数字超过15位，表格软件已改变其末尾数字，${AS_TEXT}`,
  shownOtherwise: `单元格的数字格式使显示内容与实际内容不同（如补零、百分比），${AS_TEXT}`,
  formula: '公式没有计算结果，请在表格软件中重新计算并保存，或改为填写数值',
  scientific: `内容已被表格软件改成科学计数法，${AS_TEXT}`,
  quote: '引号不正确：含引号的内容应整格加引号，其中的引号写两遍',
  /** Applies only to columns without dates. Spreadsheets change the text 3-4 into a date. */
  date: `内容已被表格软件改成日期或时间，${AS_TEXT}`,
  marked: `请更正以“${CORRECTION_MARK}”开头的单元格`,
  untitled: (column: number) => `第${column}列没有列名，但有内容；请检查表头、逗号与引号`,
  error: (text: string) => `单元格为错误值${text}`,
} as const

const ERROR_VALUES = new Set(['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NULL!', '#NUM!'])

/** Returns why a numeric cell may differ from the author's input or display; undefined when it does not differ. */
export function findNumberProblem(number: number, { kind, digits }: NumberFormat): string | undefined {
  if (Math.abs(number) >= EXACT_BELOW) return CELL_PROBLEMS.tooLong
  if (kind === 'changed') return CELL_PROBLEMS.shownOtherwise
  const shown = Math.trunc(Math.abs(number)).toFixed(0).length
  return kind === 'plain' && shown < digits ? CELL_PROBLEMS.shownOtherwise : undefined
}

/** Returns why a text cell is refused in any column. */
export const findTextProblem = (text: string) => (text.startsWith(CORRECTION_MARK) ? CELL_PROBLEMS.marked : undefined)

/** Returns why a cell of a CSV file is refused. There, error values and numbers such as `1.23457E+17` are texts. */
export function findCsvProblem(text: string) {
  if (ERROR_VALUES.has(text)) return CELL_PROBLEMS.error(text)
  return /^-?\d(?:\.\d+)?E\+\d{2,3}$/.test(text) ? CELL_PROBLEMS.scientific : findTextProblem(text)
}

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
