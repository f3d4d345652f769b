import type { Endpoint, FileRule, ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ImportReport } from '@oms/contract/core/transfer.ts'
import type * as z from 'zod'
import type { ApiError } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Row } from '#core/spreadsheet/cell.ts'
import type { ColumnSpec } from '#core/spreadsheet/columns.ts'
import type { TableLimits } from '#core/spreadsheet/table-limits.ts'
import type { CellConverter } from './parse-line.ts'

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

export interface LineImporter<S extends z.ZodObject, State> {
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
