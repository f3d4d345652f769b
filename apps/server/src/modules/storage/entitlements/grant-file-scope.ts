import { buffer } from 'node:stream/consumers'
import { normalizeLine } from '@oms/contract/core/normalize-line.ts'
import { storageGrantFiles as calls, GrantLine, MAX_GRANT_FILE_ROWS } from '@oms/contract/storage/grant-file.ts'
import { and, eq, sql, type SQL } from 'drizzle-orm'
import { loadRights } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { ApiError, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import type { ReceivedTable } from '#core/spreadsheet/import/import.ts'
import { openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { createJobUser } from '#core/spreadsheet/transfer-jobs.ts'
import { buildStaffScope, transact, withoutRowSecurity, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { ossGrantFiles } from '../schema-sales.ts'

/** States of a batch. */
export const GRANT_FILE_STATE = { waiting: 0, running: 1, done: 2, rejected: 3, failed: 4 } as const

/** Counts the lines and the different serial numbers of a table. Refuses a table with more lines than a file may have. */
export async function readTotals({ bytes, name }: ReceivedTable) {
  const { header, rows, close } = await openTableInThread(bytes, name, { maxRows: MAX_GRANT_FILE_ROWS + 1 })
  try {
    const fields = matchHeaderFields(
      { schema: GrantLine, columns: ['sn', 'channel', 'copies'], required: ['sn'] },
      header,
    )
    const snAt = fields.indexOf('sn')
    const sns = new Set<string>()
    let lines = 0
    for await (const { cells } of rows) {
      lines += 1
      if (lines > MAX_GRANT_FILE_ROWS) throw invalid(`一次最多导入${MAX_GRANT_FILE_ROWS}行`, 'file')
      sns.add(normalizeLine(cells[snAt] ?? ''))
    }
    return { lines, devices: sns.size, sns: [...sns] }
  } finally {
    close()
  }
}

/** Returns the tenants of the devices with these serial numbers; 0 for serial numbers without a device. */
export async function listTenantsOfSerials(db: Db, sns: readonly string[]) {
  const { rows } = await db.execute<{ id: number }>(sql`select distinct coalesce(d.tenant_id, 0) as id
    from unnest(${sql.param([...sns])}::text[]) s(sn) left join devices d on d.sn = s.sn and d.deleted_at is null
    order by 1`)
  return rows.map(({ id }) => id)
}

/**
 * Throws when limited platform staff decides on a batch with a device outside its data scope. Reads the tenants of the
 * devices again, because a device may have moved after the batch was sent.
 */
export async function assertLinesInScope(ctx: Pick<Ctx, 'services' | 'user'>, id: number) {
  const { services, user } = ctx
  const { tenants } = user.scope
  if (!user.isPlatform || tenants === 'all') return
  const [stored] = await transact(ctx, (db) =>
    db
      .select({ name: ossGrantFiles.fileName, sha256: files.sha256 })
      .from(ossGrantFiles)
      .innerJoin(files, eq(files.id, ossGrantFiles.fileId))
      .where(and(eq(ossGrantFiles.id, id), buildGrantFileInScopeCondition(user))),
  )
  // `reviewGrantFile` later refuses an invisible batch, and refuses to approve a batch whose file was deleted.
  if (!stored) return
  const { sns } = await readTotals({
    name: stored.name,
    bytes: await buffer(await services.files.openRead(stored.sha256)),
  })
  const concerned = await transact(ctx, (db) => listTenantsOfSerials(db, sns))
  if (concerned.some((tenantId) => !tenants.includes(tenantId))) throw refused('该批次涉及您数据范围之外的设备')
}

/**
 * Returns the account that sent a batch, with its current rights. Its data scope limits the devices that the approved
 * batch opens. Throws when the account lost the permission to import. Reads without row-level security, because staff of
 * the platform can send a batch of a tenant.
 */
export async function loadSubmitter(
  ctx: Pick<Ctx, 'db'> & { readonly user: User | null },
  { createBy, tenantId }: Pick<typeof ossGrantFiles.$inferSelect, 'createBy' | 'tenantId'>,
): Promise<User> {
  const rights = await withoutRowSecurity(ctx, async (db) =>
    createBy === null ? undefined : await loadRights(db, createBy),
  )
  try {
    return createJobUser(rights, tenantId, calls.import.access)
  } catch (error) {
    throw error instanceof ApiError ? refused('提交人已没有批量开通的权限，请驳回后重新导入') : error
  }
}

/**
 * Returns the condition for batch grants of the platform whose devices all belong to the tenants of limited platform
 * staff. Batches of tenants contain only their own devices and need no check. An account always sees its own batches.
 */
export function buildGrantFileInScopeCondition(user: User): SQL | undefined {
  const tenants = buildStaffScope(user)
  const { tenantId, createBy, tenantIds } = ossGrantFiles
  return (
    tenants && sql`(${tenantId} <> ${PLATFORM_TENANT_ID} or ${createBy} = ${user.uid} or ${tenantIds} <@ ${tenants})`
  )
}

/** Returns the condition for the batch grants in the data scope of an account. */
export const buildVisibleGrantFileCondition = (user: User) =>
  and(
    scoped(user, { tenant: ossGrantFiles.tenantId, creator: ossGrantFiles.createBy }),
    buildGrantFileInScopeCondition(user),
  )

/**
 * Returns the condition for batch grants that wait for the account's decision: batches of its tenant that another
 * account sent.
 */
export const buildAwaitingGrantFileCondition = (user: User): SQL | undefined =>
  and(
    buildVisibleGrantFileCondition(user),
    eq(ossGrantFiles.state, GRANT_FILE_STATE.waiting),
    eq(ossGrantFiles.tenantId, user.tenantId ?? PLATFORM_TENANT_ID),
    sql`${ossGrantFiles.createBy} is distinct from ${user.uid}`,
  )
