import type { Readable } from 'node:stream'
import { formatSpreadsheetDate } from '#core/spreadsheet/cell.ts'
import { CELL_PROBLEMS, findNumberProblem, findTextProblem } from '#core/spreadsheet/cell-problems.ts'
import { findBuiltInFormat, type NumberFormat, PLAIN_FORMAT, parseNumberFormat } from './number-format.ts'
import {
  MAX_CELL_CHARACTERS,
  TABLE_TOO_LARGE,
  type TableLimits,
  type TableRow,
  type TableSource,
  UnreadableTableError,
} from '#core/spreadsheet/table-limits.ts'
import { readAttribute, type XmlHandler, XmlScanner } from './xml-scanner.ts'
import { openZip } from './zip-reader.ts'

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
