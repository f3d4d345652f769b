import { createHash } from 'node:crypto'
import type { Endpoint, ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type ImportProblem, type ImportReport, MAX_REPORTED_ROWS } from '@oms/contract/core/transfer.ts'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { ApiError } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Row } from '#core/spreadsheet/cell.ts'
import type { ColumnSpec } from '#core/spreadsheet/columns.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import type { TableLimits, TableRow } from '#core/spreadsheet/table-limits.ts'
import type { OpenTable } from '#core/spreadsheet/table-reader.ts'
import { openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { inTransaction } from '#core/tenancy/tenancy.ts'
import type { FailedLine } from './failure-file.ts'
import { buildFailureCells, type ColumnFields } from './line-cells.ts'
import { type CellConverter, describeProblems, summarizeProblems, parseLine } from './parse-line.ts'

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
/** Number of lines passed to one call of `takeMany`. */
const LINES_AT_ONCE = 2000

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
   * a job, unless `isAnswerOptional`: the report of a job has no such fields.
   */
  answer?(state: State, dryRun: boolean): object
  /**
   * Returns the record that a committed import creates. The log row of the import then belongs to the history of the
   * record.
   */
  recordOf?(state: State): { readonly bizType: string; readonly bizId: number } | undefined
  readonly isAnswerOptional?: true
  /**
   * Stores the report of a committed run with a record that shows the report later. Use `keepReportFile` to keep its
   * file, which is otherwise deleted after `EXPORT_DAYS`.
   */
  storeReport?(ctx: Pick<Ctx, 'services' | 'user'>, state: State, report: ImportReport): Promise<void>
}

/** Table that the server kept after its dry run. */
interface CheckedTable {
  readonly name: string
  readonly bytes: Buffer
}
export type ImportEndpoint = Endpoint & { readonly input: z.ZodType<{ dryRun: 0 | 1 | '0' | '1' }> }

export interface Definition<E extends ImportEndpoint, S extends z.ZodObject, State> extends LineImporter<S, State> {
  /** Identifies the definition in a job's row. Unique and stable across releases. */
  readonly kind: string
  /** The permission of this endpoint is checked again when the import runs as a job. */
  readonly endpoint: E
  readonly name: string
  readonly columns: readonly ColumnSpec[]
  /** Example line of the template. The import refuses the line. */
  readonly example: Row
  readonly maxRows: number
  /** See `KnownColumns`. */
  readonly ignoredTitles?: readonly string[]
  /** Tables that receive most rows of a long import. */
  readonly tables?: readonly string[]
  /**
   * Stores a table that was checked by a job for the approval of a second person, and returns the id of the stored
   * record. Returns undefined when the table can be imported without approval.
   */
  requestApproval?(ctx: Ctx, input: ParsedOf<E>, table: CheckedTable): Promise<number | undefined>
  /** Fields that are encrypted in the file of failed lines. */
  readonly secret?: readonly string[]
  /** Prepares data shared by all lines, for example ids by name and locks. */
  prepare(ctx: ImportCtx, input: ParsedOf<E>): Promise<State>
}
export type ImportDefinition = Definition<ImportEndpoint, z.ZodObject, unknown>

export const buildImportLimits = ({ maxRows }: ImportDefinition): Partial<TableLimits> => ({
  // One more row, so that the error can name the limit of this import.
  maxRows: maxRows + 1,
  ...(maxRows > 100_000 && { maxUnpackedBytes: 500 * 1024 * 1024 }),
})

interface Work {
  readonly definition: ImportDefinition
  readonly input: { readonly dryRun: 0 | 1 | '0' | '1' }
  readonly table: { readonly bytes: Uint8Array; readonly name: string }
  readonly signal?: AbortSignal
  onLine?(done: number): Promise<void>
  /** Called for every refused line, also for lines beyond the report's limit. */
  onFailed?(line: FailedLine): Promise<void>
  /** Runs in the transaction of an import that changes rows, before the commit. */
  beforeCommit?(db: Db, report: ImportReport, state: unknown): Promise<void>
  onEnd?(state: unknown): void
  /** Maximum number of problems in the report. Further problems are only counted. */
  readonly reported?: number
}

/** Rolls back a dry run after all lines were written. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed'
}

/** Imports lines in one transaction. A failed or cancelled import therefore changes nothing. */
export async function importLines(ctx: Omit<ImportCtx, 'db' | 'file'>, work: Work): Promise<ImportReport> {
  const dryRun = Number(work.input.dryRun) === 1
  const report = { total: 0, created: 0, updated: 0, failed: 0, rows: [] as ImportProblem[], dryRun }
  const { name, bytes } = work.table
  const file = { name, sha256: createHash('sha256').update(bytes).digest('hex') }
  const limits = buildImportLimits(work.definition)
  // Opened before the transaction, because a connection of the pool must not wait for a thread.
  const opened = await openTableInThread(bytes, name, limits, { signal: work.signal })
  let state: unknown
  try {
    await inTransaction(ctx.services.database, ctx.user, async (db) => {
      state = await importAllLines({ ...ctx, db, file }, work, { opened, report })
      if (dryRun) throw new Rehearsed()
      await work.beforeCommit?.(db, report, state)
    })
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error
  } finally {
    opened.close()
  }
  work.onEnd?.(state)
  return report
}

type Tally = { -readonly [K in keyof ImportReport]: ImportReport[K] }

function importAllLines(
  ctx: ImportCtx,
  work: Work,
  { opened: { header, rows }, report }: { opened: OpenTable; report: Tally },
) {
  const { definition } = work
  const { secret = [] } = definition
  const { secretKey } = ctx.services.config
  const columns = { header, fields: matchHeaderFields(definition, header), secret, secretKey }
  return takeRows(ctx, work, { rows, report, columns })
}

interface Reading {
  readonly rows: AsyncIterable<TableRow>
  readonly columns: ColumnFields
  readonly report: Tally
}

async function takeRows(ctx: ImportCtx, work: Work, { rows, columns, report }: Reading) {
  const { definition, input, signal, onLine } = work
  const state = await definition.prepare(ctx, input as never)
  const batch: Parsed[] = []
  for await (const row of rows) {
    signal?.throwIfAborted()
    report.total += 1
    batch.push(readLine(definition, { row, columns, state }))
    if (batch.length >= (definition.takeMany ? LINES_AT_ONCE : 1))
      await importBatch(ctx, work, { batch: batch.splice(0), state, report })
    await onLine?.(report.total)
  }
  if (batch.length > 0) await importBatch(ctx, work, { batch, state, report })
  await definition.finish?.(ctx, state)
  return state
}

interface Line {
  readonly row: TableRow
  readonly columns: ColumnFields
  readonly state: unknown
}
/** A parsed line with the problems that its schema found. */
interface Parsed extends LineFacts {
  readonly fields: Record<string, unknown>
  readonly problems: readonly ApiError[]
  /** Returns the problems with the titles of their fields. */
  describe(problems: readonly ApiError[]): ReturnType<typeof describeProblems>
  /** Returns the line's entry in the file of failed lines. */
  failed(): Pick<FailedLine, 'header' | 'cells'>
}

function readLine(definition: ImportDefinition, line: Line): Parsed {
  const { row, columns } = line
  return {
    ...parseLine(definition, line),
    row: row.row,
    describe: (all) => describeProblems(definition.schema, columns, all),
    failed: () => ({ header: columns.header, cells: buildFailureCells(row, columns) }),
  }
}

/** Returns all problems of each line, in the order of the lines. The state contains the accepted lines afterwards. */
async function checkBatch(ctx: ImportCtx, definition: ImportDefinition, { batch, state }: Batch) {
  const lines = batch.map(({ fields }) => fields)
  await definition.load?.(ctx, lines, state)
  return runSequentially(batch, async ({ fields, problems, row }) => {
    const all = [...problems, ...((await definition.findProblems?.(ctx, fields, state)) ?? [])]
    if (all.length === 0) definition.accept?.(fields, state, row)
    return all
  })
}

const problemOf = (error: unknown) => {
  if (error instanceof ApiError) return error
  throw error
}

interface Batch {
  readonly batch: readonly Parsed[]
  readonly state: unknown
  readonly report: Tally
}

/** Writes the valid lines of a batch and reports every line in the file's order. */
async function importBatch(ctx: ImportCtx, work: Work, current: Batch) {
  const { definition } = work
  const { batch, state, report } = current
  const found = await checkBatch(ctx, definition, current)
  const lines = batch.flatMap(({ row, filled, fields: input }, at) =>
    found[at]!.length > 0 ? [] : [{ row, filled, input }],
  )
  const outcomes = definition.takeMany
    ? await definition.takeMany(ctx, lines, state)
    : await runSequentially(lines, (line) => importLine(ctx, definition, line, state))
  let taken = 0
  for (const [at, line] of batch.entries()) {
    const problems = found[at]!
    const outcome = problems.length > 0 ? problems : outcomes[taken++]
    if (typeof outcome === 'string') report[outcome] += 1
    else if (outcome) await countFailure(report, work, line, [outcome].flat())
  }
}

/**
 * Runs the work of the items one after the other. Savepoints of one transaction are nested, so concurrent lines would
 * roll back each other.
 */
async function runSequentially<Item, Out>(items: readonly Item[], work: (item: Item) => Promise<Out>): Promise<Out[]> {
  const outcomes: Out[] = []
  for (const item of items) outcomes.push(await work(item))
  return outcomes
}

/** Imports one line in a savepoint, so that a refused line writes nothing. */
const importLine = (ctx: ImportCtx, definition: ImportDefinition, { input, ...line }: ReadLine, state: unknown) =>
  ctx.db.transaction(async (db) => definition.take?.({ ...ctx, db }, input, state, line)).catch(problemOf)

/**
 * Adds a refused line to the file of failed lines. Adds its problems to the report when the report has space for all of
 * them.
 */
async function countFailure(report: Tally, work: Work, line: Parsed, reasons: readonly ApiError[]) {
  const { onFailed, reported = MAX_REPORTED_ROWS } = work
  const { row } = line
  report.failed += 1
  const problems = line.describe(reasons)
  if (report.rows.length + problems.length <= reported)
    report.rows.push(...problems.map((problem) => ({ row, ...problem })))
  const titles = [...new Set(problems.flatMap(({ field = '' }) => field || []))]
  await onFailed?.({ row, field: titles.join('、'), msg: summarizeProblems(problems), ...line.failed() })
}
