import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DIRECT_IMPORT_ROWS } from '@oms/contract/core/transfer.ts'
import {
  type storageGrantFiles as calls,
  storageGrantFiles as contract,
  OWN_BATCH_MESSAGE,
} from '@oms/contract/storage/grant-file.ts'
import { and, eq, getTableColumns } from 'drizzle-orm'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { receiveTable } from '#core/spreadsheet/import/import.ts'
import { addTransfer } from '#core/spreadsheet/transfer-jobs.ts'
import { PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { buildGrantFileInScopeCondition, WAITING } from '../visible-grant-files.ts'
import { ossGrantFiles } from '../schema-grant.ts'
import { files, jobs } from '#core/schema/system.ts'
import { countGrantFile, publishFiles, readJobCheck, storeForApproval } from './grant-file-approval.ts'
import { importGrantFile } from './grant-file-import.ts'
import { assertLinesInScope, loadSubmitter } from './grant-file-scope.ts'

const STATE = { waiting: WAITING, running: 1, done: 2, rejected: 3, failed: 4 } as const

/** Opens by a file, plans it, or stores it for approval by a second person. */
export async function uploadGrantFile(ctx: Ctx, input: ParsedOf<typeof calls.import>) {
  const table = await receiveTable(ctx, contract.import)
  const { given, isForApproval } = await countGrantFile(ctx, input, table)
  if (input.dryRun === '1' || !isForApproval) return importGrantFile.takeTable(ctx, given, table)
  const check =
    given.totals.lines > DIRECT_IMPORT_ROWS
      ? await readJobCheck(ctx, input, table)
      : await importGrantFile.checkTable(ctx, given, table)
  return { grantFileId: await storeForApproval(ctx, given, table, check) }
}

/**
 * Approves or rejects a file. An approved file is executed as a job of the approver, with the data scope of the account
 * that sent the file.
 */
export async function reviewGrantFile(ctx: Ctx, input: ParsedOf<typeof calls.audit>) {
  const { user, now } = ctx
  const isApproved = input.pass === 1
  await assertLinesInScope(ctx, input.id)
  const decided = await transact(ctx, async (db) => {
    const file = await openFile({ ...ctx, db }, input)
    if (isApproved) await loadSubmitter({ ...ctx, db }, file)
    const change = {
      state: isApproved ? STATE.running : STATE.rejected,
      jobId: null,
      auditBy: user.uid,
      auditTime: now.toISOString(),
      auditRemark: input.auditRemark,
      ...updateColumns(file, user.uid, now),
    }
    await db.update(ossGrantFiles).set(change).where(eq(ossGrantFiles.id, file.id))
    const verb = isApproved ? '同意' : '驳回'
    ctx.audit({ bizType: 'storageGrantFile', bizId: input.id, action: `${verb}批量开通文件「${file.fileName}」` })
    // The job of an approved file is added afterwards, and takes the approval back when it cannot be added.
    if (!isApproved) await ctx.recordIn(db)
    await publishFiles({ services: ctx.services, db })
    return file
  })
  return { jobId: isApproved ? await runFile(ctx, decided) : null }
}

/** Adds the job of an approved file. A file without a job waits for approval again. */
async function runFile(ctx: Ctx, file: typeof ossGrantFiles.$inferSelect) {
  const change = (values: { state: number } | { jobId: number }) =>
    transact(ctx, (db) => db.update(ossGrantFiles).set(values).where(eq(ossGrantFiles.id, file.id)))
  try {
    const jobId = await addGrantJob(ctx, file)
    await change({ jobId })
    return jobId
  } catch (error) {
    await change({ state: STATE.waiting })
    throw error
  }
}

/** Returns the locked file of the caller's tenant, which waits for approval or whose job failed. */
async function openFile({ db, user }: Ctx, { id, rev }: Pick<ParsedOf<typeof calls.audit>, 'id' | 'rev'>) {
  const [found] = await db
    .select({ ...getTableColumns(ossGrantFiles) })
    .from(ossGrantFiles)
    .where(
      and(
        eq(ossGrantFiles.id, id),
        eq(ossGrantFiles.tenantId, user.tenantId ?? PLATFORM_TENANT_ID),
        buildGrantFileInScopeCondition(user),
      ),
    )
    .for('update')
  if (!found) throw notFound('批量任务')
  await checkRevision(db, found, rev)
  const [job] = found.jobId === null ? [] : await db.select().from(jobs).where(eq(jobs.jobId, found.jobId))
  const isOpen = found.state === STATE.waiting || (found.state === STATE.running && (!job || isEnded(job.state)))
  if (!isOpen) throw refused('该批次已处理')
  if (found.createBy === user.uid) throw refused(OWN_BATCH_MESSAGE)
  return found
}

const isEnded = (state: string | undefined) => state === 'failed' || state === 'cancelled'

async function addGrantJob(ctx: Ctx, stored: typeof ossGrantFiles.$inferSelect) {
  const { id, fileId, fileName, lines, devices, tenantIds } = stored
  const { packageId, effectMode, source, amount, reason } = stored
  const [file] = await transact(ctx, (db) =>
    db
      .select({ sha256: files.sha256 })
      .from(files)
      .where(eq(files.id, fileId ?? '')),
  )
  if (!file) throw refused('文件已超过保存期，请驳回后重新导入')
  const input = { packageId, effectMode, source, amount, reason, dryRun: '0', grantFileId: id }
  const payload = { input: { ...input, totals: { lines, devices, tenantIds } }, total: lines }
  const { jobId } = await addTransfer(ctx, 'import', {
    of: 'storage-grant',
    name: '云存开通',
    ...payload,
    file: { id: fileId ?? '', name: fileName, sha256: file.sha256 },
  })
  return jobId
}
