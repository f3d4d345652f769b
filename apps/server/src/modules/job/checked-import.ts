import { buffer } from 'node:stream/consumers'
import type { jobs as contract } from '@oms/contract/job/job.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ImportReport } from '@oms/contract/core/transfer.ts'
import { and, eq, sql } from 'drizzle-orm'
import { forbidden, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { TableCheck } from '#core/spreadsheet/import/definition.ts'
import { findImport } from '#core/spreadsheet/import/import.ts'
import { addTransfer, type TransferPayload } from '#core/spreadsheet/transfer-jobs.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { jobs } from '#schema/system.ts'

/** Columns that `canImport` needs. */
export const CHECK_COLUMNS = {
  uid: jobs.uid,
  kind: jobs.kind,
  tenantId: jobs.tenantId,
  importKind: sql<string | null>`jobs.payload ->> 'of'`,
  hasTable: sql<boolean>`exists (select 1 from files t where t.id = jobs.payload -> 'file' ->> 'id')`,
  /**
   * True while the import of the table waits or runs, after the import succeeded, and after an approval was requested.
   */
  isImported: sql<boolean>`jobs.payload ? 'approvalId' or exists (select 1 from jobs next where next.uid = jobs.uid and next.job_id > jobs.job_id
    and next.kind = 'import' and next.payload ->> 'checkJobId' = jobs.job_id::text
    and next.state in ('waiting', 'running', 'done'))`,
}

interface Checked {
  readonly uid: number | null
  readonly kind: string
  readonly tenantId: number | null
  readonly state: string
  readonly result: unknown
  readonly importKind: string | null
  readonly hasTable: boolean
  readonly isImported: boolean
}

/** Returns whether the caller can import the table of this dry run now. */
export const canImport = (user: User, job: Checked) => isCheck(user, job) && findImportProblem(user, job) === undefined

/** Returns whether the job is a successful dry run of the caller that found lines to import. */
function isCheck(user: User, { uid, kind, state, result, importKind }: Checked) {
  const report = (result as { report?: ImportReport } | null)?.report
  const definition = findImport(importKind ?? '')
  return (
    uid === user.uid &&
    kind === 'import' &&
    state === 'done' &&
    report?.dryRun === true &&
    report.created + report.updated > 0 &&
    definition !== undefined
  )
}

/** Returns why the table of a dry run cannot be imported now. */
function findImportProblem(user: User, { tenantId, importKind, hasTable, isImported }: Checked) {
  const access = findImport(importKind ?? '')?.endpoint.access
  if (access !== 'session' && !user.can(access ?? '')) return forbidden()
  if (tenantId !== user.tenantId) return refused('请切换到提交校验时的客户后再导入')
  if (isImported) return refused('该文件已经导入或正在导入')
  if (!hasTable) return refused('文件已超过保存期，请重新选择文件')
  return undefined
}

/**
 * Adds the job that imports the table of a finished dry run with the settings of the dry run, or requests an approval of
 * the import.
 */
export async function importCheckedTable(ctx: Ctx, { id }: ParsedOf<typeof contract.import>) {
  const found = await transact(ctx, async (db) => {
    const columns = { state: jobs.state, result: jobs.result, payload: jobs.payload, ...CHECK_COLUMNS }
    const [job] = await db
      .select(columns)
      .from(jobs)
      .where(and(eq(jobs.uid, ctx.user.uid), eq(jobs.jobId, id)))
    return job
  })
  if (!found) throw notFound('任务')
  if (!isCheck(ctx.user, found)) throw refused('该任务没有可导入的数据')
  const problem = findImportProblem(ctx.user, found)
  if (problem) throw problem
  const payload = found.payload as TransferPayload
  const definition = findImport(payload.of)!
  const { kind, name } = definition
  const input = { ...(payload.input as object), dryRun: '0' as const }
  const approvalId =
    definition.requestApproval &&
    (await definition.requestApproval(ctx, input, await readTable(ctx, payload), readCheck(found)))
  if (approvalId !== undefined) {
    await keepApproval(ctx, id, approvalId)
    return { approvalId }
  }
  ctx.audit({ bizType: kind, action: `导入${name}，共${payload.total ?? 0}行，转为后台` })
  return addTransfer(ctx, 'import', { ...payload, name, input, checkJobId: id })
}

/** Returns the result of a dry run. Jobs of earlier versions stored no additional fields. */
function readCheck({ result }: Pick<typeof jobs.$inferSelect, 'result'>): TableCheck {
  const { report, answer = {} } = result as Pick<TableCheck, 'report'> & Partial<TableCheck>
  return { report, answer }
}

async function readTable({ services }: Ctx, { file }: TransferPayload) {
  return { name: file!.name, bytes: await buffer(await services.files.openRead(file!.sha256)) }
}

/** Notes the requested approval in the job of the dry run, which then offers no import. */
const keepApproval = (ctx: Ctx, id: number, approvalId: number) =>
  transact(ctx, (db) =>
    db
      .update(jobs)
      .set({ payload: sql`${jobs.payload} || jsonb_build_object('approvalId', ${approvalId}::int)` })
      .where(eq(jobs.jobId, id)),
  )
