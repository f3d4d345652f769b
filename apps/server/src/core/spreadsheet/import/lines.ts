import type { Endpoint, FileRule, ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type ImportReport, joinProblems } from '@oms/contract/core/transfer.ts'
import type * as z from 'zod'
import { type ApiError, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { type Row, type ColumnSpec, formatCell, CELL_PROBLEMS, CORRECTION_MARK } from '#core/spreadsheet/columns.ts'
import type { TableLimits, TableRow } from '#core/spreadsheet/table-thread.ts'
import { about } from '@oms/contract/core/fields.ts'
import { trimInvisible } from '@oms/contract/core/normalize-line.ts'
import { encrypt, decrypt } from '#core/crypto/keys.ts'
import { readFieldTitle } from '#core/spreadsheet/header.ts'

/**
 * Context of an import. `db` is the transaction of the whole import, which may last for minutes. Take locks that other
 * calls need in `finish`.
 */
export type ImportCtx = Pick<Ctx, 'db' | 'user' | 'now' | 'services'> & {
  /** Name of the table and its hash, which identifies a repeated import. */
  readonly file: { readonly name: string; readonly sha256: string }
}

type Taken = 'created' | 'updated'
/** Result of a line: created, updated, or the reasons why the line is refused. */
export type LineOutcome = Taken | ApiError | readonly ApiError[]
export interface LineFacts {
  /** Line number that a spreadsheet shows. */
  readonly row: number
  /** Fields that an update may change. An absent column or an empty cell leaves its field unchanged. */
  readonly filled: ReadonlySet<string>
}
/** Returns the fields of a line that an update may change. */
export const omitEmptyFields = <T extends object>(input: T, filled: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(input).filter(([key]) => filled.has(key))) as Partial<T>

export interface ReadLine<Input = Record<string, unknown>> extends LineFacts {
  readonly input: Input
}

interface LineImporter<S extends z.ZodObject, State> {
  /** Schema of one line. Its titles are the column headers, its messages appear in the report. */
  readonly schema: S
  readonly required: readonly string[]
  readonly cells?: CellConverter<State>
  /**
   * Reads the rows that the lines concern, for `findProblems` and `takeMany`. Receives the valid fields of all lines of
   * the next call of `takeMany`.
   */
  load?(ctx: ImportCtx, lines: readonly Partial<z.output<S>>[], state: State): Promise<void>
  /**
   * Returns problems of single fields that the schema cannot find, for example unknown codes. Receives the valid fields
   * of every line, also of lines with other problems.
   */
  findProblems?(
    ctx: ImportCtx,
    fields: Partial<z.output<S>>,
    state: State,
  ): readonly ApiError[] | Promise<readonly ApiError[]>
  /** Notes a valid line in the state, before `findProblems` of the next line. `takeMany` receives the line later. */
  accept?(input: z.output<S>, state: State, row: number): void
  /** Writes one line. A thrown `ApiError` refuses this line only and rolls back its writes. */
  take?(ctx: ImportCtx, input: z.output<S>, state: State, line: LineFacts): Promise<Taken>
  /**
   * Replaces `take` for long tables: writes many lines at once and returns the result of each line in order. A refused
   * line must not be written.
   */
  takeMany?(ctx: ImportCtx, lines: readonly ReadLine<z.output<S>>[], state: State): Promise<readonly LineOutcome[]>
  /** Runs after the last line: clears caches, publishes events, and takes locks that other calls need. */
  finish?(ctx: ImportCtx, state: State): Promise<void>
  /**
   * Returns additional response fields after the commit or the rolled-back dry run. Only for imports that never run as
   * a job, unless `isAnswerStored`.
   */
  answer?(state: State, dryRun: boolean): object
  /** Stores the additional response fields with the result of a job. The fields must not contain secrets. */
  readonly isAnswerStored?: true
  /**
   * Returns the record that a committed import creates. The log row of the import then belongs to the history of the
   * record.
   */
  recordOf?(state: State): { readonly bizType: string; readonly bizId: number } | undefined
  /**
   * Stores the report of a committed run with a record that shows the report later. Use `keepReportFile` to keep its
   * file, which is otherwise deleted after `EXPORT_DAYS`.
   */
  storeReport?(ctx: Pick<Ctx, 'services' | 'user'>, state: State, report: ImportReport): Promise<void>
}

/** Result of a dry run: the report, and the additional response fields of the definition. */
export interface TableCheck {
  readonly report: ImportReport
  readonly answer: object
}
export type ImportEndpoint = Endpoint & {
  readonly input: z.ZodType<{ dryRun: 0 | 1 | '0' | '1' }>
  readonly file: FileRule & { readonly maxRows: number }
}

export interface Definition<E extends ImportEndpoint, S extends z.ZodObject, State> extends LineImporter<S, State> {
  /** Identifies the definition in a job's row. Unique and stable across releases. */
  readonly kind: string
  /** The permission of this endpoint is checked again when the import runs as a job. */
  readonly endpoint: E
  readonly name: string
  readonly columns: readonly ColumnSpec[]
  /** Example line of the template. The import refuses the line. */
  readonly example: Row
  /** See `KnownColumns`. */
  readonly exportedRow?: z.ZodObject
  /** Tables that receive most rows of a long import. */
  readonly tables?: readonly string[]
  /** Fields that are encrypted in the file of failed lines. */
  readonly secret?: readonly string[]
  /** Prepares data shared by all lines, for example ids by name and locks. */
  prepare(ctx: ImportCtx, input: ParsedOf<E>): Promise<State>
}
export type ImportDefinition = Definition<ImportEndpoint, z.ZodObject, unknown>

export const buildImportLimits = ({
  endpoint: {
    file: { maxRows },
  },
}: ImportDefinition): Partial<TableLimits> => ({
  // One more row, so that the error can name the limit of this import.
  maxRows: maxRows + 1,
  ...(maxRows > 100_000 && { maxUnpackedBytes: 500 * 1024 * 1024 }),
})

/** Cell of a template's example line. A line with this cell is never imported. */
export const EXAMPLE_MARK = '示例行，导入前请删除'
const EXAMPLE_PROBLEM = '这是模板的示例行，请删除'

/**
 * Returns whether a line is the example of the template: the line has the mark, or all its cells are those of the
 * example. A line without any cell of the example is not the example.
 */
function isExampleLine(given: Readonly<Record<string, string>>, example: Row) {
  const cells = Object.entries(given)
  if (cells.some(([, text]) => text === EXAMPLE_MARK)) return true
  return cells.some(([, text]) => text !== '') && cells.every(([key, text]) => text === formatCell(example[key]))
}

/** Cell text that clears a field in an update. An empty cell keeps the field unchanged. */
const CLEAR_CELL_MARK = '#清空'
/** Prefix of an encrypted secret in a file of failed lines. */
const ENCRYPTED = '已加密:'
const UNDECRYPTABLE = '密文不完整或不是由本系统生成，请填写原内容'

export interface ColumnFields {
  readonly schema: z.ZodObject
  readonly header: readonly string[]
  /** Field of each column. */
  readonly fields: readonly (string | undefined)[]
  /** Fields that are only returned encrypted. */
  readonly secret: readonly string[]
  readonly secretKey: Buffer
}

interface GivenCells {
  /** Texts by field for the columns of the table. */
  readonly given: Readonly<Record<string, string>>
  /** Fields that an update changes: cells that are not empty or clear the field. */
  readonly filled: ReadonlySet<string>
  /** Unreliable cells, at most one problem for each field. */
  readonly problems: readonly ApiError[]
}

/** Returns the readable cells of a line by field, and the problems of the other cells. */
export function readLineCells(row: TableRow, columns: ColumnFields): GivenCells {
  const { header, fields, secret, secretKey } = columns
  const given: Record<string, string> = {}
  const filled = new Set<string>()
  const found: ApiError[] = []
  for (const [at, cell] of row.cells.entries()) {
    const field = fields[at]
    const text = secret.includes(field ?? '') ? cell.trim() : trimInvisible(cell)
    const problem = findCellProblem(row, columns, at)
    if (problem && field) found.push(invalid(problem, field))
    else if (!header[at] && (text !== '' || problem)) found.push(invalid(CELL_PROBLEMS.untitled(at + 1)))
    else if (field) {
      if (text !== '') filled.add(field)
      const plain = secret.includes(field) ? decryptCell(secretKey, text) : text
      if (plain === undefined) found.push(invalid(UNDECRYPTABLE, field))
      else given[field] = text === CLEAR_CELL_MARK ? '' : plain
    }
  }
  return { given, filled, problems: found }
}

/** Returns the reason why a cell is refused. A date is refused only in a column without dates. */
function findCellProblem({ problems }: TableRow, { schema, fields }: ColumnFields, at: number) {
  const problem = problems?.get(at)
  const takesDate = problem === CELL_PROBLEMS.date && about(schema, fields[at] ?? '').format?.startsWith('date')
  return takesDate ? undefined : problem
}

/** Returns a line's cells for the file of failed lines. */
export const buildFailureCells = (row: TableRow, columns: ColumnFields) =>
  row.cells.map((cell, at) => {
    const { fields, secret, secretKey } = columns
    if (secret.includes(fields[at] ?? '') && cell !== '' && !cell.startsWith(ENCRYPTED))
      return `${ENCRYPTED}${encrypt(secretKey, cell)}`
    return findCellProblem(row, columns, at) && !cell.startsWith(CORRECTION_MARK) ? `${CORRECTION_MARK} ${cell}` : cell
  })

/** Returns the plain text of a secret cell; undefined when the ciphertext is damaged or from another system. */
function decryptCell(secretKey: Buffer, text: string) {
  if (!text.startsWith(ENCRYPTED)) return text
  try {
    return decrypt(secretKey, text.slice(ENCRYPTED.length))
  } catch {
    return undefined
  }
}

/** Converts cells for the schema: words to codes, names to ids. `refuse` adds a problem to the line. */
type CellConverter<State> = (
  given: Readonly<Record<string, string>>,
  state: State,
  refuse: (problem: ApiError) => void,
) => Record<string, unknown>

interface LineReader {
  readonly schema: z.ZodObject
  readonly cells?: CellConverter<unknown> | undefined
  /** Example line of the template, which is refused. */
  readonly example: Row
}
interface Line {
  readonly row: TableRow
  readonly columns: ColumnFields
  readonly state?: unknown
}

interface ParsedLine {
  /** Texts of the readable cells by field. */
  readonly given: Readonly<Record<string, string>>
  /** Fields that an update may change. */
  readonly filled: ReadonlySet<string>
  /** Parsed fields. For an invalid line, only its valid fields. */
  readonly fields: Record<string, unknown>
  /** One problem for each invalid field, and problems without a field. Empty for a valid line. */
  readonly problems: readonly ApiError[]
}

/** Parses a line of a table. One invalid field does not hide the problems of the other fields. */
export function parseLine({ schema, cells, example }: LineReader, { row, columns, state }: Line): ParsedLine {
  const { given, filled, problems: unreadable } = readLineCells(row, columns)
  // The other problems of the example line would only hide the reason.
  if (isExampleLine(given, example)) return { given, filled, fields: {}, problems: [invalid(EXAMPLE_PROBLEM)] }
  const problems = [...unreadable]
  const converted = cells?.(given, state, (problem) => void problems.push(problem)) ?? given
  const result = schema.safeParse(converted)
  const refused = new Set(problems.map(fieldOf))
  for (const { message, path } of result.error?.issues ?? []) {
    const field = String(path[0] ?? '')
    const text = describeUnknownWord(schema, field, given[field]) ?? message
    if (!refused.has(field)) problems.push(invalid(text, path.map(String).join('.')))
    refused.add(field)
  }
  const parsed = result.success ? result.data : parseFields(schema, converted)
  const fields = Object.fromEntries(Object.entries(parsed).filter(([key]) => !refused.has(key)))
  return { given, filled, fields, problems }
}

/** Returns the problem of a cell whose word is none of the labels of its field; undefined for other fields. */
function describeUnknownWord(schema: z.ZodObject, field: string, word = '') {
  const { title, labels } = about(schema, field)
  return labels && word !== '' ? `${title}只能填写${Object.values(labels).join('、')}` : undefined
}

const fieldOf = (problem: ApiError) => problem.data?.field?.split('.')[0] ?? ''

function parseFields({ shape }: z.ZodObject, values: Readonly<Record<string, unknown>>) {
  const parsed: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(shape)) {
    const result = (schema as z.ZodType).safeParse(values[key])
    if (result.success) parsed[key] = result.data
  }
  return parsed
}

/** Returns the problems with the titles of their fields, in the order of the table's columns. */
export function describeProblems(
  schema: z.ZodObject,
  { fields }: Pick<ColumnFields, 'fields'>,
  problems: readonly ApiError[],
) {
  const place = (problem: ApiError) => fields.indexOf(fieldOf(problem))
  return problems
    .toSorted((a, b) => place(a) - place(b))
    .map((problem) => {
      const field = fieldOf(problem)
      // A field that the table does not have, such as the data scope of a chosen role, has no title.
      return { ...(schema.shape[field] && { field: readFieldTitle(schema, field) }), msg: problem.message }
    })
}

/** Returns the text for all problems of a line. The text names the fields when there are several problems. */
export const summarizeProblems = (problems: ReturnType<typeof describeProblems>) =>
  problems.length === 1 ? problems[0]!.msg : joinProblems(problems)
