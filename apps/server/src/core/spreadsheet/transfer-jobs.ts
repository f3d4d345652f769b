import type { Readable } from 'node:stream'
import {
  type ExportFormat,
  type ImportReport,
  type JobResponse,
  MAX_OPEN_JOBS,
  TRANSFER_MESSAGES,
} from '@oms/contract/core/transfer.ts'
import type { FastifyReply } from 'fastify'
import { buildSafeHeaders } from '#core/storage/send.ts'
import type { Column, Rows } from '#core/spreadsheet/columns.ts'
import { writeCsv } from '#core/spreadsheet/formats/csv.ts'
import { writeXlsx } from '#core/spreadsheet/formats/xlsx-writer.ts'
import { createHash, randomBytes } from 'node:crypto'
import type { Access } from '@oms/contract/core/endpoint.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { canSwitchTenant, createUser, hasSwitchedTenant, type Rights } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { Job } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import type { StoredFile } from '#core/storage/store.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { files, jobs } from '#core/schema/system.ts'
import { type FailureFile, selectFailureFileFormat } from './import/failure-file.ts'

interface TableFile {
  /** File name without extension, also the name of the sheet. */
  readonly name: string
  readonly format: ExportFormat
  readonly columns: readonly Column[]
  readonly rows: Rows
  /** Option `isForm` of `XlsxOptions`. */
  readonly isForm?: boolean
}

export const TABLE_MIME: Readonly<Record<ExportFormat, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
}

/** Streams a table as the response. Memory holds only the present batch of rows. */
export function sendTable(reply: FastifyReply, { name, format, columns, rows, isForm = false }: TableFile) {
  const mime = TABLE_MIME[format]
  const body: Readable = format === 'csv' ? writeCsv(columns, rows) : writeXlsx(columns, rows, { sheet: name, isForm })
  return reply
    .headers({ ...buildSafeHeaders({ name: `${name}.${format}`, mime }), 'cache-control': 'no-store' })
    .type(mime)
    .send(body)
}

/** Payload of a transfer job: the definition and the request's input. */
export interface TransferPayload {
  readonly of: string
  readonly input: unknown
  /** The uploaded table of an import. */
  readonly file?: { readonly id: string; readonly name: string; readonly sha256: string }
  readonly total?: number
}
interface NewTransfer extends TransferPayload {
  readonly name: string
}

/** Returns the title of a transfer job. The title of a dry run says that nothing is imported. */
const buildTransferTitle = (kind: 'export' | 'import', { name, input }: NewTransfer) =>
  kind === 'export' ? `导出${name}` : isDryRunInput(input) ? `校验导入文件：${name}` : `导入${name}`

const isDryRunInput = (input: unknown) => Number((input as { dryRun?: unknown } | undefined)?.dryRun) === 1

/** Adds an export or import job for the caller. An identical request while the job is open returns the same job. */
export async function addTransfer(ctx: Ctx, kind: 'export' | 'import', transfer: NewTransfer): Promise<JobResponse> {
  const { name: _, ...payload } = transfer
  const { uid, tenantId } = ctx.user
  const text = JSON.stringify(payload)
  const uniqueKey = `${kind}:${uid}:${tenantId}:${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
  const title = buildTransferTitle(kind, transfer)
  return transact(ctx, async (db) => {
    // The lock serialises concurrent requests, so that none passes the limit.
    await db.execute(sql`select pg_advisory_xact_lock(hashtext('jobs'), ${uid})`)
    const open = await db
      .select({ jobId: jobs.jobId, uniqueKey: jobs.uniqueKey })
      .from(jobs)
      .where(and(eq(jobs.uid, uid), inArray(jobs.state, ['waiting', 'running'])))
      .limit(MAX_OPEN_JOBS)
    const same = open.find((job) => job.uniqueKey === uniqueKey)
    if (same) return { jobId: same.jobId }
    if (open.length >= MAX_OPEN_JOBS) throw refused(TRANSFER_MESSAGES.tooManyJobs)
    const jobId = await ctx.services.jobs.add(db, { kind, title, uid, tenantId, payload, uniqueKey })
    return { jobId: jobId as number }
  })
}

const LOST = '您已没有执行该任务的权限'

/** Returns the account of a job with its current rights. Throws when the account lost the permission. */
export const loadJobUser = async (
  { sessions }: Services,
  { uid, tenantId }: Pick<Job, 'uid' | 'tenantId'>,
  access: Access,
): Promise<User> => createJobUser(uid === null ? undefined : await sessions.rightsOf(uid), tenantId, access)

/** Returns the account with these rights as the caller of a job. Throws when the account lacks the permission. */
export function createJobUser(rights: Rights | undefined, tenantId: Job['tenantId'], access: Access): User {
  if (!rights) throw refused(LOST)
  if (rights.suspendedReason) throw refused(rights.suspendedReason)
  const user = createUser(rights, { id: '', tenantId })
  const moved = hasSwitchedTenant(rights, tenantId) && !canSwitchTenant(rights, tenantId as number)
  if (moved || (access !== 'session' && !user.can(access))) throw refused(LOST)
  return user
}

/** Creates a file row that only its owner may download. Cleanup deletes the file by purpose and age. */
export async function storeJobFile(
  { services, user }: Pick<Ctx, 'services' | 'user'>,
  { purpose, name, mime, stored }: { purpose: 'export' | 'import'; name: string; mime: string; stored: StoredFile },
) {
  const id = randomBytes(16).toString('hex')
  const { md5, sha1, sha256, size } = stored
  const { uid, tenantId } = user
  const usedTime = services.now().toISOString()
  await transact({ services, user }, (db) =>
    db.insert(files).values({ id, tenantId, uid, purpose, name, mime, size, md5, sha1, sha256, usedTime }),
  )
  return { id, name, size }
}

/** Stores the file of failed lines of an import; undefined when no line failed. */
export async function storeFailureFile(
  ctx: Pick<Ctx, 'services' | 'user'>,
  failures: FailureFile,
  { table, name }: { readonly table: string; readonly name: string },
) {
  const stored = await failures.end()
  if (!stored) return undefined
  const format = selectFailureFileFormat(table)
  return storeJobFile(ctx, { purpose: 'export', name: `${name}.${format}`, mime: TABLE_MIME[format], stored })
}

/** Purpose of a file of failed lines that a record keeps. */
export const KEPT_REPORT_PURPOSE = 'importReport'

/** Keeps the file of failed lines as long as the record that refers to the file. */
export const keepReportFile = (db: Db, { file }: ImportReport) =>
  db
    .update(files)
    .set({ purpose: KEPT_REPORT_PURPOSE })
    .where(eq(files.id, file?.id ?? ''))
