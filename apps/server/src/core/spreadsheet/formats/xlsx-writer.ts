import { type Column, type Row, type Rows, toSpreadsheetSerial, formatCell } from '#core/spreadsheet/columns.ts'
import { writeZip, type ZipEntry } from './zip.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const MAX_SHEET_ROWS = 1_048_576
const MAX_CELL_CHARACTERS = 32_767
const CHUNK_BYTES = 128 * 1024
const BOLD = 1
const DATE_TIME = 2
const DAY = 3
const TEXT = 4
const MONEY = 5

export interface XlsxOptions {
  readonly sheet?: string
  /**
   * Formats text columns and cells as text, for a file that users fill in and import. Spreadsheets would otherwise
   * convert serial numbers to numbers and lose leading zeros and last digits.
   */
  readonly isForm?: boolean
}

/** Streams a workbook in constant memory. Rows above a sheet's limit continue in the next sheet. */
export const writeXlsx = (columns: readonly Column[], rows: Rows, options: XlsxOptions = {}) =>
  writeZip(parts(columns, rows, options))

async function* parts(
  columns: readonly Column[],
  rows: Rows,
  { sheet: title = 'Sheet1', isForm = false }: XlsxOptions,
): AsyncGenerator<ZipEntry> {
  const sheet = sheetName(title)
  yield part('_rels/.rels', relationshipsXml([['officeDocument', 'xl/workbook.xml']]))
  yield part('xl/styles.xml', STYLES)
  const source = oneByOne(rows)
  const sheets: string[] = []
  try {
    do {
      sheets.push(sheets.length === 0 ? sheet : `${sheet.slice(0, 26)}(${sheets.length + 1})`)
      const isFirst = sheets.length === 1
      yield { name: `xl/worksheets/sheet${sheets.length}.xml`, source: sheetXml(columns, source, { isFirst, isForm }) }
    } while (!(await source.ended()))
  } finally {
    await source.close()
  }
  // The number of sheets is only known now, so the list of sheets is written last.
  yield part('xl/workbook.xml', workbook(sheets))
  const targets = sheets.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`] as const)
  yield part('xl/_rels/workbook.xml.rels', relationshipsXml([...targets, ['styles', 'styles.xml']]))
  yield part('[Content_Types].xml', contentTypes(sheets.length))
}

const part = (name: string, xml: string): ZipEntry => ({ name, source: [Buffer.from(HEAD + xml)] })

interface Source {
  next(): Promise<Row | undefined>
  ended(): Promise<boolean>
  close(): Promise<void>
}

/** Wraps one row sequence for several sheets, with a check whether more rows follow. */
function oneByOne(rows: Rows): Source {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  let waiting: Row | undefined
  const draw = async () => {
    const { done, value } = await iterator.next()
    return done ? undefined : value
  }
  return {
    async next() {
      if (!waiting) return draw()
      const row = waiting
      waiting = undefined
      return row
    },
    async ended() {
      waiting ??= await draw()
      return waiting === undefined
    },
    async close() {
      await iterator.return?.()
    },
  }
}

interface SheetOptions {
  readonly isFirst: boolean
  readonly isForm: boolean
}

async function* sheetXml(columns: readonly Column[], source: Source, options: SheetOptions) {
  const textStyle = options.isForm ? TEXT : 0
  const letters = columns.map((_, at) => columnLetters(at))
  const titles = columns.map(({ title }, at) => textCell(`${letters[at]}1`, title, BOLD)).join('')
  yield Buffer.from(`${HEAD}${sheetStart(columns, options)}<row r="1">${titles}</row>`)
  const chunk = new Chunk()
  for (let number = 2; number <= MAX_SHEET_ROWS; number++) {
    const row = await source.next()
    if (!row) break
    // `toFixed` creates a new text. `String` caches texts, so a million of them would stay in memory.
    const line = number.toFixed(0)
    let text = `<row r="${line}">`
    for (let at = 0; at < columns.length; at++) {
      const { key, type } = columns[at] as Column
      text += cell({ value: row[key], type, at: letters[at] + line, textStyle })
    }
    text += '</row>'
    if (!chunk.fits(text)) yield chunk.take()
    chunk.add(text)
  }
  yield chunk.take()
  yield Buffer.from('</sheetData></worksheet>')
}

/** Encodes rows into one reused buffer. Joined texts or a new buffer per row would use memory that is freed late. */
class Chunk {
  #bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #used = 0

  /** Returns true when the text fits; a character has at most three bytes. */
  fits = (text: string) => this.#used === 0 || this.#used + text.length * 3 <= this.#bytes.length

  add(text: string) {
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(text.length * 3)
    this.#used += this.#bytes.write(text, this.#used)
  }

  /** Returns the collected bytes, valid until the next `add`. */
  take() {
    const taken = this.#bytes.subarray(0, this.#used)
    this.#used = 0
    return taken
  }
}

interface Cell {
  readonly value: unknown
  readonly type: Column['type']
  readonly at: string
  readonly textStyle: number
}

function cell({ value, type, at, textStyle }: Cell) {
  if (value === null || value === undefined || value === '') return ''
  if (type === 'number' || type === 'money') {
    const text = formatCell(value)
    // Only numbers that a spreadsheet returns unchanged: no leading zeros and at most 15 digits.
    if (/^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(text) && text.length <= 17)
      return `<c r="${at}"${type === 'money' ? ` s="${MONEY}"` : ''}><v>${text}</v></c>`
  }
  if (type === 'dateTime') {
    const text = formatCell(value)
    const serial = toSpreadsheetSerial(text)
    // A day without a time uses the format of days.
    const style = text.length > 10 ? DATE_TIME : DAY
    if (serial !== undefined) return `<c r="${at}" s="${style}"><v>${serial}</v></c>`
  }
  return textCell(at, formatCell(value), textStyle)
}

/** Returns a text cell. Spreadsheets do not run formulas in text cells, so no quote is needed. */
const textCell = (at: string, text: string, style: number) =>
  `<c r="${at}"${style ? ` s="${style}"` : ''} t="inlineStr"><is><t${text.trim() === text ? '' : ' xml:space="preserve"'}>${escaped(text)}</t></is></c>`

// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_x/
// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const LITERAL = /_(?=x[0-9A-Fa-f]{4}[_\u0000-\u0008\u000b-\u001f\ufffe\uffff])/g
// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g

/** Escapes XML text. Characters that XML cannot contain become `_xHHHH_`, as spreadsheets write them. */
function escaped(value: string) {
  const cut = value.length > MAX_CELL_CHARACTERS ? value.slice(0, MAX_CELL_CHARACTERS) : value
  const text = cut.isWellFormed() ? cut : cut.toWellFormed()
  if (!SPECIAL.test(text)) return text
  return text
    .replace(LITERAL, '_x005F_')
    .replace(FORBIDDEN, (c) => `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function columnLetters(at: number): string {
  const last = String.fromCharCode(65 + (at % 26))
  return at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last
}

function sheetStart(columns: readonly Column[], { isFirst, isForm }: SheetOptions) {
  const widths = columns.map(({ width = 18, type = 'text' }, at) => {
    const style = isForm && type === 'text' ? ` style="${TEXT}"` : ''
    return `<col min="${at + 1}" max="${at + 1}" width="${width}"${style} customWidth="1"/>`
  })
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const view = `<sheetView${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0">${pane}</sheetView>`
  const cols = widths.length > 0 ? `<cols>${widths.join('')}</cols>` : ''
  return `<worksheet xmlns="${MAIN}"><sheetViews>${view}</sheetViews>${cols}<sheetData>`
}

const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`

function relationshipsXml(targets: readonly (readonly [type: string, target: string])[]) {
  const list = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`
}

function workbook(sheets: readonly string[]) {
  const list = sheets.map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
  return `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`
}

function contentTypes(sheets: number) {
  const override = (name: string, type: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="${TYPE}.${type}+xml"/>`
  const list = Array.from({ length: sheets }, (_, at) => override(`worksheets/sheet${at + 1}`, 'worksheet'))
  const defaults = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`
  return `<Types xmlns="${PACKAGE}/content-types">${defaults}${override('workbook', 'sheet.main')}${override('styles', 'styles')}${list.join('')}</Types>`
}

/** Returns a valid sheet name: spreadsheets refuse some characters and more than 31 characters. */
const sheetName = (name: string) =>
  name
    .toWellFormed()
    .replace(/[[\]:*?/\\'\p{Cc}]/gu, ' ')
    .slice(0, 31)
    .trim() || 'Sheet1'
