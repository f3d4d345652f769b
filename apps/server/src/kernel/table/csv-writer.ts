import { Readable } from 'node:stream'
import { type Column, deaden, type Rows, textOf } from './cell.ts'

const CHUNK_CHARACTERS = 64 * 1024

/** CSV as it is made: UTF-8 with its mark, RFC 4180, and no cell that a spreadsheet would run. */
export const writeCsv = (columns: readonly Column[], rows: Rows) =>
  Readable.from(csvChunks(columns, rows), { objectMode: false, highWaterMark: 64 * 1024 })

async function* csvChunks(columns: readonly Column[], rows: Rows) {
  let text = `\ufeff${columns.map(({ title }) => quoted(title)).join(',')}\r\n`
  // The first line goes at once, so the person sees the download begin.
  yield Buffer.from(text)
  text = ''
  for await (const row of rows) {
    text += `${columns.map(({ key }) => quoted(textOf(row[key]))).join(',')}\r\n`
    if (text.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text) yield Buffer.from(text)
}

function quoted(value: string) {
  const text = deaden(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
