import { createHash } from 'node:crypto'
import type { Endpoint, ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { about } from '@oms/contract/kernel/fields.ts'
import { type ImportProblem, type ImportReport, MAX_REPORTED_ROWS } from '@oms/contract/kernel/transfer.ts'
import type * as z from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid, Problem } from '#kernel/problem.ts'
import { inTransaction } from '#kernel/tenancy.ts'
import type { Row } from './cell.ts'
import type { ColumnSpec } from './columns.ts'
import type { FailedLine } from './failure-file.ts'
import type { TableLimits } from './table-limits.ts'
import { openTable } from './table-reader.ts'

/** `db` is the transaction of the whole import. */
export type ImportCtx = Pick<Ctx, 'db' | 'user' | 'now' | 'kernel'> & {
  /** The table: its name, and what tells the same one a second time. */
  readonly file: { readonly name: string; readonly sha256: string }
}

type Taken = 'created' | 'updated'
/** Lines `takeMany` is handed at once. */
const LINES_AT_ONCE = 2000

export interface LineTaker<S extends z.ZodObject, State> {
  /** One line: its titles head the columns, its messages fill the report. */
  readonly schema: S
  readonly required: readonly string[]
  /** The cells as the schema wants them: codes for words, ids for names. */
  cells?(given: Readonly<Record<string, string>>, state: State): Record<string, unknown>
  /** Writes one line; a `Problem` thrown is the line's alone and undoes what it wrote. */
  take?(ctx: ImportCtx, input: z.output<S>, state: State, row: number): Promise<Taken>
  /**
   * Instead of `take`, for tables too long to go line by line: writes many lines at once and says of each what became of
   * it, in their order. A line that is refused must not have been written.
   */
  takeMany?(
    ctx: ImportCtx,
    lines: readonly { readonly row: number; readonly input: z.output<S> }[],
    state: State,
  ): Promise<readonly (Taken | Problem)[]>
  /** After the last line: caches to forget, events to publish. */
  finish?(ctx: ImportCtx, state: State): Promise<void>
  /** When all is committed, or the rehearsal undone: what the answer says beside the report. For tables no job takes. */
  answer?(state: State, dryRun: boolean): object
}

export type ImportEndpoint = Endpoint & { readonly input: z.ZodType<{ dryRun: 0 | 1 | '0' | '1' }> }

export interface Definition<E extends ImportEndpoint, S extends z.ZodObject, State> extends LineTaker<S, State> {
  /** Names it in a job's row: unique, and the same from release to release. */
  readonly kind: string
  /** Its permission is asked for again when the import runs as a job. */
  readonly endpoint: E
  readonly name: string
  readonly columns: readonly ColumnSpec[]
  /** One filled-in line of the template. */
  readonly example: Row
  readonly maxRows: number
  /** Tables a long import puts most rows into. */
  readonly tables?: readonly string[]
  /** Fields left out of the file of failed lines: secrets are in no file of ours. */
  readonly secret?: readonly string[]
  /** What all lines share: names looked up once, locks taken. */
  prepare(ctx: ImportCtx, input: ParsedOf<E>): Promise<State>
}
export type ImportDefinition = Definition<ImportEndpoint, z.ZodObject, unknown>

export const limitsOf = ({ maxRows }: ImportDefinition): Partial<TableLimits> => ({
  maxRows,
  ...(maxRows > 100_000 && { maxUnpackedBytes: 500 * 1024 * 1024 }),
})

interface Work {
  readonly definition: ImportDefinition
  readonly input: { readonly dryRun: 0 | 1 | '0' | '1' }
  readonly table: { readonly bytes: Uint8Array; readonly name: string }
  readonly signal?: AbortSignal
  onLine?(done: number): Promise<void>
  /** Hears of every line that was not taken, also of those the report has no room for. */
  onFailed?(line: FailedLine): Promise<void>
  onEnd?(state: unknown): void
  /** Problems the report lists; the others are counted. */
  readonly reported?: number
}

/** Undoes a dry run: everything was tried for real, and nothing stays. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed'
}

/** Takes line by line in one transaction: an import that fails half-way, or is cancelled, has changed nothing. */
export async function takeLines(ctx: Omit<ImportCtx, 'db' | 'file'>, work: Work): Promise<ImportReport> {
  const dryRun = Number(work.input.dryRun) === 1
  const report = { total: 0, created: 0, updated: 0, failed: 0, rows: [] as ImportProblem[], dryRun }
  const { name, bytes } = work.table
  const file = { name, sha256: createHash('sha256').update(bytes).digest('hex') }
  let state: unknown
  await inTransaction(ctx.kernel.database, ctx.user, async (db) => {
    state = await takeAll({ ...ctx, db, file }, work, report)
    if (dryRun) throw new Rehearsed()
  }).catch((error: unknown) => {
    if (!(error instanceof Rehearsed)) throw error
  })
  work.onEnd?.(state)
  return report
}

type Tally = { -readonly [K in keyof ImportReport]: ImportReport[K] }

async function takeAll(ctx: ImportCtx, work: Work, report: Tally) {
  const { definition, input, table, signal, onLine } = work
  const { header, rows } = await openTable(table.bytes, table.name, limitsOf(definition))
  const fields = fieldsOf(definition, header)
  const state = await definition.prepare(ctx, input as never)
  const batch: Parsed[] = []
  for await (const { row, cells } of rows) {
    signal?.throwIfAborted()
    report.total += 1
    const given = Object.fromEntries(fields.flatMap((field, at) => (field ? [[field, (cells[at] ?? '').trim()]] : [])))
    batch.push({
      ...parsed(definition, { row, given, state }),
      cells: () => shownCells(definition, header, fields, cells),
    })
    if (batch.length >= (definition.takeMany ? LINES_AT_ONCE : 1))
      await takeBatch(ctx, work, { batch: batch.splice(0), state, report })
    await onLine?.(report.total)
  }
  if (batch.length > 0) await takeBatch(ctx, work, { batch, state, report })
  await definition.finish?.(ctx, state)
  return state
}

/** Which field each column is; a star before a title marks it as required in some templates. */
function fieldsOf({ schema, columns, required }: ImportDefinition, header: readonly string[]) {
  const keys = columns.map((spec) => (typeof spec === 'string' ? spec : spec[0]))
  const fields = header.map((title) => keys.find((key) => titleOf(schema, key) === title.replace(/^\*/, '')))
  const missing = required.filter((key) => !fields.includes(key)).map((key) => titleOf(schema, key))
  if (missing.length > 0) throw invalid(`表格缺少列：${missing.join('、')}，请使用导入模板`, 'file')
  return fields
}

const titleOf = (schema: z.ZodObject, key: string) => String(about(schema, key).title)

interface Line {
  readonly row: number
  readonly given: Readonly<Record<string, string>>
  readonly state: unknown
}
interface Readable {
  readonly row: number
  readonly input: Record<string, unknown>
}
/** A line as the schema read it, or why it could not be read. */
interface Parsed {
  readonly row: number
  readonly result: { readonly input: Record<string, unknown> } | { readonly problem: Problem }
  /** What stood in the table, for the file of failed lines. */
  cells(): ReadonlyMap<string, string>
}

function parsed({ schema, cells }: ImportDefinition, { row, given, state }: Line): Omit<Parsed, 'cells'> {
  try {
    const result = schema.safeParse(cells?.(given, state) ?? given)
    if (result.success) return { row, result: { input: result.data } }
    const { message, path } = result.error.issues[0] as { message: string; path: PropertyKey[] }
    return { row, result: { problem: invalid(message, path.map(String).join('.')) } }
  } catch (error) {
    return { row, result: { problem: problemOf(error) } }
  }
}

const problemOf = (error: unknown) => {
  if (error instanceof Problem) return error
  throw error
}

interface Batch {
  readonly batch: readonly Parsed[]
  readonly state: unknown
  readonly report: Tally
}

/** Writes what could be read of a batch, and reports every line in the file's order. */
async function takeBatch(ctx: ImportCtx, work: Work, { batch, state, report }: Batch) {
  const { definition } = work
  const lines = batch.flatMap(({ row, result }) => ('input' in result ? [{ row, input: result.input }] : []))
  const outcomes = definition.takeMany
    ? await definition.takeMany(ctx, lines, state)
    : await oneByOne(lines, (line) => takeOne(ctx, definition, line, state))
  let at = 0
  for (const line of batch) {
    const { result } = line
    const outcome = 'problem' in result ? result.problem : outcomes[at++]
    if (typeof outcome === 'string') report[outcome] += 1
    else if (outcome) await tally(report, work, line, outcome)
  }
}

/** Savepoints of one transaction close in the order they were opened: lines side by side would undo each other. */
async function oneByOne<Item, Out>(items: readonly Item[], work: (item: Item) => Promise<Out>): Promise<Out[]> {
  const outcomes: Out[] = []
  for (const item of items) outcomes.push(await work(item))
  return outcomes
}

/** One line in a transaction of its own within the import's: refused, it leaves nothing. */
const takeOne = (ctx: ImportCtx, definition: ImportDefinition, { input, row }: Readable, state: unknown) =>
  ctx.db.transaction(async (db) => definition.take?.({ ...ctx, db }, input, state, row)).catch(problemOf)

async function tally(report: Tally, work: Work, { row, cells }: Parsed, problem: Problem) {
  const { definition, onFailed, reported = MAX_REPORTED_ROWS } = work
  report.failed += 1
  const field = problem.data?.field?.split('.')[0]
  const reason = { row, ...(field && { field: titleOf(definition.schema, field) }), msg: problem.message }
  if (report.rows.length < reported) report.rows.push(reason)
  await onFailed?.({ ...reason, cells: cells() })
}

function shownCells(
  { secret = [] }: ImportDefinition,
  header: readonly string[],
  fields: readonly (string | undefined)[],
  cells: readonly string[],
) {
  const shown = header.flatMap((title, at): [string, string][] =>
    secret.includes(fields[at] ?? '') ? [] : [[title, cells[at] ?? '']],
  )
  return new Map(shown)
}
