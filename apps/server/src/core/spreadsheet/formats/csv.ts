import { createReadStream } from 'node:fs'
import { TextDecoder } from 'node:util'
import {
  restoreFormulaText,
  CELL_PROBLEMS,
  findCsvProblem,
  type Column,
  neutralizeFormula,
  type Rows,
  formatCell,
} from '#core/spreadsheet/columns.ts'
import {
  MAX_CELL_CHARACTERS,
  type TableLimits,
  type TableRow,
  type TableSource,
  UnreadableTableError,
} from '#core/spreadsheet/table-thread.ts'
import { Readable } from 'node:stream'

const CHUNK_BYTES = 256 * 1024
const MAX_LINE_CHARACTERS = 1024 * 1024
/** Maximum lines of one quoted cell. */
const MAX_CELL_LINES = 1000

/**
 * Returns the rows of a CSV file in UTF-8, UTF-16 with a byte order mark, or GBK (the default of Chinese spreadsheets).
 * Row numbers include empty lines, but not a first line `sep=;`, which names the separator for Excel.
 */
export async function* readCsvRows(source: TableSource, limits: TableLimits): AsyncGenerator<TableRow> {
  const lines = linesOf(decodedTexts(source, await encodingOf(source, limits)))
  const queue: string[] = []
  const readLine = async () => {
    const { done, value } = await lines.next()
    if (!done) queue.push(value)
    return !done
  }
  let separator = ''
  let row = 0
  try {
    while (queue.length > 0 || (await readLine())) {
      let text = queue[0] as string
      const first = withoutEnd(text)
      const named = row === 0 && separator === '' ? /^sep=(.)$/i.exec(first)?.[1] : undefined
      if (!named) row += 1
      if (named || first === '') {
        separator = named ?? separator
        queue.shift()
        continue
      }
      separator ||= separatorOf(first)
      let cells = splitCells(first, separator)
      let count = 1
      while (cells === 'open' && count < MAX_CELL_LINES && (count < queue.length || (await readLine()))) {
        text += queue[count++]
        cells = splitCells(withoutEnd(text), separator)
      }
      const isWhole = typeof cells !== 'string'
      // A line with a wrong quote becomes a single row, so that the following lines are still read correctly.
      queue.splice(0, isWhole ? count : 1)
      yield rowOf(row, typeof cells === 'string' ? first.split(separator) : cells, limits, isWhole)
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UnreadableTableError('文件编码无法识别，请另存为 UTF-8 格式', { cause: error })
  }
}

/**
 * Returns the cells of a record. Returns `open` when the last quoted cell is not closed, and `wrong` when a quote in a
 * cell is not escaped.
 */
function splitCells(text: string, separator: string): string[] | 'open' | 'wrong' {
  const cells: string[] = []
  for (let at = 0; ; at += 1) {
    const start = at
    if (text[at] === '"') {
      at = text.indexOf('"', at + 1)
      while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
      if (at < 0) return 'open'
      at += 1
      if (at < text.length && text[at] !== separator) return 'wrong'
      cells.push(text.slice(start + 1, at - 1).replaceAll('""', '"'))
    } else {
      const end = text.indexOf(separator, at)
      at = end < 0 ? text.length : end
      const cell = text.slice(start, at)
      if (cell.includes('"')) return 'wrong'
      cells.push(cell)
    }
    if (at >= text.length) return cells
  }
}

const withoutEnd = (line: string) => line.replace(/\r\n$|[\r\n]$/, '')

function rowOf(row: number, raw: string[], { maxRows, maxColumns }: TableLimits, isWhole: boolean): TableRow {
  if (raw.length > maxColumns) throw new UnreadableTableError(`表格不能超过${maxColumns}列`)
  if (row > maxRows + 1) throw new UnreadableTableError(`表格不能超过${maxRows}行`)
  if (raw.some(({ length }) => length > MAX_CELL_CHARACTERS))
    throw new UnreadableTableError(`第${row}行有单元格超过${MAX_CELL_CHARACTERS}个字符`)
  const cells = raw.map(restoreFormulaText)
  const problems = new Map(
    cells.flatMap((text, at): [number, string][] => {
      const problem = !isWhole && text.includes('"') ? CELL_PROBLEMS.quote : findCsvProblem(text)
      return problem ? [[at, problem]] : []
    }),
  )
  return problems.size > 0 ? { row, cells, problems } : { row, cells }
}

async function* decodedTexts(source: TableSource, encoding: string) {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of bytesOf(source)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Yields the lines with their line ends. */
async function* linesOf(texts: AsyncGenerator<string>): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const text of texts) {
    const lines = `${rest}${text}`.split(/(?<=\n|\r(?!\n))/)
    // The next chunk may continue the last line, or begin with the line feed of its carriage return.
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) throw new UnreadableTableError('表格内容无法识别')
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Detects the separator from the first line, ignoring quoted parts. */
function separatorOf(line: string) {
  const bare = line
    .split('"')
    .filter((_, at) => at % 2 === 0)
    .join('')
  if (bare.includes(',')) return ','
  return bare.includes('\t') ? '\t' : bare.includes(';') ? ';' : ','
}

/** Detects the encoding. Only a complete read can distinguish UTF-8 from GBK. */
async function encodingOf(source: TableSource, { maxUnpackedBytes }: TableLimits) {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  let encoding = 'utf-8'
  for await (const chunk of bytesOf(source)) {
    if (size === 0 && chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
    if (size === 0 && chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be'
    size += chunk.length
    if (size > maxUnpackedBytes) throw new UnreadableTableError('表格内容过大，请拆分后重新上传')
    if (encoding === 'utf-8' && !isValid(utf8, chunk)) encoding = 'gb18030'
  }
  return encoding
}

function isValid(decoder: TextDecoder, chunk: Uint8Array) {
  try {
    decoder.decode(chunk, { stream: true })
    return true
  } catch {
    return false
  }
}

async function* bytesOf(source: TableSource) {
  if ('path' in source)
    yield* createReadStream(source.path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>
  else for (let at = 0; at < source.length; at += CHUNK_BYTES) yield source.subarray(at, at + CHUNK_BYTES)
}

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
