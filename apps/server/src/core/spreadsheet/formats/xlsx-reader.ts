import type { Readable } from 'node:stream'
import { formatSpreadsheetDate, CELL_PROBLEMS, findNumberProblem, findTextProblem } from '#core/spreadsheet/columns.ts'
import { findBuiltInFormat, type NumberFormat, PLAIN_FORMAT, parseNumberFormat } from './number-format.ts'
import {
  MAX_CELL_CHARACTERS,
  TABLE_TOO_LARGE,
  type TableLimits,
  type TableRow,
  type TableSource,
  UnreadableTableError,
} from '#core/spreadsheet/table-thread.ts'
import { openZip } from './zip.ts'

/** Returns the rows of the first visible sheet of a workbook. Each cell is the text that a spreadsheet shows. */
export async function* readXlsxRows(source: TableSource, limits: TableLimits): AsyncGenerator<TableRow> {
  const zip = await openZip(source, limits)
  try {
    const book = await firstSheet(zip.open)
    const formats = await cellFormats(zip.open)
    const shared = await sharedTexts(zip.open)
    const rows: TableRow[] = []
    const reader = new SheetReader({ shared, formats, limits, since1904: book.since1904 }, (row) => rows.push(row))
    for await (const _ of scan(await requiredMember(zip.open, book.path), reader)) yield* rows.splice(0)
  } finally {
    zip.close()
  }
}

type Open = (name: string) => Promise<Readable | undefined>

async function requiredMember(open: Open, name: string) {
  const stream = await open(name)
  if (!stream) throw new UnreadableTableError('表格内容不完整')
  return stream
}

/** Passes an archive entry to a handler and yields after each chunk, so that results can be returned early. */
async function* scan(stream: Readable, handler: XmlHandler) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const scanner = new XmlScanner(handler)
  try {
    for await (const chunk of stream) {
      scanner.write(decoder.decode(chunk as Buffer, { stream: true }))
      yield
    }
  } catch (error) {
    throw error instanceof UnreadableTableError ? error : new UnreadableTableError('表格内容无法识别', { cause: error })
  }
  scanner.end()
}

/** Reads a small archive entry completely and calls `open` for each start tag. */
async function elements(stream: Readable, open: XmlHandler['open']) {
  for await (const _ of scan(stream, { open, close() {}, text() {} }));
}

async function firstSheet(open: Open) {
  const ids: (string | undefined)[] = []
  let since1904 = false
  await elements(await requiredMember(open, 'xl/workbook.xml'), (name, attributes) => {
    const isVisible = name === 'sheet' && (readAttribute(attributes, 'state') ?? 'visible') === 'visible'
    if (isVisible) ids.push(readAttribute(attributes, 'id'))
    if (name === 'workbookPr') since1904 = /^(1|true)$/.test(readAttribute(attributes, 'date1904') ?? '')
  })
  const pathById = new Map<string | undefined, string>()
  await elements(await requiredMember(open, 'xl/_rels/workbook.xml.rels'), (name, attributes) => {
    // A chart sheet has another relationship type than a worksheet.
    if (name === 'Relationship' && /\/worksheet$|^$/.test(readAttribute(attributes, 'Type') ?? ''))
      pathById.set(readAttribute(attributes, 'Id'), readAttribute(attributes, 'Target') ?? '')
  })
  const path = ids.map((id) => pathById.get(id)).find(Boolean)
  if (!path) throw new UnreadableTableError('表格中没有工作表')
  return { path: path.startsWith('/') ? path.slice(1) : `xl/${path}`, since1904 }
}

/** Returns the number format of each cell style. */
async function cellFormats(open: Open) {
  const stream = await open('xl/styles.xml')
  const custom = new Map<number, NumberFormat>()
  const styles: NumberFormat[] = []
  let inCells = false
  if (!stream) return styles
  const handler: XmlHandler = {
    open(name, attributes) {
      if (name === 'cellXfs') inCells = true
      const format = Number(readAttribute(attributes, 'numFmtId') ?? 0)
      if (name === 'numFmt') custom.set(format, parseNumberFormat(readAttribute(attributes, 'formatCode') ?? ''))
      if (name === 'xf' && inCells) styles.push(custom.get(format) ?? findBuiltInFormat(format))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
    text() {},
  }
  for await (const _ of scan(stream, handler));
  return styles
}

async function sharedTexts(open: Open) {
  const stream = await open('xl/sharedStrings.xml')
  const texts: string[] = []
  if (stream) for await (const _ of scan(stream, new TextReader('si', (text) => texts.push(text))));
  return texts
}

/** Joins the runs of a rich text without phonetic hints. */
class TextReader implements XmlHandler {
  readonly #element: string
  readonly #found: (text: string) => void
  #text = ''
  #inText = false
  #inHint = false

  constructor(element: string, found: (text: string) => void) {
    this.#element = element
    this.#found = found
  }

  open(name: string) {
    if (name === this.#element) this.#text = ''
    else if (name === 't') this.#inText = !this.#inHint
    else if (name === 'rPh') this.#inHint = true
  }

  close(name: string) {
    if (name === 't') this.#inText = false
    else if (name === 'rPh') this.#inHint = false
    else if (name === this.#element) this.#found(plain(this.#text))
  }

  text(value: string) {
    if (this.#inText) this.#text += value
  }
}

/** Decodes `_xHHHH_`, the notation for characters that XML cannot contain. */
const plain = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

interface Book {
  readonly shared: readonly string[]
  readonly formats: readonly NumberFormat[]
  readonly since1904: boolean
  readonly limits: TableLimits
}

interface Shown {
  readonly text: string
  readonly problem?: string
}

function toShown(text: string): Shown {
  const problem = findTextProblem(text)
  return problem ? { text, problem } : { text }
}

class SheetReader implements XmlHandler {
  readonly #book: Book
  readonly #found: (row: TableRow) => void
  readonly #inline = new TextReader('is', (text) => {
    this.#value = text
  })
  #row = 0
  #cells: string[] = []
  #problems = new Map<number, string>()
  #isHidden = false
  #column = 0
  #type = ''
  #style = 0
  #value = ''
  #inValue = false
  #isFormula = false
  #characters = 0

  constructor(book: Book, found: (row: TableRow) => void) {
    this.#book = book
    this.#found = found
  }

  open(name: string, attributes: string) {
    if (name === 'c') this.#openCell(attributes)
    else if (name === 'v') this.#inValue = true
    else if (name === 'f') this.#isFormula = true
    else if (name === 'row') {
      this.#row = Number(readAttribute(attributes, 'r') ?? this.#row + 1)
      this.#isHidden = /^(1|true)$/.test(readAttribute(attributes, 'hidden') ?? '')
      this.#cells = []
      this.#problems = new Map()
      this.#column = 0
      const { maxRows } = this.#book.limits
      // Refuses row numbers above the limit, even when only one stray cell has such a number.
      if (!(this.#row <= maxRows + 1)) throw new UnreadableTableError(`表格不能超过${maxRows}行`)
    } else if (name === 'mergeCell') {
      const area = readAttribute(attributes, 'ref') ?? ''
      throw new UnreadableTableError(`表格中有合并单元格（${area}），请取消合并，并在每个单元格中填写内容`)
    } else this.#inline.open(name)
  }

  close(name: string) {
    if (name === 'v') this.#inValue = false
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') this.#endRow()
    else this.#inline.close(name)
  }

  text(value: string) {
    if (this.#inValue) this.#value += value
    else this.#inline.text(value)
  }

  #openCell(attributes: string) {
    const letters = /^[A-Z]{1,3}/.exec(readAttribute(attributes, 'r') ?? '')?.[0]
    this.#column = letters ? columnNumber(letters) : this.#column + 1
    this.#type = readAttribute(attributes, 't') ?? 'n'
    this.#style = Number(readAttribute(attributes, 's') ?? 0)
    this.#value = ''
    this.#isFormula = false
  }

  #endRow() {
    const [row, cells, problems] = [this.#row, this.#cells, this.#problems]
    this.#found({ row, cells, ...(problems.size > 0 && { problems }), ...(this.#isHidden && { isHidden: true }) })
  }

  #closeCell() {
    const { text, problem } = this.#shown()
    if (text === '' && !problem) return
    const { maxColumns } = this.#book.limits
    if (this.#column > maxColumns) throw new UnreadableTableError(`表格不能超过${maxColumns}列`)
    this.#countCharacters(text)
    while (this.#cells.length < this.#column) this.#cells.push('')
    this.#cells[this.#column - 1] = text
    if (problem) this.#problems.set(this.#column - 1, problem)
  }

  /** Refuses texts that many cells share: a small file can refer to one long text from all of its cells. */
  #countCharacters({ length }: string) {
    if (length > MAX_CELL_CHARACTERS)
      throw new UnreadableTableError(`第${this.#row}行有单元格超过${MAX_CELL_CHARACTERS}个字符`)
    this.#characters += length
    if (this.#characters > this.#book.limits.maxUnpackedBytes) throw new UnreadableTableError(TABLE_TOO_LARGE)
  }

  #shown(): Shown {
    const value = this.#value
    // The cell has a formula without a stored value, so its result is unknown.
    if (value === '' && this.#isFormula && this.#type !== 'str') return { text: '', problem: CELL_PROBLEMS.formula }
    if (this.#type === 's') return toShown(this.#book.shared[Number(value)] ?? '')
    if (this.#type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE' }
    if (this.#type === 'd') return { text: this.#shownDate(value), problem: CELL_PROBLEMS.date }
    if (this.#type === 'e') return { text: value, problem: CELL_PROBLEMS.error(value) }
    if (this.#type !== 'n') return toShown(this.#type === 'str' ? plain(value) : value)
    return this.#shownNumber(value)
  }

  /** Returns a date that strict workbooks store as `2026-03-04T00:00:00.000`. */
  #shownDate(value: string) {
    const [day, time = '00:00:00'] = value.split(/[T.Z]/)
    const isDay = time === '00:00:00' && this.#book.formats[this.#style]?.kind !== 'dateTime'
    return isDay ? day! : `${day} ${time}`
  }

  #shownNumber(value: string): Shown {
    const number = Number(value)
    if (value === '' || !Number.isFinite(number)) return { text: value }
    const format = this.#book.formats[this.#style] ?? PLAIN_FORMAT
    const { kind } = format
    if (kind !== 'plain' && kind !== 'changed')
      return { text: formatSpreadsheetDate(number, kind, this.#book.since1904), problem: CELL_PROBLEMS.date }
    const problem = findNumberProblem(number, format)
    // Spreadsheets show 15 digits: 0.1 + 0.2 is shown as 0.3.
    const text = problem || /^-?\d{1,15}$/.test(value) ? value : String(Number(number.toPrecision(15)))
    return problem ? { text, problem } : { text }
  }
}

const columnNumber = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

interface XmlHandler {
  /** Called for an opening element. `attributes` is the raw text after the name; use `attribute` to read a value. */
  open(name: string, attributes: string): void
  close(name: string): void
  text(value: string): void
}

const MAX_TOKEN = 1024 * 1024
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Parses XML incrementally, limited to the features that spreadsheets use. Document types are refused, so only the five
 * predefined entities exist. Names are reported without their prefix.
 */
export class XmlScanner {
  readonly #handler: XmlHandler
  #rest = ''

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  write(chunk: string) {
    const xml = this.#rest + chunk
    let at = 0
    for (;;) {
      const start = xml.indexOf('<', at)
      if (start < 0) break
      const end = tokenEnd(xml, start)
      if (end < 0) break
      if (start > at) this.#handler.text(decodeEntities(xml.slice(at, start)))
      this.#token(xml, start, end)
      at = end
    }
    this.#rest = xml.slice(at)
    if (this.#rest.length > MAX_TOKEN) throw new UnreadableTableError('表格内容无法识别')
  }

  end() {
    if (this.#rest.trim() !== '') throw new UnreadableTableError('表格内容不完整')
  }

  #token(xml: string, start: number, end: number) {
    const second = xml.charCodeAt(start + 1)
    if (second === 0x2f /* / */) return this.#handler.close(localName(xml.slice(start + 2, end - 1).trim()))
    if (second === 0x3f /* ? */ || xml.startsWith('<!--', start)) return
    if (xml.startsWith('<![CDATA[', start)) return this.#handler.text(xml.slice(start + 9, end - 3))
    if (second === 0x21 /* ! */) throw new UnreadableTableError('表格内容无法识别')
    const empty = xml.charCodeAt(end - 2) === 0x2f
    const inner = xml.slice(start + 1, empty ? end - 2 : end - 1)
    const space = inner.search(/\s/)
    const name = localName(space < 0 ? inner : inner.slice(0, space))
    this.#handler.open(name, space < 0 ? '' : inner.slice(space))
    if (empty) this.#handler.close(name)
  }
}

/** Returns the index after the token that begins at `start`, or -1 while the token is incomplete. */
function tokenEnd(xml: string, start: number) {
  const closing = xml.startsWith('<!--', start) ? '-->' : xml.startsWith('<![CDATA[', start) ? ']]>' : undefined
  if (closing) {
    const end = xml.indexOf(closing, start + 4)
    return end < 0 ? -1 : end + closing.length
  }
  // `<!-` may be the beginning of a comment.
  if (xml.charCodeAt(start + 1) === 0x21 && xml.length < start + 9) return -1
  return tagEnd(xml, start)
}

/** Returns the index after the `>` that closes a tag. Quoted values may contain `>`. */
function tagEnd(xml: string, start: number) {
  let quote = 0
  for (let at = start; at < xml.length; at++) {
    const code = xml.charCodeAt(at)
    if (quote !== 0) quote = code === quote ? 0 : quote
    else if (code === 0x22 /* " */ || code === 0x27 /* ' */) quote = code
    else if (code === 0x3e /* > */) return at + 1
  }
  return -1
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Returns an attribute by its name without prefix. */
function readAttribute(attributes: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = attributes.indexOf('=', at)
    if (equals < 0) return undefined
    const quote = attributes.slice(equals + 1, equals + 9).trimStart()[0]
    const start = quote === '"' || quote === "'" ? attributes.indexOf(quote, equals) : -1
    const end = start < 0 ? -1 : attributes.indexOf(quote as string, start + 1)
    if (end < 0) throw new UnreadableTableError('表格内容无法识别')
    if (localName(attributes.slice(at, equals).trim()) === name) return decodeEntities(attributes.slice(start + 1, end))
    at = end + 1
  }
}

function decodeEntities(text: string) {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,31}));/g, (_, decimal, hex, name) => {
    if (name) {
      const found = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
      if (found === undefined) throw new UnreadableTableError('表格内容无法识别')
      return found
    }
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    if (point > 0x10ffff) throw new UnreadableTableError('表格内容无法识别')
    return String.fromCodePoint(point)
  })
}
