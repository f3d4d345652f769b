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
