import { createHash } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DIRECT_IMPORT_ROWS } from '@oms/contract/core/transfer.ts'
import {
  type storageGrantFiles as calls,
  storageGrantFiles as contract,
  OWN_BATCH_MESSAGE,
  needsApproval,
} from '@oms/contract/storage/grant-file.ts'
import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, refused, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { accounts } from '#core/schema/account.ts'
import { files, jobs } from '#core/schema/system.ts'
import { receiveTable, type ReceivedTable, throwTableError } from '#core/spreadsheet/import/import.ts'
import type { TableCheck } from '#core/spreadsheet/import/lines.ts'
import { addTransfer, TABLE_MIME, storeJobFile } from '#core/spreadsheet/transfer-jobs.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { sendFile } from '#core/storage/send.ts'
import { PLATFORM_TENANT_ID, transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { ossGrantFiles } from '../schema-sales.ts'
import { readStorageSettings } from '../settings.ts'
import {
  importGrantFile,
  buildGrantCheck,
  buildGrantFileRow,
  type GrantInput,
  type GrantTotals,
  rethrowDuplicateFile,
} from './grant-file-import.ts'
import {
  buildAwaitingGrantFileCondition,
  buildVisibleGrantFileCondition,
  buildGrantFileInScopeCondition,
  GRANT_FILE_STATE,
  assertLinesInScope,
  loadSubmitter,
  listTenantsOfSerials,
  readTotals,
} from './grant-file-scope.ts'
import { readTermsOnSale } from './open-prepare.ts'

const auditors = alias(accounts, 'auditors')
const nameOf = (table: typeof accounts | typeof auditors, as: string) =>
  sql<string>`coalesce(nullif(${table.realname}, ''), ${table.account}, '')`.as(as)
/** State of a file: a file whose job ended without a result has failed. */
const STATE_NOW = sql<number>`case when ${ossGrantFiles.state} = 1 and ${jobs.state} in ('failed', 'cancelled')
  then 4 else ${ossGrantFiles.state} end`

const { problems, failedFileId, ...listColumns } = getTableColumns(ossGrantFiles)

/** Selects batches with the columns of the list. */
const selectFiles = (db: Db) =>
  db
    .select({
      ...listColumns,
      state: STATE_NOW.as('state_now'),
      createName: nameOf(accounts, 'create_name'),
      auditName: nameOf(auditors, 'audit_name'),
    })
    .from(ossGrantFiles)
    .leftJoin(jobs, eq(jobs.jobId, ossGrantFiles.jobId))
    .leftJoin(accounts, eq(accounts.uid, ossGrantFiles.createBy))
    .leftJoin(auditors, eq(auditors.uid, ossGrantFiles.auditBy))

export function listGrantFiles({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = selectFiles(db)
    .where(
      and(
        buildVisibleGrantFileCondition(user),
        contains(ossGrantFiles.fileName, input.fileName),
        input.state === undefined ? undefined : sql`${STATE_NOW} = ${input.state}`,
        input.todo === undefined ? undefined : buildAwaitingGrantFileCondition(user),
        ...within(ossGrantFiles.createTime, input.beginTime, input.endTime),
      ),
    )
    .$dynamic()
  const columns = { createTime: ossGrantFiles.createTime, devices: ossGrantFiles.devices }
  return paginate(db, rows, input, buildSort(input, columns, ossGrantFiles.id, [desc(ossGrantFiles.id)]))
}

/** Returns a batch with the report of its run. */
export async function getGrantFile({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const which = and(eq(ossGrantFiles.id, id), buildVisibleGrantFileCondition(user))
  const [row] = await selectFiles(db).where(which)
  if (!row) throw notFound('批量任务')
  const [report] = await db.select({ problems, failedFileId }).from(ossGrantFiles).where(which)
  return { row, problems: report?.problems ?? [], hasFile: report?.failedFileId ? 1 : 0 }
}

/** Sends the refused lines of a batch to every account that may see the batch. */
export async function listFailedLines({ db, user, services }: Ctx, input: ParsedOf<typeof calls.failedLines>) {
  const [batch] = await db
    .select({ failedFileId })
    .from(ossGrantFiles)
    .where(and(eq(ossGrantFiles.id, input.id), buildVisibleGrantFileCondition(user)))
  if (!batch) throw notFound('批量任务')
  const [file] = await db
    .select()
    .from(files)
    .where(eq(files.id, batch.failedFileId ?? ''))
  if (!file) throw refused('该批次没有失败明细')
  // The file contains serial numbers, which must not stay in the cache of a shared computer.
  const answer: StreamResponse = (request, reply) =>
    sendFile(request, reply, services.files, file, { 'cache-control': 'no-store' })
  return answer
}

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
      state: isApproved ? GRANT_FILE_STATE.running : GRANT_FILE_STATE.rejected,
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
    await change({ state: GRANT_FILE_STATE.waiting })
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
  const isOpen =
    found.state === GRANT_FILE_STATE.waiting ||
    (found.state === GRANT_FILE_STATE.running && (!job || isEnded(job.state)))
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

/** Returns the input with the totals of the file, and whether a second person must approve the file. */
async function countGrantFile(ctx: Ctx, input: GrantInput, table: ReceivedTable) {
  const { sns, ...counts } = await readTotals(table).catch(throwTableError)
  const { limit, tenantIds } = await transact(ctx, async (db) => ({
    limit: (await readStorageSettings(db)).twoPersonAbove,
    tenantIds: await listTenantsOfSerials(db, sns),
  }))
  const totals: GrantTotals = { ...counts, tenantIds }
  const given = { ...input, totals }
  return { given, isForApproval: needsApproval({ fileDevices: totals.devices, approvalAbove: limit }) }
}

/**
 * Returns the result of the caller's last dry run of this file with the same settings. The dry run of a long file is a
 * job.
 */
async function readJobCheck(ctx: Ctx, input: GrantInput, { bytes }: ReceivedTable): Promise<TableCheck> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const payload = JSON.stringify({ of: 'storage-grant', file: { sha256 }, input: { ...input, dryRun: '1' } })
  const isCheck = and(
    eq(jobs.uid, ctx.user.uid),
    sql`${jobs.tenantId} is not distinct from ${ctx.user.tenantId}::int`,
    eq(jobs.kind, 'import'),
    eq(jobs.state, 'done'),
    sql`${jobs.payload} @> ${payload}::jsonb`,
  )
  const [job] = await transact(ctx, (db) =>
    db.select({ result: jobs.result }).from(jobs).where(isCheck).orderBy(desc(jobs.jobId)).limit(1),
  )
  if (!job) throw refused(`超过${DIRECT_IMPORT_ROWS}行的文件请先校验，校验完成后再提交审批`)
  return job.result as TableCheck
}

/** Stores a file with the figures of its check for the approval of a second person. Returns the id of the batch. */
async function storeForApproval(ctx: Ctx, input: GrantInput, { name, bytes }: ReceivedTable, check: TableCheck) {
  if (check.report.created === 0) throw invalid('文件中没有可以开通的行', 'file')
  const checked = buildGrantCheck(check)
  const { devices, copies, listPrice } = checked
  const stored = await putBytes(ctx.services.files, bytes)
  const file = await storeJobFile(ctx, { purpose: 'import', name, mime: TABLE_MIME.xlsx, stored })
  return transactWithOperationLog(ctx, async (db) => {
    const terms = await readTermsOnSale({ ...ctx, db }, input.packageId)
    const [made] = await db
      .insert(ossGrantFiles)
      .values({
        ...buildGrantFileRow(ctx, input, terms, { name, sha256: stored.sha256 }),
        devices,
        copies,
        listPrice,
        checked,
        fileId: file.id,
        state: GRANT_FILE_STATE.waiting,
      })
      .returning({ id: ossGrantFiles.id })
      .catch(rethrowDuplicateFile)
    const bizId = made!.id
    ctx.audit({ bizType: 'storageGrantFile', bizId, action: `提交批量开通文件「${name}」，需他人审批后执行` })
    await publishFiles({ services: ctx.services, db })
    return bizId
  })
}

/** Publishes a change of batches to open lists. */
const publishFiles = ({ services, db }: Pick<Ctx, 'services' | 'db'>) =>
  services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })
