import type { FileRule, ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  DIRECT_IMPORT_ROWS,
  type ImportReport,
  type JobResponse,
  MAX_JOB_REPORTED_ROWS,
} from '@oms/contract/core/transfer.ts'
import { formatSizeError, UPLOAD, findUploadProblem } from '@oms/contract/core/upload.ts'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import { createExportColumns } from '#core/spreadsheet/columns.ts'
import { findExportDefinition, findStreamedExport } from '#core/spreadsheet/export.ts'
import { type FailedLine, FailureFile, selectFailureFileFormat } from './failure-file.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import {
  sendTable,
  TABLE_MIME,
  addTransfer,
  storeJobFile,
  storeFailureFile,
  loadJobUser,
  type TransferPayload,
} from '#core/spreadsheet/transfer-jobs.ts'
import { openTableInThread, UnreadableTableError } from '#core/spreadsheet/table-thread.ts'
import {
  type Definition,
  type ImportDefinition,
  type ImportEndpoint,
  type TableCheck,
  buildImportLimits,
} from './lines.ts'
import { importLines } from './take-lines.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { analyzeTable } from '#core/database/analyze.ts'
import type { Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'

const IMPORTS = new Map<string, ImportDefinition>()
export const findImport = (kind: string) => IMPORTS.get(kind)

/** Returns the access of the call that started the export or import of a definition. */
export const findTransferAccess = (of: string) =>
  (findExportDefinition(of) ?? findStreamedExport(of) ?? findImport(of))?.endpoint.access

/**
 * Declares an import and returns its two handlers: template and import. List the import handler in
 * `outsideTransaction`: all lines are imported in one separate transaction, and `dryRun` rolls it back.
 */
export function defineImport<E extends ImportEndpoint, S extends z.ZodObject, State>(
  definition: Definition<E, S, State>,
) {
  if (definition.answer && !definition.isAnswerStored && definition.endpoint.file.maxRows > DIRECT_IMPORT_ROWS)
    throw new Error(`${definition.kind}: a job has no answer to add to`)
  IMPORTS.set(definition.kind, definition as unknown as ImportDefinition)
  const erased = definition as unknown as ImportDefinition
  return {
    template: (): StreamResponse => {
      const columns = createExportColumns(definition.schema, definition.columns)
      const file = {
        name: `${definition.name}导入模板`,
        format: 'xlsx',
        columns,
        rows: [definition.example],
        isForm: true,
      } as const
      return (_request, reply) => sendTable(reply, file)
    },
    take: async (ctx: Ctx, input: ParsedOf<E>) =>
      importTable(ctx, erased, input as ParsedOf<ImportEndpoint>, await receiveTable(ctx, definition.endpoint)),
    /** Imports a table that the handler has already received, for handlers that inspect the table first. */
    takeTable: (ctx: Ctx, input: ParsedOf<E>, table: ReceivedTable) =>
      importTable(ctx, erased, input as ParsedOf<ImportEndpoint>, table),
    /** Runs the dry run of a table within the request, for handlers that store a table for approval. */
    checkTable: (ctx: Ctx, input: ParsedOf<E>, table: ReceivedTable) =>
      checkTable(ctx, erased, input as ParsedOf<ImportEndpoint>, table),
  }
}

async function checkTable(
  ctx: Ctx,
  definition: ImportDefinition,
  input: ParsedOf<ImportEndpoint>,
  table: ReceivedTable,
): Promise<TableCheck> {
  let ended: unknown
  const onEnd = (state: unknown) => void (ended = state)
  const work = { definition, input: { ...input, dryRun: 1 } as const, table, onEnd }
  const report = await importLines(ctx, work).catch(throwTableError)
  return { report, answer: definition.answer?.(ended, true) ?? {} }
}

/** Imports a small table and returns the report. A large table is stored and imported by a job. */
async function importTable(
  ctx: Ctx,
  definition: ImportDefinition,
  input: ParsedOf<ImportEndpoint>,
  { name, bytes }: ReceivedTable,
): Promise<ImportReport | JobResponse> {
  const total = await countOf(bytes, name, definition).catch(throwTableError)
  if (total > DIRECT_IMPORT_ROWS) {
    const stored = await putBytes(ctx.services.files, bytes)
    const file = await storeJobFile(ctx, { purpose: 'import', name, mime: TABLE_MIME.xlsx, stored })
    const verb = Number(input.dryRun) === 1 ? '试导入' : '导入'
    ctx.audit({ bizType: definition.kind, action: `${verb}${definition.name}，共${total}行，转为后台` })
    const { sha256 } = stored
    const payload = { of: definition.kind, name: definition.name, input, total, file: { ...file, sha256 } }
    return addTransfer(ctx, 'import', payload)
  }
  let ended: unknown
  const onEnd = (state: unknown) => void (ended = state)
  const failures = new FailureFile(ctx.services, selectFailureFileFormat(name))
  const summarize = (done: ImportReport, record = { bizType: definition.kind }) =>
    ctx.audit({ ...record, action: formatImportSummary(definition.name, done) })
  const beforeCommit = (db: Db, done: ImportReport, state: unknown) => {
    summarize(done, definition.recordOf?.(state))
    return ctx.recordIn(db)
  }
  const onFailed = (line: FailedLine) => failures.add(line)
  const work = { definition, input, table: { bytes, name }, beforeCommit, onEnd, onFailed }
  const report = await importLines(ctx, work).catch((error: unknown) => {
    failures.abandon()
    return throwTableError(error)
  })
  if (report.dryRun) summarize(report)
  const file = await storeFailureFile(ctx, failures, { table: name, name: `${definition.name}导入失败明细` })
  const full = { ...report, ...(file && { file }) }
  if (!report.dryRun) await definition.storeReport?.(ctx, ended, full)
  return { ...full, ...definition.answer?.(ended, report.dryRun) }
}

/** Returns the Chinese sentence about an import for the operation log. */
const formatImportSummary = (name: string, { dryRun, total, created, updated, failed }: ImportReport) =>
  `${dryRun ? '试导入' : '导入'}${name}：共${total}行，新增${created}，更新${updated}，失败${failed}`

async function countOf(bytes: Uint8Array, name: string, definition: ImportDefinition) {
  const { header, rows, close } = await openTableInThread(bytes, name, buildImportLimits(definition))
  try {
    // Refuses a table with wrong columns before a job is added.
    matchHeaderFields(definition, header)
    const { maxRows } = definition.endpoint.file
    let total = 0
    for await (const _ of rows) if (++total > maxRows) throw invalid(`一次最多导入${maxRows}行`, 'file')
    if (total === 0) throw invalid('表格中没有数据', 'file')
    return total
  } finally {
    close()
  }
}

export interface ReceivedTable {
  readonly name: string
  readonly bytes: Buffer
}

/** Reads the uploaded table into memory. Refuses a table that is too large or has another type. */
export async function receiveTable(
  { incoming }: Ctx,
  { file }: { readonly file?: FileRule | undefined },
): Promise<ReceivedTable> {
  if (!incoming) throw invalid('请选择文件', 'file')
  const rule = { ...UPLOAD.table, ...file }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.stream as AsyncIterable<Buffer>) {
    size += chunk.length
    // Reads the whole body, because the client reads the response only after sending everything.
    if (size <= rule.maxBytes) chunks.push(chunk)
  }
  const problem = size > rule.maxBytes ? formatSizeError(rule) : findUploadProblem(rule, { name: incoming.name, size })
  if (problem) throw invalid(problem, 'file')
  return { name: incoming.name, bytes: Buffer.concat(chunks) }
}

/** Progress in percent after all lines are imported. The number of lines is known when the table is received. */
const LINES_PERCENT = 98

/**
 * Registers the job that imports a large table. After a crash or a lock conflict, the job starts over, because nothing
 * was committed. Another import may hold locks of the same rows, so the retries last longer than most imports.
 */
export const registerImports = (services: Services) =>
  services.jobs.register('import', importWorker(services), {
    concurrency: 2,
    maxPerTenant: 1,
    timeLimitSeconds: 60 * 60,
    retries: 5,
    retryDelaySeconds: 10,
  })

const importWorker =
  (services: Services): Worker =>
  async (job, progress, signal) => {
    const { of, input, file, total = 1 } = job.payload as TransferPayload
    const definition = findImport(of)
    if (!definition || !file) throw notFound('导入')
    const chunks: Buffer[] = []
    for await (const chunk of await services.files.openRead(file.sha256)) chunks.push(chunk as Buffer)
    const user = await loadJobUser(services, job, definition.endpoint.access)
    const failures = new FailureFile(services, selectFailureFileFormat(file.name))
    let ended: unknown
    const report = await importLines(
      { user, services, now: services.now() },
      {
        definition,
        input: input as { dryRun: 0 | 1 },
        table: { bytes: Buffer.concat(chunks), name: file.name },
        signal,
        reported: MAX_JOB_REPORTED_ROWS,
        onFailed: (line) => failures.add(line),
        onEnd: (state) => void (ended = state),
        async onLine(done) {
          // Checks the permission and reports progress at most 200 times, however long the table is.
          if (done % Math.max(100, Math.ceil(total / 200)) > 0) return
          await loadJobUser(services, job, definition.endpoint.access)
          await progress((done / total) * LINES_PERCENT)
        },
      },
    ).catch((error: unknown) => {
      failures.abandon()
      throw error
    })
    if (!report.dryRun && report.created + report.updated > 0) await analyzeTable(services, definition.tables ?? [])
    const name = `${definition.name}导入失败明细-${job.jobId}`
    const kept = await storeFailureFile({ services, user }, failures, { table: file.name, name })
    const full = { ...report, ...(kept && { file: kept }) }
    if (!report.dryRun) await definition.storeReport?.({ services, user }, ended, full)
    const answer = definition.isAnswerStored && definition.answer?.(ended, report.dryRun)
    return { rows: report.total, report, ...(answer && { answer }), ...(kept && { file: kept }) }
  }

/** Converts an error of the table reader into an API error of the field `file`. */
export function throwTableError(error: unknown): never {
  throw error instanceof UnreadableTableError ? invalid(error.message, 'file') : error
}
