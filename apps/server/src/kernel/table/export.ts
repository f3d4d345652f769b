import type { Endpoint, ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { CODE } from '@oms/contract/kernel/envelope.ts'
import {
  DIRECT_EXPORT_ROWS,
  type ExportFormat,
  type JobAnswer,
  MAX_EXPORT_ROWS,
  TRANSFER_MESSAGES,
} from '@oms/contract/kernel/transfer.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { PgSelect } from 'drizzle-orm/pg-core'
import type * as z from 'zod'
import type { Db } from '#db/client.ts'
import type { Ctx, User } from '#kernel/context.ts'
import type { StreamAnswer } from '#kernel/implement.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { refused } from '#kernel/problem.ts'
import { inTransaction, transact } from '#kernel/tenancy.ts'
import type { Column, Row } from './cell.ts'
import { type ColumnSpec, chosenOf, columnsOf, wording } from './columns.ts'
import { sendTable } from './send-table.ts'
import { addTransfer } from './transfer-jobs.ts'

/** An endpoint whose input is a list's filter and order with `exportQuery` beside it. */
export type ExportEndpoint = Endpoint & {
  readonly input: z.ZodType<{ format: ExportFormat; columns?: string[] | undefined }>
}

interface Definition<E extends ExportEndpoint, R extends Row> {
  /** Names it in a job's row: unique, and the same from release to release. */
  readonly kind: string
  /** Its permission is asked for again when the export runs as a job. */
  readonly endpoint: E
  /** Name of the sheet and of the file. */
  readonly sheet: string
  /** The list's row: it knows titles and words. */
  readonly schema: z.ZodObject
  readonly columns: readonly ColumnSpec[]
  /** Looks up what the filter only names, for `keys` to find in its input. */
  resolve?(db: Db, user: User, input: ParsedOf<E>): Promise<ParsedOf<E>>
  /** Selects the primary key alone of every row the list would show, without an order. */
  keys(db: Db, user: User, input: ParsedOf<E>): PgSelect
  /** The list's order. */
  order(input: ParsedOf<E>): SQL[]
  /** The rows of these keys, in any order; within what the account may see, like every query. */
  load(db: Db, user: User, keys: number[]): Promise<readonly R[]>
  keyOf(row: R): number
  /** What the file says beyond the row and the schema's words for its codes. */
  line?(row: R): Row
}
export type ExportDefinition<E extends ExportEndpoint = ExportEndpoint, R extends Row = Row> = Definition<E, R> & {
  readonly all: readonly Column[]
}

const EXPORTS = new Map<string, ExportDefinition>()
/** Rows read, and written, at once: few enough that other requests are answered in between. */
const BATCH = 250

/**
 * Declares how a list becomes a file, and makes the handler of its export. Defining it is enough: it runs in the answer
 * and as a job alike.
 */
export function defineExport<E extends ExportEndpoint, R extends Row>(definition: Definition<E, R>) {
  const defined: ExportDefinition<E, R> = { ...definition, all: columnsOf(definition.schema, definition.columns) }
  EXPORTS.set(definition.kind, defined as unknown as ExportDefinition)
  return (ctx: Ctx, input: ParsedOf<E>) => exportAnswer(ctx, defined, input)
}

export const exportOf = (kind: string) => EXPORTS.get(kind)

/** Answers with the file as it is made; what is too large for that becomes a job, and the answer names it. */
async function exportAnswer<E extends ExportEndpoint, R extends Row>(
  ctx: Ctx,
  definition: ExportDefinition<E, R>,
  input: ParsedOf<E>,
): Promise<StreamAnswer> {
  const { kernel, user } = ctx
  const { kind, sheet } = definition
  const { format, columns: wanted } = input as z.output<ExportEndpoint['input']>
  const columns = chosenOf(definition.all, wanted)
  const total = await transact(ctx, async (db) => countOf(db, await keysOf(definition, db, user, input)))
  const later = total > DIRECT_EXPORT_ROWS
  const many = later ? `，超过${DIRECT_EXPORT_ROWS}条，转为后台` : `${total}条`
  ctx.audit({ bizType: kind, action: `导出${sheet}${many}` })
  if (later) return jobAnswer(await addTransfer(ctx, 'export', { of: kind, name: sheet, input }))
  const rows = exportRows({ kernel, definition, input, user: async () => user })
  return (_request, reply) => sendTable(reply, { name: sheet, format, columns, rows })
}

const jobAnswer =
  (data: JobAnswer): StreamAnswer =>
  (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ code: CODE.ok, msg: TRANSFER_MESSAGES.exportLater, data }))

/** Boxed: a query is a promise of its rows, and must not be awaited by accident. */
async function keysOf<E extends ExportEndpoint, R extends Row>(
  { resolve, keys }: Definition<E, R>,
  db: Db,
  user: User,
  input: ParsedOf<E>,
) {
  return { query: keys(db, user, (await resolve?.(db, user, input)) ?? input) }
}

/** Never reads further than it takes to know that the rows are too many for one answer. */
async function countOf(db: Db, { query: keys }: { query: PgSelect }) {
  const counted = sql`select count(*)::int as n from (${keys.getSQL()} limit ${DIRECT_EXPORT_ROWS + 1}) as counted`
  const { rows } = await db.execute<{ n: number }>(counted)
  return rows[0]?.n ?? 0
}

interface Source<E extends ExportEndpoint, R extends Row> {
  readonly kernel: Pick<Kernel, 'database'>
  readonly definition: ExportDefinition<E, R>
  readonly input: ParsedOf<E>
  /** Who reads; asked for every batch, so that a right lost meanwhile ends a long export. */
  user(): Promise<User>
  readonly signal?: AbortSignal
  /** Rows handed on so far, and of how many. */
  onBatch?(done: number, total: number): Promise<void>
}

/**
 * The rows of an export in the order of the list. Their keys are read first, in one statement; the rows follow in
 * batches by key, each in a short transaction. So a slow line holds neither a connection nor a snapshot, any order of
 * the list will do, and memory stays that of two batches and four bytes a row.
 */
export async function* exportRows<E extends ExportEndpoint, R extends Row>(source: Source<E, R>): AsyncGenerator<Row> {
  const { definition, signal, onBatch } = source
  const { total, batches } = await readKeys(source)
  const inWords = wording(definition.schema)
  let next = loadBatch(source, batches[0])
  for (let at = 0; at < batches.length; at++) {
    const rows = await next
    signal?.throwIfAborted()
    // The database reads on while this batch is written.
    next = loadBatch(source, batches[at + 1])
    next.catch(() => undefined)
    for (const row of rows) yield inWords(definition.line ? { ...row, ...definition.line(row) } : row)
    await onBatch?.(Math.min((at + 1) * BATCH, total), total)
  }
}

async function loadBatch<E extends ExportEndpoint, R extends Row>(
  { kernel, definition, user }: Source<E, R>,
  batch: Keys | undefined,
): Promise<R[]> {
  if (!batch) return []
  const keys = [...batch]
  const who = await user()
  const found = await inTransaction(kernel.database, who, (db) => definition.load(db, who, keys))
  const rows = new Map(found.map((row) => [definition.keyOf(row), row]))
  return keys.flatMap((key): R[] => {
    const row = rows.get(key)
    return row ? [row] : []
  })
}

/** Keys in four bytes each, as long as all of them are small enough for that. */
type Keys = Int32Array | Float64Array
const packed = (keys: readonly number[]): Keys => {
  const small = Int32Array.from(keys)
  return keys.every((key, at) => key === small[at]) ? small : Float64Array.from(keys)
}

/** Keys in the list's order, drawn through a cursor: a million of them are four megabytes, and never a million objects. */
async function readKeys<E extends ExportEndpoint, R extends Row>({
  kernel,
  definition,
  input,
  ...source
}: Source<E, R>) {
  const user = await source.user()
  const batches: Keys[] = []
  let total = 0
  await inTransaction(kernel.database, user, async (db) => {
    const { query: keys } = await keysOf(definition, db, user, input)
    const query = keys.orderBy(...definition.order(input))
    await db.execute(sql`declare export_keys no scroll cursor for ${query.getSQL()}`)
    for (let isLast = false; !isLast; ) {
      source.signal?.throwIfAborted()
      const { rows } = await db.execute<Record<string, number>>(sql.raw(`fetch ${BATCH * 10} from export_keys`))
      isLast = rows.length < BATCH * 10
      total += rows.length
      if (total > MAX_EXPORT_ROWS) throw refused(TRANSFER_MESSAGES.tooManyRows)
      const keys = packed(rows.map((row) => Object.values(row)[0] as number))
      for (let at = 0; at < keys.length; at += BATCH) batches.push(keys.subarray(at, at + BATCH))
    }
  })
  return { total, batches }
}
