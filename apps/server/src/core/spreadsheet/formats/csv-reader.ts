import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { CsvError, parse } from 'csv-parse'
import { restoreFormulaText } from '#core/spreadsheet/cell.ts'
import { findCsvProblem } from '#core/spreadsheet/cell-problems.ts'
import {
  MAX_CELL_CHARACTERS,
  type TableLimits,
  type TableRow,
  type TableSource,
  UnreadableTableError,
} from '#core/spreadsheet/table-limits.ts'

const CHUNK_BYTES = 256 * 1024
const MAX_RECORD_CHARACTERS = 1024 * 1024
/** Maximum length of the first line that is read to detect the separator. */
const FIRST_LINE_CHARACTERS = 64 * 1024

/**
 * Returns the rows of a CSV file in UTF-8, UTF-16 with a byte order mark, or GBK (the default of Chinese spreadsheets).
 */
export async function* readCsvRows(source: TableSource, limits: TableLimits): AsyncGenerator<TableRow> {
  const texts = decodedTexts(source, await encodingOf(source, limits))
  const first = await firstLineOf(texts)
  const parser = parse({
    delimiter: separatorOf(first),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // Empty lines are only counted: a record for each would keep the thread busy for a minute on 2 MB of line feeds.
    skip_empty_lines: true,
    info: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  })
  const input = Readable.from(joined(first, texts), { objectMode: true })
  input.on('error', (error) => parser.destroy(error))
  input.pipe(parser)
  try {
    for await (const { info, record } of parser as AsyncIterable<Parsed>)
      yield rowOf(info.records + info.empty_lines, record, limits)
  } catch (error) {
    throw explainReadError(error)
  } finally {
    input.destroy()
  }
}

interface Parsed {
  readonly info: { readonly records: number; readonly empty_lines: number }
  readonly record: string[]
}

function rowOf(row: number, raw: string[], { maxRows, maxColumns }: TableLimits): TableRow {
  if (raw.length > maxColumns) throw new UnreadableTableError(`表格不能超过${maxColumns}列`)
  if (row > maxRows + 1) throw new UnreadableTableError(`表格不能超过${maxRows}行`)
  if (raw.some(({ length }) => length > MAX_CELL_CHARACTERS))
    throw new UnreadableTableError(`第${row}行有单元格超过${MAX_CELL_CHARACTERS}个字符`)
  const cells = raw.map(restoreFormulaText)
  const problems = new Map(
    cells.flatMap((text, at): [number, string][] => {
      const problem = findCsvProblem(text)
      return problem ? [[at, problem]] : []
    }),
  )
  return problems.size > 0 ? { row, cells, problems } : { row, cells }
}

function explainReadError(error: unknown) {
  if (error instanceof TypeError)
    return new UnreadableTableError('文件编码无法识别，请另存为 UTF-8 格式', { cause: error })
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new UnreadableTableError('表格内容不完整，有引号没有结束')
  if (error.code === 'CSV_MAX_RECORD_SIZE') return new UnreadableTableError('表格内容无法识别')
  const line = Number((error as { lines?: unknown }).lines)
  return new UnreadableTableError(`表格第${line}行的引号不正确：含引号的内容应整格加引号，其中的引号写两遍`)
}

async function* decodedTexts(source: TableSource, encoding: string) {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of bytesOf(source)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Reads until the first line is complete. The rest stays in `texts`. */
async function firstLineOf(texts: AsyncGenerator<string>): Promise<string> {
  let text = ''
  while (text.length < FIRST_LINE_CHARACTERS && !/[\r\n]/.test(text)) {
    const { done, value } = await texts.next().catch((error: unknown) => {
      throw explainReadError(error)
    })
    if (done) break
    text += value
  }
  return text
}

async function* joined(first: string, texts: AsyncGenerator<string>) {
  if (first !== '') yield first
  yield* texts
}

/** Detects the separator from the first line, ignoring quoted parts. */
function separatorOf(text: string) {
  const line = text.split(/[\r\n]/, 1)[0] as string
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
