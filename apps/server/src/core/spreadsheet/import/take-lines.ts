import { createHash } from 'node:crypto'
import { type ImportReport, MAX_REPORTED_ROWS } from '@oms/contract/core/transfer.ts'
import type { Db } from '#core/database/client.ts'
import { ApiError } from '#core/http/api-error.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import { type TableRow, openTableInThread } from '#core/spreadsheet/table-thread.ts'
import type { OpenTable } from '#core/spreadsheet/table-reader.ts'
import { inTransaction } from '#core/tenancy/tenancy.ts'
import {
  buildImportLimits,
  type ImportCtx,
  type ImportDefinition,
  type LineFacts,
  type ReadLine,
  buildFailureCells,
  type ColumnFields,
  describeProblems,
  parseLine,
  summarizeProblems,
} from './lines.ts'
import { type FailedLine, isReasonColumn, ReasonCounts } from './failure-file.ts'

/** Number of lines passed to one call of `takeMany`. */
const LINES_AT_ONCE = 2000

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
  const report: Tally = { total: 0, created: 0, updated: 0, failed: 0, rows: [], dryRun }
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
  const { schema, secret = [] } = definition
  const { secretKey } = ctx.services.config
  const columns = { schema, header, fields: matchHeaderFields(definition, header), secret, secretKey }
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
  const reasons = new ReasonCounts()
  let hidden = 0
  const batch: Parsed[] = []
  for await (const row of rows) {
    signal?.throwIfAborted()
    report.total += 1
    if (row.isHidden) hidden += 1
    batch.push(readLine(definition, { row, columns, state }))
    if (batch.length >= (definition.takeMany ? LINES_AT_ONCE : 1))
      await importBatch(ctx, work, { batch: batch.splice(0), state, report, reasons })
    await onLine?.(report.total)
  }
  if (batch.length > 0) await importBatch(ctx, work, { batch, state, report, reasons })
  const ignored = columns.header.filter((title, at) => title && !columns.fields[at] && !isReasonColumn(title))
  const notes = [
    ignored.length > 0 && `以下列不导入：${ignored.join('、')}`,
    hidden > 0 && `其中${hidden}行在表格中处于隐藏状态（如被筛选），与其他行一样导入`,
  ].filter((note) => note !== false)
  if (notes.length > 0) report.notes = notes
  if (report.failed > 0) report.reasons = reasons.list()
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
  readonly reasons: ReasonCounts
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
    else if (outcome) await countFailure(current, work, line, [outcome].flat())
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
async function countFailure(
  { report, reasons }: Pick<Batch, 'report' | 'reasons'>,
  work: Work,
  line: Parsed,
  errors: readonly ApiError[],
) {
  const { onFailed, reported = MAX_REPORTED_ROWS } = work
  const { row } = line
  report.failed += 1
  const problems = line.describe(errors)
  reasons.add(problems)
  if (report.rows.length + problems.length <= reported)
    report.rows.push(...problems.map((problem) => ({ row, ...problem })))
  const titles = [...new Set(problems.flatMap(({ field = '' }) => field || []))]
  await onFailed?.({ row, field: titles.join('、'), msg: summarizeProblems(problems), ...line.failed() })
}
