import { createHash } from 'node:crypto'
import { DIRECT_IMPORT_ROWS } from '@oms/contract/core/transfer.ts'
import { needsApproval } from '@oms/contract/storage/grant-file.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { TABLE_MIME, storeJobFile } from '#core/spreadsheet/transfer-jobs.ts'
import type { TableCheck } from '#core/spreadsheet/import/lines.ts'
import { type ReceivedTable, throwTableError } from '#core/spreadsheet/import/import.ts'
import { transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { readStorageSettings } from '../settings.ts'
import { WAITING } from '../visible-grant-files.ts'
import { ossGrantFiles } from '../schema-grant.ts'
import { jobs } from '#core/schema/system.ts'
import { buildGrantCheck } from './grant-file-plan.ts'
import { buildGrantFileRow, type GrantInput, type GrantTotals, rethrowDuplicateFile } from './grant-file-row.ts'
import { listTenantsOfSerials, readTotals } from './grant-file-scope.ts'
import { readTermsOnSale } from './open-prepare.ts'

/** Returns the input with the totals of the file, and whether a second person must approve the file. */
export async function countGrantFile(ctx: Ctx, input: GrantInput, table: ReceivedTable) {
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
export async function readJobCheck(ctx: Ctx, input: GrantInput, { bytes }: ReceivedTable): Promise<TableCheck> {
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
export async function storeForApproval(ctx: Ctx, input: GrantInput, { name, bytes }: ReceivedTable, check: TableCheck) {
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
        state: WAITING,
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
export const publishFiles = ({ services, db }: Pick<Ctx, 'services' | 'db'>) =>
  services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })
