import { type Column, type Row, type Rows, serialOf, textOf } from './cell.ts'
import { writeZip, type ZipEntry } from './zip-writer.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const MAX_SHEET_ROWS = 1_048_576
const MAX_CELL_CHARACTERS = 32_767
const CHUNK_BYTES = 128 * 1024
const BOLD = 1
const DATE = 2

/** A workbook as it is made, in constant memory; rows beyond a sheet's limit go on in the next sheet. */
export const writeXlsx = (columns: readonly Column[], rows: Rows, options: { readonly sheet?: string } = {}) =>
  writeZip(parts(columns, rows, sheetName(options.sheet ?? 'Sheet1')))

async function* parts(columns: readonly Column[], rows: Rows, sheet: string): AsyncGenerator<ZipEntry> {
  yield part('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']]))
  yield part('xl/styles.xml', STYLES)
  const source = oneByOne(rows)
  const sheets: string[] = []
  try {
    do {
      sheets.push(sheets.length === 0 ? sheet : `${sheet.slice(0, 26)}(${sheets.length + 1})`)
      yield { name: `xl/worksheets/sheet${sheets.length}.xml`, source: sheetXml(columns, source, sheets.length === 1) }
    } while (!(await source.ended()))
  } finally {
    await source.close()
  }
  // How many sheets there are is only known now, so what lists them comes last.
  yield part('xl/workbook.xml', workbook(sheets))
  const targets = sheets.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`] as const)
  yield part('xl/_rels/workbook.xml.rels', relations([...targets, ['styles', 'styles.xml']]))
  yield part('[Content_Types].xml', contentTypes(sheets.length))
}

const part = (name: string, xml: string): ZipEntry => ({ name, source: [Buffer.from(HEAD + xml)] })

interface Source {
  next(): Promise<Row | undefined>
  ended(): Promise<boolean>
  close(): Promise<void>
}

/** Lets several sheets draw from one sequence, and look whether there is more. */
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

async function* sheetXml(columns: readonly Column[], source: Source, first: boolean) {
  const letters = columns.map((_, at) => columnLetters(at))
  const titles = columns.map(({ title }, at) => textCell(`${letters[at]}1`, title, BOLD)).join('')
  yield Buffer.from(`${HEAD}${sheetStart(columns, first)}<row r="1">${titles}</row>`)
  const chunk = new Chunk()
  for (let number = 2; number <= MAX_SHEET_ROWS; number++) {
    const row = await source.next()
    if (!row) break
    // Made anew: `String` keeps what it made, so that a million of them would outlive their rows.
    const line = number.toFixed(0)
    let text = `<row r="${line}">`
    for (let at = 0; at < columns.length; at++) text += cell(columns[at] as Column, row, letters[at] + line)
    text += '</row>'
    if (!chunk.fits(text)) yield chunk.take()
    chunk.add(text)
  }
  yield chunk.take()
  yield Buffer.from('</sheetData></worksheet>')
}

/**
 * Rows become bytes one by one, in the same few bytes again and again: joined as text first, or in a new buffer each
 * time, a long export would cost the server memory that is freed late.
 */
class Chunk {
  #bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  #used = 0

  /** A character has at most three bytes. */
  fits = (text: string) => this.#used === 0 || this.#used + text.length * 3 <= this.#bytes.length

  add(text: string) {
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(text.length * 3)
    this.#used += this.#bytes.write(text, this.#used)
  }

  /** The bytes so far, good until the next `add`. */
  take() {
    const taken = this.#bytes.subarray(0, this.#used)
    this.#used = 0
    return taken
  }
}

function cell({ key, type }: Column, row: Row, at: string) {
  const value = row[key]
  if (value === null || value === undefined || value === '') return ''
  if (type === 'number') {
    const text = textOf(value)
    // Only what a spreadsheet gives back unchanged: not 007, and no number beyond its 15 digits.
    if (/^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(text) && text.length <= 17) return `<c r="${at}"><v>${text}</v></c>`
  }
  if (type === 'dateTime') {
    const serial = serialOf(textOf(value))
    if (serial !== undefined) return `<c r="${at}" s="${DATE}"><v>${serial}</v></c>`
  }
  return textCell(at, textOf(value), 0)
}

/** Typed as text, so a formula in it stays dead without a quote before it. */
const textCell = (at: string, text: string, style: number) =>
  `<c r="${at}"${style ? ` s="${style}"` : ''} t="inlineStr"><is><t${text.trim() === text ? '' : ' xml:space="preserve"'}>${escaped(text)}</t></is></c>`

// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_x/
// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const LITERAL = /_(?=x[0-9A-Fa-f]{4}[_\u0000-\u0008\u000b-\u001f\ufffe\uffff])/g
// oxlint-disable-next-line no-control-regex -- XML cannot hold them
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g

/** XML text; characters XML cannot hold become `_xHHHH_`, as spreadsheets write them. */
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

function sheetStart(columns: readonly Column[], first: boolean) {
  const widths = columns.map(
    ({ width = 18 }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const view = `<sheetView${first ? ' tabSelected="1"' : ''} workbookViewId="0">${pane}</sheetView>`
  const cols = widths.length > 0 ? `<cols>${widths.join('')}</cols>` : ''
  return `<worksheet xmlns="${MAIN}"><sheetViews>${view}</sheetViews>${cols}<sheetData>`
}

const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`

function relations(targets: readonly (readonly [type: string, target: string])[]) {
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

/** Spreadsheets refuse some characters and more than 31 of any. */
const sheetName = (name: string) =>
  name
    .toWellFormed()
    .replace(/[[\]:*?/\\'\p{Cc}]/gu, ' ')
    .slice(0, 31)
    .trim() || 'Sheet1'
