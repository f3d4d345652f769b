import { Readable } from 'node:stream'
import { type Column, neutralizeFormula, type Rows, formatCell } from '#core/spreadsheet/cell.ts'

const CHUNK_CHARACTERS = 64 * 1024

/** Streams CSV: UTF-8 with byte order mark, RFC 4180, formulas neutralised. */
export const writeCsv = (columns: readonly Column[], rows: Rows) =>
  Readable.from(csvChunks(columns, rows), { objectMode: false, highWaterMark: 64 * 1024 })

async function* csvChunks(columns: readonly Column[], rows: Rows) {
  let text = `\ufeff${columns.map(({ title }) => quoteCell(title)).join(',')}\r\n`
  // Sends the first line at once, so that the browser shows the download.
  yield Buffer.from(text)
  text = ''
  for await (const row of rows) {
    text += `${columns.map(({ key }) => quoteCell(formatCell(row[key]))).join(',')}\r\n`
    if (text.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text) yield Buffer.from(text)
}

function quoteCell(value: string) {
  const text = neutralizeFormula(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
