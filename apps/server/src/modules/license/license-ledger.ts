import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenseGrants, licenseLedger } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StoredLicense } from './license-rows.ts'

export type StoredGrant = typeof licenseGrants.$inferSelect
type LedgerCtx = Pick<Ctx, 'db' | 'user' | 'now'>

export const LEDGER_KIND = { issue: 1, add: 2, allot: 3, returnQuota: 4, revoke: 5 } as const
export const GRANT_STATUS_CODE = {
  pending: 0,
  effective: 1,
  exhausted: 2,
  expired: 3,
  revoked: 4,
  rejected: 5,
} as const

/** Writes the change of a grant and its ledger entry. The caller holds the lock of the grant's row. */
export async function addLedgerEntry(
  { db, user, now }: LedgerCtx,
  grant: StoredGrant,
  next: { quota?: number; used?: number; status?: number; validTo?: string },
  line?: { kind: number; reason: string },
) {
  const quota = next.quota ?? grant.quota
  const used = next.used ?? grant.used
  const status = next.status ?? statusAfter(grant.status, quota - used)
  const at = now.toISOString()
  await db
    .update(licenseGrants)
    .set({ ...next, quota, used, status, rev: grant.rev + 1, updateBy: user.uid, updateTime: at })
    .where(eq(licenseGrants.id, grant.id))
  if (!line) return
  const before = line.kind === LEDGER_KIND.issue ? 0 : grant.quota - grant.used
  await db.insert(licenseLedger).values({
    grantId: grant.id,
    tenantId: grant.tenantId,
    kind: line.kind,
    amount: quota - used - before,
    balance: quota - used,
    uid: user.uid,
    operName: user.realname || user.account,
    reason: line.reason.slice(0, 200),
    createTime: at,
  })
}

/** Returns the status of a grant by its remaining quota: in force or used up. */
function statusAfter(status: number, remaining: number) {
  if (status !== GRANT_STATUS_CODE.effective && status !== GRANT_STATUS_CODE.exhausted) return status
  return remaining > 0 ? GRANT_STATUS_CODE.effective : GRANT_STATUS_CODE.exhausted
}

/** Returns the tenant's grants in force for a type, ordered by end date. */
export async function listGrantsInForce(db: Db, tenantId: number, types: readonly string[], locked = false) {
  if (types.length === 0) return []
  const query = db
    .select()
    .from(licenseGrants)
    .where(
      and(
        eq(licenseGrants.tenantId, tenantId),
        inArray(licenseGrants.typeCode, [...types]),
        eq(licenseGrants.status, GRANT_STATUS_CODE.effective),
        sql`current_date between ${licenseGrants.validFrom} and ${licenseGrants.validTo}`,
      ),
    )
    // Locks in the order of primary keys, which prevents deadlocks.
    .orderBy(asc(licenseGrants.id))
  const found = await (locked ? query.for('update') : query)
  return found.toSorted((a, b) => a.validTo.localeCompare(b.validTo) || a.id - b.id)
}

export const grantCovers = (grant: StoredGrant, typeCode: string, modelId: number | null) =>
  grant.typeCode === typeCode && (grant.modelId === null || grant.modelId === modelId)

/** Credits grants for certificates that return to stock. */
export async function returnQuota(ctx: LedgerCtx, list: readonly StoredLicense[], reason: string) {
  const counts = new Map<number, number>()
  for (const { grantId } of list) if (grantId !== null) counts.set(grantId, (counts.get(grantId) ?? 0) + 1)
  if (counts.size === 0) return
  const grants = await ctx.db
    .select()
    .from(licenseGrants)
    .where(inArray(licenseGrants.id, [...counts.keys()]))
    .orderBy(asc(licenseGrants.id))
    .for('update')
  for (const grant of grants) {
    const n = counts.get(grant.id) ?? 0
    await addLedgerEntry(
      ctx,
      grant,
      { used: grant.used - n },
      { kind: LEDGER_KIND.returnQuota, reason: `${reason}，${n}个` },
    )
  }
}
