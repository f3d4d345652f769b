import type { Readable } from 'node:stream'
import { dateOf } from './cell.ts'
import type { TableSource } from './csv-reader.ts'
import { type TableLimits, type TableRow, TableUnreadable } from './table-limits.ts'
import { attribute, type XmlHandler, XmlScanner } from './xml-scanner.ts'
import { openZip } from './zip-reader.ts'

/** Rows of a workbook's first sheet, as texts: what a cell shows, not how it is computed. */
export async function* xlsxRows(source: TableSource, limits: TableLimits): AsyncGenerator<TableRow> {
  const zip = await openZip(source, limits)
  try {
    const book = await firstSheet(zip.open)
    const dates = await dateStyles(zip.open)
    const shared = await sharedTexts(zip.open)
    const rows: TableRow[] = []
    const reader = new SheetReader({ shared, dates, limits, since1904: book.since1904 }, (row) => rows.push(row))
    for await (const _ of scan(await needed(zip.open, book.path), reader)) yield* rows.splice(0)
  } finally {
    zip.close()
  }
}

type Open = (name: string) => Promise<Readable | undefined>

async function needed(open: Open, name: string) {
  const stream = await open(name)
  if (!stream) throw new TableUnreadable('表格内容不完整')
  return stream
}

/** Feeds a member to a handler, and yields after each chunk so that what it found can be passed on. */
async function* scan(stream: Readable, handler: XmlHandler) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const scanner = new XmlScanner(handler)
  try {
    for await (const chunk of stream) {
      scanner.write(decoder.decode(chunk as Buffer, { stream: true }))
      yield
    }
  } catch (error) {
    throw error instanceof TableUnreadable ? error : new TableUnreadable('表格内容无法识别', { cause: error })
  }
  scanner.end()
}

/** Reads a whole small member, calling back for each element that opens. */
async function elements(stream: Readable, open: XmlHandler['open']) {
  for await (const _ of scan(stream, { open, close() {}, text() {} }));
}

async function firstSheet(open: Open) {
  let id: string | undefined
  let since1904 = false
  await elements(await needed(open, 'xl/workbook.xml'), (name, attributes) => {
    if (name === 'sheet') id ??= attribute(attributes, 'id')
    if (name === 'workbookPr') since1904 = /^(1|true)$/.test(attribute(attributes, 'date1904') ?? '')
  })
  let path: string | undefined
  await elements(await needed(open, 'xl/_rels/workbook.xml.rels'), (name, attributes) => {
    if (name === 'Relationship' && attribute(attributes, 'Id') === id) path = attribute(attributes, 'Target')
  })
  if (!id || !path) throw new TableUnreadable('表格中没有工作表')
  return { path: path.startsWith('/') ? path.slice(1) : `xl/${path}`, since1904 }
}

/** For each cell style: does it show its number as a date? */
async function dateStyles(open: Open) {
  const stream = await open('xl/styles.xml')
  const custom = new Map<number, boolean>()
  const styles: boolean[] = []
  let inCells = false
  if (!stream) return styles
  const handler: XmlHandler = {
    open(name, attributes) {
      if (name === 'cellXfs') inCells = true
      const format = Number(attribute(attributes, 'numFmtId') ?? 0)
      if (name === 'numFmt') custom.set(format, showsDate(attribute(attributes, 'formatCode') ?? ''))
      if (name === 'xf' && inCells) styles.push(custom.get(format) ?? isBuiltInDate(format))
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
    text() {},
  }
  for await (const _ of scan(stream, handler));
  return styles
}

const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
const showsDate = (code: string) => /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|General/gi, ''))

async function sharedTexts(open: Open) {
  const stream = await open('xl/sharedStrings.xml')
  const texts: string[] = []
  if (stream) for await (const _ of scan(stream, new TextReader('si', (text) => texts.push(text))));
  return texts
}

/** Joins the runs of a rich text; phonetic hints beside it are no part of it. */
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

/** Characters XML cannot hold are written as `_xHHHH_`. */
const plain = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

interface Book {
  readonly shared: readonly string[]
  readonly dates: readonly boolean[]
  readonly since1904: boolean
  readonly limits: TableLimits
}

class SheetReader implements XmlHandler {
  readonly #book: Book
  readonly #found: (row: TableRow) => void
  readonly #inline = new TextReader('is', (text) => {
    this.#value = text
  })
  #row = 0
  #cells: string[] = []
  #column = 0
  #type = ''
  #style = 0
  #value = ''
  #inValue = false

  constructor(book: Book, found: (row: TableRow) => void) {
    this.#book = book
    this.#found = found
  }

  open(name: string, attributes: string) {
    if (name === 'c') this.#openCell(attributes)
    else if (name === 'v') this.#inValue = true
    else if (name === 'row') {
      this.#row = Number(attribute(attributes, 'r') ?? this.#row + 1)
      this.#cells = []
      this.#column = 0
      const { maxRows } = this.#book.limits
      // A row number beyond the limit may belong to one stray cell, but no import wants it.
      if (!(this.#row <= maxRows + 1)) throw new TableUnreadable(`表格不能超过${maxRows}行`)
    } else this.#inline.open(name)
  }

  close(name: string) {
    if (name === 'v') this.#inValue = false
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') this.#found({ row: this.#row, cells: this.#cells })
    else this.#inline.close(name)
  }

  text(value: string) {
    if (this.#inValue) this.#value += value
    else this.#inline.text(value)
  }

  #openCell(attributes: string) {
    const letters = /^[A-Z]{1,3}/.exec(attribute(attributes, 'r') ?? '')?.[0]
    this.#column = letters ? columnNumber(letters) : this.#column + 1
    this.#type = attribute(attributes, 't') ?? 'n'
    this.#style = Number(attribute(attributes, 's') ?? 0)
    this.#value = ''
  }

  #closeCell() {
    const text = this.#shown()
    if (text === '') return
    const { maxColumns } = this.#book.limits
    if (this.#column > maxColumns) throw new TableUnreadable(`表格不能超过${maxColumns}列`)
    while (this.#cells.length < this.#column) this.#cells.push('')
    this.#cells[this.#column - 1] = text
  }

  #shown() {
    const { shared, dates, since1904 } = this.#book
    const value = this.#value
    if (this.#type === 's') return shared[Number(value)] ?? ''
    if (this.#type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    if (this.#type !== 'n') return this.#type === 'str' ? plain(value) : value
    const number = Number(value)
    if (value === '' || !Number.isFinite(number)) return value
    if (dates[this.#style]) return dateOf(number, since1904)
    // Fifteen digits are what a spreadsheet shows: 0.1 + 0.2 is 0.3 to its user.
    return /^-?\d{1,15}$/.test(value) ? value : String(Number(number.toPrecision(15)))
  }
}

const columnNumber = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
