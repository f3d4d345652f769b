import { MAX_ALLOTTED_CERTIFICATES } from '@oms/contract/license/license-rows.ts'
import { listUidSpellings, maskUid } from '@oms/contract/license/license-uid.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forbidden, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { applyLicenseStep } from '../steps.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { licenses } from '../schema.ts'
import { addLedgerEntry, grantCovers, LEDGER_KIND, listGrantsInForce, type StoredGrant } from '../license-ledger.ts'
import { createStepContext } from '../license-rows.ts'

/** A certificate selected for allotment. */
export interface PickedCertificate {
  readonly id: number
  readonly typeCode: string
  readonly modelId: number | null
}
export interface CertificateSelection {
  readonly mode: number
  readonly vendor?: number | undefined
  readonly typeCode?: string | undefined
  readonly modelId?: number | undefined
  readonly count?: number | undefined
  readonly first?: string | undefined
  readonly last?: string | undefined
  readonly batchId?: number | undefined
}

/** Returns the receiving tenant. Only staff of the vendor may allot certificates. */
export function requireAllotmentTenant(ctx: Pick<Ctx, 'db' | 'user'>, tenantId: number) {
  const { user } = ctx
  if (!user.isPlatform || user.scope.tenants !== 'all') throw forbidden()
  return requireReceivingTenant(ctx, tenantId, 'tenantId')
}

/** Returns the condition for the selected certificates, in whatever state. */
export async function buildSelectionFilter(db: Db, given: CertificateSelection): Promise<SQL> {
  const narrowed = and(
    given.vendor === undefined ? undefined : eq(licenses.vendor, given.vendor),
    given.typeCode === undefined ? undefined : eq(licenses.typeCode, given.typeCode),
    given.modelId === undefined ? undefined : eq(licenses.modelId, given.modelId),
    given.batchId === undefined ? undefined : eq(licenses.batchId, given.batchId),
  )
  if (given.mode !== 2) return narrowed ?? sql`false`
  const first = await findCertificate(db, given.first ?? '', 'first')
  const last = await findCertificate(db, given.last ?? '', 'last')
  if (first.vendor !== last.vendor) throw invalid('起止 UID 不属于同一厂商', 'last')
  if (first.uid > last.uid) throw invalid('结束 UID 不能小于起始 UID', 'last')
  const inside = sql`${licenses.uid} between ${first.uid} and ${last.uid} and ${licenses.vendor} = ${first.vendor}`
  return and(inside, narrowed) ?? inside
}

async function findCertificate(db: Db, uid: string, field: string) {
  const [found] = await db
    .select({ uid: licenses.uid, vendor: licenses.vendor })
    .from(licenses)
    .where(sql`${licenses.uid} = any(${sql.param(listUidSpellings(uid))}::text[])`)
    .limit(1)
  if (!found) throw invalid('UID 不存在', field)
  return found
}

/** Locks the selected certificates in stock, oldest first. Skips certificates that another allotment has locked. */
export async function lockStockCertificates(db: Db, given: CertificateSelection): Promise<PickedCertificate[]> {
  const limit = given.mode === 1 ? (given.count ?? 0) : MAX_ALLOTTED_CERTIFICATES + 1
  const picks = await db
    .select({ id: licenses.id, typeCode: licenses.typeCode, modelId: licenses.modelId })
    .from(licenses)
    .where(and(eq(licenses.state, 0), await buildSelectionFilter(db, given)))
    .orderBy(licenses.id)
    .limit(limit)
    .for('update', { skipLocked: true })
  if (given.mode === 1 && picks.length < limit) throw invalid(`库存不足，当前可分配${picks.length}个`, 'count')
  if (picks.length === 0) throw refused('所选范围内没有可分配的库存证书')
  if (picks.length > MAX_ALLOTTED_CERTIFICATES) throw refused(`一次最多分配${MAX_ALLOTTED_CERTIFICATES}个，请缩小范围`)
  return picks
}

interface Allotment {
  readonly tenantId: number
  readonly picks: readonly PickedCertificate[]
  readonly reason: string
  /** True when no grant is charged. */
  readonly free: boolean
}

/** Allots locked certificates to a tenant and charges its grants. Throws unless the grants cover all certificates. */
export async function allotCertificates(
  ctx: Pick<Ctx, 'db' | 'user' | 'now'>,
  { tenantId, picks, reason, free }: Allotment,
) {
  const charges = free
    ? [{ grant: undefined, ids: picks.map(({ id }) => id) }]
    : await assignGrants(ctx.db, tenantId, picks, { locked: true })
  for (const { grant, ids } of charges) {
    const why = free ? `免授权分配：${reason}` : [`授权 ${grant?.grantNo}`, reason].filter(Boolean).join('，')
    await applyLicenseStep(createStepContext(ctx, why), 'allot', ids, { tenantId, grantId: grant?.id ?? null })
    if (grant)
      await addLedgerEntry(
        ctx,
        grant,
        { used: grant.used + ids.length },
        { kind: LEDGER_KIND.allot, reason: reason || '分配证书' },
      )
  }
}

/** Throws like `allotCertificates` unless the grants of a tenant cover all certificates. Locks and writes no row. */
export async function assertGrantsCover(db: Db, tenantId: number, picks: readonly PickedCertificate[]) {
  await assignGrants(db, tenantId, picks, { locked: false })
}

/** Assigns each certificate to the grant that pays. `locked` locks the grants, which a charge requires. */
async function assignGrants(
  db: Db,
  tenantId: number,
  picks: readonly PickedCertificate[],
  { locked }: { readonly locked: boolean },
) {
  const types = [...new Set(picks.map(({ typeCode }) => typeCode))]
  const grants = await listGrantsInForce(db, tenantId, types, locked)
  const charges = new Map<StoredGrant, number[]>()
  const uncovered = new Map<string, number>()
  // Grants for one model are charged before grants for any model.
  const byNeed = grants.toSorted((a, b) => Number(a.modelId === null) - Number(b.modelId === null))
  for (const { id, typeCode, modelId } of picks) {
    const grant = byNeed.find(
      (each) => grantCovers(each, typeCode, modelId) && each.quota - each.used > (charges.get(each)?.length ?? 0),
    )
    if (!grant) uncovered.set(typeCode, (uncovered.get(typeCode) ?? 0) + 1)
    else if (charges.has(grant)) charges.get(grant)!.push(id)
    else charges.set(grant, [id])
  }
  if (uncovered.size > 0) {
    const [[typeCode, n]] = [...uncovered] as [[string, number]]
    const some = grants.some((grant) => grant.typeCode === typeCode)
    throw refused(
      some
        ? `「${typeCode}」的授权余额不足，还差${n}个，请先增加额度或申请授权`
        : `客户没有「${typeCode}」的有效授权，请先申请授权`,
    )
  }
  return [...charges].map(([grant, ids]) => ({ grant, ids }))
}

export const maskOptionalUid = (uid: string | null | undefined) => (uid ? maskUid(uid) : '')
