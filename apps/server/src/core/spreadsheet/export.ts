import type { Endpoint, ParsedOf } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import {
  DIRECT_EXPORT_ROWS,
  type ExportFormat,
  type JobResponse,
  MAX_EXPORT_ROWS,
  TRANSFER_MESSAGES,
} from '@oms/contract/core/transfer.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgSelect } from 'drizzle-orm/pg-core'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import {
  type Column,
  type Row,
  type ColumnSpec,
  createCodeTranslator,
  createExportColumns,
  selectColumns,
} from '#core/spreadsheet/columns.ts'
import { addTransfer, sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { inTransaction, transact } from '#core/tenancy/tenancy.ts'

/** An endpoint whose input combines the filter and order of a list with `exportQuery`. */
export type ExportEndpoint = Endpoint & {
  readonly input: z.ZodType<{ format: ExportFormat; columns?: string[] | undefined }>
}

interface Definition<E extends ExportEndpoint, R extends Row> {
  /** Identifies the definition in a job's row. Unique and stable across releases. */
  readonly kind: string
  /** The permission of this endpoint is checked again when the export runs as a job. */
  readonly endpoint: E
  /** Name of the sheet and of the file. */
  readonly sheet: string
  /** Row schema of the list, with titles and words for codes. */
  readonly schema: z.ZodObject
  readonly columns: readonly ColumnSpec[]
  /** Primary key of the rows. */
  readonly key: PgColumn
  /** Joins the other tables that the conditions name. */
  join?(query: PgSelect, db: Db, user: User, input: ParsedOf<E>): PgSelect
  /** Returns the conditions of the list, with the account's data scope. Also limits each batch of rows. */
  where(
    user: User,
    input: ParsedOf<E>,
    reader: Pick<Ctx, 'db' | 'services'>,
  ): SQL | undefined | Promise<SQL | undefined>
  /** Returns the order of the list. */
  order(input: ParsedOf<E>): SQL[]
  /** Returns the rows of the condition in any order. */
  load(db: Db, user: User, where: SQL, services: Services): PromiseLike<readonly R[]>
  keyOf(row: R): number
  /** Returns the file's values that differ from the row and the schema's words. */
  line?(row: R): Row
}
type ExportDefinition<E extends ExportEndpoint = ExportEndpoint, R extends Row = Row> = Definition<E, R> & {
  readonly all: readonly Column[]
}

const EXPORTS = new Map<string, ExportDefinition>()
/** Rows read and written per batch. A small batch lets other requests run in between. */
const BATCH = 250

/** Declares the export of a list and returns its handler. The same definition serves direct downloads and jobs. */
export function defineExport<E extends ExportEndpoint, R extends Row>(definition: Definition<E, R>) {
  const defined: ExportDefinition<E, R> = {
    ...definition,
    all: createExportColumns(definition.schema, definition.columns),
  }
  EXPORTS.set(definition.kind, defined as unknown as ExportDefinition)
  return (ctx: Ctx, input: ParsedOf<E>) => exportAnswer(ctx, defined, input)
}

export const findExportDefinition = (kind: string) => EXPORTS.get(kind)

/** Streams the file, or starts a job when the export is too large and returns the job. */
async function exportAnswer<E extends ExportEndpoint, R extends Row>(
  ctx: Ctx,
  definition: ExportDefinition<E, R>,
  input: ParsedOf<E>,
): Promise<StreamResponse> {
  const { services, user } = ctx
  const { kind, sheet } = definition
  const { format, columns: wanted } = input as z.output<ExportEndpoint['input']>
  const columns = selectColumns(definition.all, wanted)
  const total = await transact(ctx, async (db) => countOf(db, await keysOf(definition, { db, user, services }, input)))
  const later = total > DIRECT_EXPORT_ROWS
  const many = later ? `，超过${DIRECT_EXPORT_ROWS}条，转为后台` : `${total}条`
  ctx.audit({ bizType: kind, action: `导出${sheet}${many}` })
  if (later) return createJobResponse(await addTransfer(ctx, 'export', { of: kind, name: sheet, input }))
  const rows = iterateExportRows({ services, definition, input, user: async () => user })
  return (_request, reply) => sendTable(reply, { name: sheet, format, columns, rows })
}

/** Responds with the job that writes the file. */
const createJobResponse =
  (data: JobResponse, msg: string = TRANSFER_MESSAGES.exportLater): StreamResponse =>
  (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ code: RESPONSE_CODE.ok, msg, data }))

/** Wraps the query in an object. A query is a promise of its rows and would otherwise run when awaited. */
async function keysOf<E extends ExportEndpoint, R extends Row>(
  { key, join, where }: Definition<E, R>,
  { db, user, services }: Pick<Ctx, 'db' | 'user' | 'services'>,
  input: ParsedOf<E>,
) {
  const rows: PgSelect = db.select({ key }).from(key.table).$dynamic()
  const query = join?.(rows, db, user, input) ?? rows
  return { query: query.where(await where(user, input, { db, services })) }
}

/** Counts rows only up to the limit of a direct download. */
async function countOf(db: Db, { query: keys }: { query: PgSelect }) {
  const counted = sql`select count(*)::int as n from (${keys.getSQL()} limit ${DIRECT_EXPORT_ROWS + 1}) as counted`
  const { rows } = await db.execute<{ n: number }>(counted)
  return rows[0]?.n ?? 0
}

interface Source<E extends ExportEndpoint, R extends Row> {
  readonly services: Services
  readonly definition: ExportDefinition<E, R>
  readonly input: ParsedOf<E>
  /** Returns the account. Called for every batch, so that a revoked permission stops a long export. */
  user(): Promise<User>
  readonly signal?: AbortSignal
  /** Called after each batch with the written and total number of rows. */
  onBatch?(done: number, total: number): Promise<void>
}

/**
 * Returns the rows of an export in the order of the list. One statement reads the keys first. The rows follow in
 * batches by key, each in a short transaction, without rows that left the list meanwhile. A slow connection therefore
 * holds neither a database connection nor a snapshot. Memory use is two batches and four bytes per row.
 */
export async function* iterateExportRows<E extends ExportEndpoint, R extends Row>(
  source: Source<E, R>,
): AsyncGenerator<Row> {
  const { definition, signal, onBatch } = source
  const { total, batches } = await readKeys(source)
  const inWords = createCodeTranslator(definition.schema)
  let next = loadBatch(source, batches[0])
  for (let at = 0; at < batches.length; at++) {
    const rows = await next
    signal?.throwIfAborted()
    // Reads the next batch while the present batch is written.
    next = loadBatch(source, batches[at + 1])
    next.catch(() => undefined)
    for (const row of rows) yield inWords(definition.line ? { ...row, ...definition.line(row) } : row)
    await onBatch?.(Math.min((at + 1) * BATCH, total), total)
  }
}

async function loadBatch<E extends ExportEndpoint, R extends Row>(
  { services, definition, user, input }: Source<E, R>,
  batch: Keys | undefined,
): Promise<R[]> {
  if (!batch) return []
  const keys = [...batch]
  const who = await user()
  const found = await inTransaction(services.database, who, async (db) => {
    const where = await definition.where(who, input, { db, services })
    return definition.load(db, who, and(where, among(definition.key, keys)) as SQL, services)
  })
  const rows = new Map(found.map((row) => [definition.keyOf(row), row]))
  return keys.flatMap((key): R[] => {
    const row = rows.get(key)
    return row ? [row] : []
  })
}

/** Keys use four bytes each as long as all keys are small enough. */
type Keys = Int32Array | Float64Array
const toKeys = (keys: readonly number[]): Keys => {
  const small = Int32Array.from(keys)
  return keys.every((key, at) => key === small[at]) ? small : Float64Array.from(keys)
}

/** Reads the keys in list order through a cursor. A million keys use four megabytes instead of a million objects. */
async function readKeys<E extends ExportEndpoint, R extends Row>({
  services,
  definition,
  input,
  ...source
}: Source<E, R>) {
  const user = await source.user()
  const batches: Keys[] = []
  let total = 0
  await inTransaction(services.database, user, async (db) => {
    const { query: keys } = await keysOf(definition, { db, user, services }, input)
    const query = keys.orderBy(...definition.order(input))
    await db.execute(sql`declare export_keys no scroll cursor for ${query.getSQL()}`)
    for (let isLast = false; !isLast; ) {
      source.signal?.throwIfAborted()
      const { rows } = await db.execute<Record<string, number>>(sql.raw(`fetch ${BATCH * 10} from export_keys`))
      isLast = rows.length < BATCH * 10
      total += rows.length
      if (total > MAX_EXPORT_ROWS) throw refused(TRANSFER_MESSAGES.tooManyRows)
      const keys = toKeys(rows.map((row) => Object.values(row)[0] as number))
      for (let at = 0; at < keys.length; at += BATCH) batches.push(keys.subarray(at, at + BATCH))
    }
  })
  return { total, batches }
}

export interface StreamSource<E extends ExportEndpoint> {
  readonly services: Services
  readonly input: ParsedOf<E>
  /** Returns the account. Called for every batch, so that a revoked permission stops a long export. */
  user(): Promise<User>
  readonly signal: AbortSignal
}

/** An export of rows without a single numeric key. It always runs as a job. */
interface StreamedDefinition<E extends ExportEndpoint, R extends Row> {
  readonly kind: string
  readonly endpoint: E
  readonly sheet: string
  readonly schema: z.ZodObject
  readonly columns: readonly ColumnSpec[]
  /** Yields batches of rows with the total number of rows. */
  batches(source: StreamSource<E>): AsyncGenerator<{ readonly rows: readonly R[]; readonly total: number }>
}
type Streamed = StreamedDefinition<ExportEndpoint, Row> & { readonly all: readonly Column[] }

const STREAMED = new Map<string, Streamed>()
export const findStreamedExport = (kind: string) => STREAMED.get(kind)

/** Declares an export that always runs as a job, and returns its handler. */
export function defineStreamedExport<E extends ExportEndpoint, R extends Row>(definition: StreamedDefinition<E, R>) {
  const { kind, sheet, schema, columns } = definition
  STREAMED.set(kind, { ...definition, all: createExportColumns(schema, columns) } as unknown as Streamed)
  return async (
    ctx: Ctx,
    input: ParsedOf<E>,
    message: string = TRANSFER_MESSAGES.exportQueued,
  ): Promise<StreamResponse> => {
    ctx.audit({ bizType: kind, action: `导出${sheet}，转为后台` })
    const job = await addTransfer(ctx, 'export', { of: kind, name: sheet, input })
    return createJobResponse(job, message)
  }
}

/** Returns the rows of a streamed export with words for codes. */
export async function* readStreamedRows(
  definition: Streamed,
  source: StreamSource<ExportEndpoint> & { onBatch(done: number, total: number): Promise<void> },
): AsyncGenerator<Row> {
  const inWords = createCodeTranslator(definition.schema)
  let done = 0
  for await (const { rows, total } of definition.batches(source)) {
    source.signal.throwIfAborted()
    for (const row of rows) yield inWords(row)
    done += rows.length
    await source.onBatch(done, Math.max(total, done, 1))
  }
}
