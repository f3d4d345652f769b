import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import { revive } from './cell.ts'
import { type TableLimits, type TableRow, TableUnreadable } from './table-limits.ts'

/** Where a table's bytes are: in memory, or in a local file. */
export type TableSource = Uint8Array | { readonly path: string }

/** Rows of a CSV file in UTF-8, UTF-16 with its mark, or GBK (what Chinese spreadsheets save by default). */
export async function* csvRows(source: TableSource, limits: TableLimits): AsyncGenerator<TableRow> {
  const decoder = new TextDecoder(await encodingOf(source, limits), { fatal: true })
  const parser = new CsvParser(limits)
  try {
    for await (const chunk of bytesOf(source)) yield* parser.write(decoder.decode(chunk, { stream: true }))
    yield* parser.write(decoder.decode())
  } catch (error) {
    throw error instanceof TypeError
      ? new TableUnreadable('文件编码无法识别，请另存为 UTF-8 格式', { cause: error })
      : error
  }
  yield* parser.end()
}

class CsvParser {
  readonly #limits: TableLimits
  #separator: ',' | ';' | '\t' | undefined
  #rest = ''
  #cells: string[] = []
  #row = 1

  constructor(limits: TableLimits) {
    this.#limits = limits
  }

  *write(text: string): Generator<TableRow> {
    const csv = this.#rest + text
    // The last character may be half of a doubled quote or of a line end.
    yield* this.#parse(csv, csv.length - 1)
  }

  *end(): Generator<TableRow> {
    if (this.#rest !== '' || this.#cells.length > 0) yield* this.#parse(`${this.#rest}\n`, this.#rest.length + 1)
    if (this.#rest !== '') throw new TableUnreadable('表格内容不完整')
  }

  *#parse(csv: string, limit: number): Generator<TableRow> {
    this.#separator ??= separatorOf(csv, limit)
    const separator = this.#separator
    let at = 0
    while (separator && at < limit) {
      const end = cellEnd(csv, at, separator)
      if (end < 0 || end >= limit) break
      this.#add(csv.slice(at, end))
      at = end + 1
      if (csv[end] === separator) continue
      if (csv[end] === '\r' && csv[at] === '\n') at++
      const cells = this.#cells
      this.#cells = []
      yield { row: this.#row++, cells }
      // What the end of the last line begins is no further one.
      if (this.#row > this.#limits.maxRows + 2 && (cells.length > 1 || cells[0] !== ''))
        throw new TableUnreadable(`表格不能超过${this.#limits.maxRows}行`)
    }
    this.#rest = csv.slice(at)
    if (this.#rest.length > 1024 * 1024) throw new TableUnreadable('表格内容无法识别')
  }

  #add(raw: string) {
    if (this.#cells.length >= this.#limits.maxColumns)
      throw new TableUnreadable(`表格不能超过${this.#limits.maxColumns}列`)
    const text = raw.startsWith('"') ? raw.slice(1, raw.lastIndexOf('"')).replaceAll('""', '"') : raw
    this.#cells.push(revive(text))
  }
}

/** Index of the separator or line end that closes the cell at `at`; -1 while it is not there. */
function cellEnd(csv: string, at: number, separator: string) {
  let from = at
  if (csv[at] === '"') {
    for (from = at + 1; ; from += 2) {
      from = csv.indexOf('"', from)
      if (from < 0) return -1
      if (csv[from + 1] !== '"') break
    }
  }
  for (let end = from; end < csv.length; end++) {
    const c = csv[end]
    if (c === separator || c === '\n' || c === '\r') return end
  }
  return -1
}

/** Decided by the first line; undefined while that is not whole. */
function separatorOf(csv: string, limit: number) {
  const end = csv.search(/[\r\n]/)
  if (end < 0 || end >= limit) return csv.length > 64 * 1024 ? ',' : undefined
  const line = csv.slice(0, end)
  if (line.includes(',')) return ','
  return line.includes('\t') ? '\t' : line.includes(';') ? ';' : ','
}

/** UTF-8 can be told from GBK only by reading all of it. */
async function encodingOf(source: TableSource, { maxUnpackedBytes }: TableLimits) {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  let encoding = 'utf-8'
  for await (const chunk of bytesOf(source)) {
    if (size === 0 && chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
    if (size === 0 && chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be'
    size += chunk.length
    if (size > maxUnpackedBytes) throw new TableUnreadable('表格内容过大，请拆分后重新上传')
    if (encoding === 'utf-8' && !valid(utf8, chunk)) encoding = 'gb18030'
  }
  return encoding
}

function valid(decoder: TextDecoder, chunk: Uint8Array) {
  try {
    decoder.decode(chunk, { stream: true })
    return true
  } catch {
    return false
  }
}

async function* bytesOf(source: TableSource) {
  if ('path' in source) yield* createReadStream(source.path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
  else for (let at = 0; at < source.length; at += 256 * 1024) yield source.subarray(at, at + 256 * 1024)
}
