import { createHash } from 'node:crypto'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { TABLE_MIME } from '#core/spreadsheet/export/send-table.ts'
import type { TableCheck } from '#core/spreadsheet/import/definition.ts'
import type { ReceivedTable } from '#core/spreadsheet/import/import.ts'
import { throwTableError } from '#core/spreadsheet/import/read-incoming.ts'
import { storeJobFile } from '#core/spreadsheet/transfer-jobs.ts'
import { transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { putBytes } from '#core/storage/put-bytes.ts'
import { readStorageSettings } from '#domain/storage/settings.ts'
import { WAITING } from '#domain/storage/visible-grant-files.ts'
import { ossGrantFiles } from '#schema/storage-grant.ts'
import { buildGrantCheck } from './grant-file-plan.ts'
import {
  buildGrantFileRow,
  type GrantInput,
  type GrantTotals,
  needsApproval,
  rethrowDuplicateFile,
} from './grant-file-row.ts'
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
  return { given, isForApproval: needsApproval(limit, totals.devices) }
}

/**
 * Stores a checked file for approval when its number of devices requires one, or required one during the check. Returns
 * the id of the batch; undefined when the file can be executed.
 */
export async function requestApproval(ctx: Ctx, input: GrantInput, table: ReceivedTable, check: TableCheck) {
  const { given, isForApproval } = await countGrantFile(ctx, input, table)
  return isForApproval || check.report.needsApproval ? storeForApproval(ctx, given, table, check) : undefined
}

/** Stores a file with the figures of its check for the approval of a second person. Returns the id of the batch. */
export async function storeForApproval(ctx: Ctx, input: GrantInput, { name, bytes }: ReceivedTable, check: TableCheck) {
  if (check.report.created === 0) throw invalid('文件中没有可以开通的行', 'file')
  const checked = buildGrantCheck(check)
  const { devices, copies, listPrice } = checked
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const stored = await putBytes(ctx.services.files, bytes)
  const file = await storeJobFile(ctx, { purpose: 'import', name, mime: TABLE_MIME.xlsx, stored })
  return transactWithOperationLog(ctx, async (db) => {
    const terms = await readTermsOnSale({ ...ctx, db }, input.packageId)
    const [made] = await db
      .insert(ossGrantFiles)
      .values({
        ...buildGrantFileRow(ctx, input, terms, { name, sha256 }),
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
