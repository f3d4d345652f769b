import type { storageGrantFiles as calls } from '@oms/contract/storage/grant-file.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendFile } from '#core/storage/send.ts'
import { buildAwaitingGrantFileCondition, buildVisibleGrantFileCondition } from '../visible-grant-files.ts'
import { accounts } from '#core/schema/account.ts'
import { ossGrantFiles } from '../schema-grant.ts'
import { files, jobs } from '#core/schema/system.ts'

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
