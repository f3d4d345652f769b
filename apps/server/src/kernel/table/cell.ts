export interface Column {
  readonly key: string
  readonly title: string
  /** In characters. */
  readonly width?: number
  readonly type?: 'text' | 'number' | 'dateTime'
}

export type Row = Readonly<Record<string, unknown>>
export type Rows = AsyncIterable<Row> | Iterable<Row>

/** One value as a person would read it. Objects of unknown make are never asked for their own `toString`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? '是' : '否'
  return JSON.stringify(value) ?? ''
}

const PLAIN_NEGATIVE = /^-\d+(\.\d+)?$/

/** Would a spreadsheet run this cell of a CSV file? Quotes that already stand before it do not count. */
export function isFormula(text: string) {
  const bare = text.replace(/^'+/, '')
  return /^[=+@\t\r\n＝＋－＠]/.test(bare) || (bare.startsWith('-') && !PLAIN_NEGATIVE.test(bare))
}

/** One quote before a formula makes it text; `revive` takes exactly that quote away again. */
export const deaden = (text: string) => (isFormula(text) ? `'${text}` : text)
export const revive = (text: string) => (text.startsWith("'") && isFormula(text) ? text.slice(1) : text)

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/
const DAY_MS = 86_400_000
/** Day 0 of spreadsheets, moved by one for the 29th of February 1900 that never was. */
const EPOCH = Date.UTC(1899, 11, 30)

/** A wall-clock time as the number spreadsheets keep; undefined for anything else, or before March 1900. */
export function serialOf(text: string) {
  const match = DATE_TIME.exec(text)
  if (!match) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const serial = (Date.UTC(year as number, (month as number) - 1, day, hour, minute, second) - EPOCH) / DAY_MS
  return serial > 60 ? serial : undefined
}

/** The other way: `yyyy-MM-dd`, with the time unless it is midnight. */
export function dateOf(serial: number, since1904 = false) {
  const at = new Date(EPOCH + Math.round((serial + (since1904 ? 1462 : 0)) * 86_400) * 1000)
  if (Number.isNaN(at.getTime()) || serial < 0 || serial > 2_958_466) return String(serial)
  const [day, time] = at.toISOString().slice(0, 19).split('T') as [string, string]
  if (serial < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}
