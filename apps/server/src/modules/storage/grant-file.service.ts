import { createHash } from 'node:crypto'
import { GRANT_FILE_ROWS, GrantLine, storageGrantFiles as contract } from '@oms/contract/storage/grant-file.ts'
import type { storageGrantFiles as calls } from '@oms/contract/storage/grant-file.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { contains, orderOf, paginate, within } from '#core/database/list-query.ts'
import { checkRevision, touched } from '#core/database/optimistic-lock.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { fieldsOf } from '#core/spreadsheet/header.ts'
import { receiveTable, type ReceivedTable } from '#core/spreadsheet/import.ts'
import { throwTableError } from '#core/spreadsheet/read-incoming.ts'
import { TABLE_MIME } from '#core/spreadsheet/send-table.ts'
import { openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { addTransfer, storeJobFile } from '#core/spreadsheet/transfer-jobs.ts'
import { PLATFORM_TENANT_ID, scoped, transact } from '#core/tenancy/tenancy.ts'
import { readStorageSettings } from '#domain/storage/settings.ts'
import { accounts } from '#schema/account.ts'
import { ossGrantFiles } from '#schema/storage-grant.ts'
import { files, jobs } from '#schema/system.ts'
import {
  fileRow,
  type GrantInput,
  grantImport,
  type GrantTotals,
  needsApproval,
  sameFile,
} from './grant-file-import.ts'
import { termsOnSale } from './open-prepare.ts'

const STATE = { waiting: 0, running: 1, done: 2, rejected: 3, failed: 4 } as const

const visibleFiles = (user: User) => scoped(user, { tenant: ossGrantFiles.tenantId, creator: ossGrantFiles.createBy })
const auditors = alias(accounts, 'auditors')
const nameOf = (table: typeof accounts | typeof auditors, as: string) =>
  sql<string>`coalesce(nullif(${table.realname}, ''), ${table.account}, '')`.as(as)
/** State of a file: a file whose job ended without a result has failed. */
const STATE_NOW = sql<number>`case when ${ossGrantFiles.state} = 1 and ${jobs.state} in ('failed', 'cancelled')
  then 4 else ${ossGrantFiles.state} end`

export function list({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = db
    .select({
      ...getTableColumns(ossGrantFiles),
      state: STATE_NOW.as('state_now'),
      createName: nameOf(accounts, 'create_name'),
      auditName: nameOf(auditors, 'audit_name'),
    })
    .from(ossGrantFiles)
    .leftJoin(jobs, eq(jobs.jobId, ossGrantFiles.jobId))
    .leftJoin(accounts, eq(accounts.uid, ossGrantFiles.createBy))
    .leftJoin(auditors, eq(auditors.uid, ossGrantFiles.auditBy))
    .where(
      and(
        visibleFiles(user),
        contains(ossGrantFiles.fileName, input.fileName),
        input.state === undefined ? undefined : sql`${STATE_NOW} = ${input.state}`,
        ...within(ossGrantFiles.createTime, input.beginTime, input.endTime),
      ),
    )
    .$dynamic()
  const columns = { createTime: ossGrantFiles.createTime, devices: ossGrantFiles.devices }
  return paginate(db, rows, input, orderOf(input, columns, ossGrantFiles.id, [desc(ossGrantFiles.id)]))
}

/** Opens by a file, plans it, or stores it for approval by a second person. */
export async function importFile(ctx: Ctx, input: ParsedOf<typeof calls.import>) {
  const table = await receiveTable(ctx, contract.import)
  const totals = await totalsOf(table).catch(throwTableError)
  const given: GrantInput = { ...input, totals }
  const limit = await transact(ctx, async (db) => (await readStorageSettings(db)).twoPersonAbove)
  if (input.dryRun === '0' && needsApproval(limit, totals.devices)) return storeForApproval(ctx, given, table)
  return grantImport.takeTable(ctx, given, table)
}

/** Counts lines, serial numbers and copies of a table. Invalid lines count one copy. */
async function totalsOf({ bytes, name }: ReceivedTable): Promise<GrantTotals> {
  const { header, rows, close } = await openTableInThread(bytes, name, { maxRows: GRANT_FILE_ROWS + 1 })
  try {
    const fields = fieldsOf({ schema: GrantLine, columns: ['sn', 'channel', 'copies'], required: ['sn'] }, header)
    const [snAt, copiesAt] = [fields.indexOf('sn'), fields.indexOf('copies')]
    const sns = new Set<string>()
    let [lines, copies] = [0, 0]
    for await (const { cells } of rows) {
      lines += 1
      sns.add((cells[snAt] ?? '').trim())
      copies += Math.min(36, Math.max(1, Math.floor(Number(cells[copiesAt])) || 1))
    }
    return { lines, devices: sns.size, copies }
  } finally {
    close()
  }
}

async function storeForApproval(ctx: Ctx, input: GrantInput, { name, bytes }: ReceivedTable) {
  if (input.totals && input.totals.lines > GRANT_FILE_ROWS) throw invalid(`一次最多导入${GRANT_FILE_ROWS}行`, 'file')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const stored = await ctx.services.files.put(once(bytes))
  const file = await storeJobFile(ctx, { purpose: 'import', name, mime: TABLE_MIME.xlsx, stored })
  const id = await transact(ctx, async (db) => {
    const terms = await termsOnSale({ ...ctx, db }, input.packageId)
    const [made] = await db
      .insert(ossGrantFiles)
      .values({ ...fileRow(ctx, input, terms, { name, sha256 }), fileId: file.id, state: STATE.waiting })
      .returning({ id: ossGrantFiles.id })
      .catch(sameFile)
    await publishFiles({ services: ctx.services, db })
    return made!.id
  })
  ctx.audit({ bizType: 'storageGrantFile', bizId: id, action: `提交批量开通文件「${name}」，需他人审批后执行` })
  return { grantFileId: id }
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

const publishFiles = ({ services, db }: Pick<Ctx, 'services' | 'db'>) =>
  services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })

/** Approves or rejects a file. An approved file is executed as a job of the approver. */
export async function audit(ctx: Ctx, input: ParsedOf<typeof calls.audit>) {
  const { user, now } = ctx
  const isApproved = input.pass === 1
  const decided = await transact(ctx, async (db) => {
    const file = await openFile({ ...ctx, db }, input)
    const change = {
      state: isApproved ? STATE.running : STATE.rejected,
      jobId: null,
      auditBy: user.uid,
      auditTime: now.toISOString(),
      auditRemark: input.auditRemark,
      ...touched(file, user.uid, now),
    }
    await db.update(ossGrantFiles).set(change).where(eq(ossGrantFiles.id, file.id))
    await publishFiles({ services: ctx.services, db })
    return file
  })
  const jobId = isApproved ? await runFile(ctx, decided) : null
  const verb = isApproved ? '同意' : '驳回'
  ctx.audit({ bizType: 'storageGrantFile', bizId: input.id, action: `${verb}批量开通文件「${decided.fileName}」` })
  return { jobId }
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
    .where(and(eq(ossGrantFiles.id, id), eq(ossGrantFiles.tenantId, user.tenantId ?? PLATFORM_TENANT_ID)))
    .for('update')
  if (!found) throw notFound('批量任务')
  await checkRevision(db, found, rev)
  const [job] = found.jobId === null ? [] : await db.select().from(jobs).where(eq(jobs.jobId, found.jobId))
  const isOpen = found.state === STATE.waiting || (found.state === STATE.running && (!job || isEnded(job.state)))
  if (!isOpen) throw refused('该批次已处理')
  if (found.createBy === user.uid) throw refused('不能审批自己提交的批次，请由其他人审批')
  return found
}

const isEnded = (state: string | undefined) => state === 'failed' || state === 'cancelled'

async function addGrantJob(ctx: Ctx, stored: typeof ossGrantFiles.$inferSelect) {
  const { id, fileId, fileName, lines, devices, copies, packageId, effectMode, source, amount, reason } = stored
  const [file] = await transact(ctx, (db) =>
    db
      .select({ sha256: files.sha256 })
      .from(files)
      .where(eq(files.id, fileId ?? '')),
  )
  if (!file) throw refused('文件已超过保存期，请驳回后重新导入')
  const input = { packageId, effectMode, source, amount, reason, dryRun: '0', grantFileId: id }
  const payload = { input: { ...input, totals: { lines, devices, copies } }, total: lines }
  const { jobId } = await addTransfer(ctx, 'import', {
    of: 'storage-grant',
    name: '云存开通',
    ...payload,
    file: { id: fileId ?? '', name: fileName, sha256: file.sha256 },
  })
  return jobId
}
