import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ImportProblem,
  type ImportReason,
  joinProblems,
  MAX_REPORTED_REASONS,
} from '@oms/contract/core/transfer.ts'
import { readFileExtension } from '@oms/contract/core/upload.ts'
import type { StoredFile } from '#core/storage/store.ts'
import type { Services } from '#core/services.ts'
import type { Column, Row } from '#core/spreadsheet/columns.ts'
import { writeCsv } from '#core/spreadsheet/formats/csv.ts'
import { writeXlsx } from '#core/spreadsheet/formats/xlsx-writer.ts'

export interface FailedLine extends ImportProblem {
  /** Titles of the table's columns. */
  readonly header: readonly string[]
  /** Cells of the line for correction: secrets encrypted, unreliable cells marked. */
  readonly cells: readonly string[]
}

/** Columns before the columns of the table. An import ignores them. */
export const REASON_COLUMNS = [
  { key: 'row', title: '行号' },
  { key: 'field', title: '问题列' },
  { key: 'msg', title: '原因' },
] as const satisfies readonly Column[]

export const isReasonColumn = (title: string) => REASON_COLUMNS.some((column) => column.title === title)

/** Returns the format of the imported table: an imported workbook gets a workbook. */
export const selectFailureFileFormat = (tableName: string): ExportFormat =>
  EXPORT_FORMATS.find((format) => format === readFileExtension(tableName)) ?? 'xlsx'

/** Collects every refused line of an import with all its columns. The file can be corrected and imported again. */
export class FailureFile {
  readonly #files: Pick<Services['files'], 'put'>
  readonly #format: ExportFormat
  readonly #lines = new PassThrough({ objectMode: true })
  #stored: Promise<StoredFile> | undefined

  constructor({ files }: Pick<Services, 'files'>, format: ExportFormat) {
    this.#files = files
    this.#format = format
    // The code that stores the file handles this error.
    this.#lines.on('error', () => {})
  }

  async add({ row, field = '', msg, header, cells }: FailedLine) {
    this.#stored ??= this.#open(header)
    const line: Row = { row, field, msg, ...Object.fromEntries(cells.map((cell, at) => [`c${at}`, cell])) }
    // Waits for space or for the end of storing, so that a storage failure does not block the import.
    if (!this.#lines.write(line)) await Promise.race([once(this.#lines, 'drain'), this.#stored])
  }

  /** Returns the stored file; undefined when no line was refused. */
  async end(): Promise<StoredFile | undefined> {
    this.#lines.end()
    return this.#stored
  }

  abandon() {
    this.#lines.destroy(new Error('import abandoned'))
  }

  #open(header: readonly string[]) {
    const own = header.map((title, at) => ({ key: `c${at}`, title })).filter(({ title }) => !isReasonColumn(title))
    const columns = [...REASON_COLUMNS, ...own]
    const rows = this.#lines as AsyncIterable<Row>
    const body = this.#format === 'csv' ? writeCsv(columns, rows) : writeXlsx(columns, rows, { isForm: true })
    const stored = this.#files.put(body)
    stored.catch(() => {})
    return stored
  }
}

type Problem = Parameters<typeof joinProblems>[0][number]

/** Maximum number of different reasons that are counted separately. Reasons may contain values of the line. */
const MAX_COUNTED = 1000
const OTHER = '其他原因'

/** Counts refused lines by their first problem. Problems that differ only in the number of another line count as one. */
export class ReasonCounts {
  readonly #lines = new Map<string, number>()

  add([first]: readonly Problem[]) {
    if (!first) return
    const reason = joinProblems([first]).replaceAll(/第\d+行/g, '其他行')
    const isCounted = this.#lines.has(reason) || this.#lines.size < MAX_COUNTED
    const key = isCounted ? reason : OTHER
    this.#lines.set(key, (this.#lines.get(key) ?? 0) + 1)
  }

  /** Returns the reasons with their numbers of lines, most frequent first. The sum is the number of refused lines. */
  list(): ImportReason[] {
    const all = [...this.#lines].map(([msg, lines]) => ({ msg, lines })).toSorted((a, b) => b.lines - a.lines)
    if (all.length <= MAX_REPORTED_REASONS) return all
    const shown = all.filter(({ msg }) => msg !== OTHER).slice(0, MAX_REPORTED_REASONS - 1)
    const total = all.reduce((sum, { lines }) => sum + lines, 0)
    const counted = shown.reduce((sum, { lines }) => sum + lines, 0)
    return [...shown, { msg: OTHER, lines: total - counted }]
  }
}
