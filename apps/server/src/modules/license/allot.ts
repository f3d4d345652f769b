import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { textLine } from '@oms/contract/core/fields.ts'
import { type AllotPlan, MAX_ALLOTTED_CERTIFICATES, LicenseRow } from '@oms/contract/license/license-rows.ts'
import { LICENSE_STATE } from '@oms/contract/license/license-state.ts'
import { listUidSpellings, maskUid } from '@oms/contract/license/license-uid.ts'
import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { eq, sql, and, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { invalid, refused, forbidden, type ApiError, conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import type { ImportCtx } from '#core/spreadsheet/import/lines.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { listGrantsInForce, grantCovers, addLedgerEntry, LEDGER_KIND, type StoredGrant } from './grant.ts'
import { applyLicenseStep } from './license-step.ts'
import { publishLicensesChanged, createStepContext } from './license.ts'
import { licenseBatches, licenses } from './schema.ts'

interface Group extends Record<string, unknown> {
  typeCode: string
  modelId: number | null
  modelName: string
  count: number
}

/** Returns the certificates that would be allotted and whether the tenant's grants cover them. Changes nothing. */
export async function planAllotment(ctx: Ctx, input: ParsedOf<typeof calls.plan>): Promise<AllotPlan> {
  const { db } = ctx
  const tenant = await requireAllotmentTenant(ctx, input.tenantId)
  const which = await buildSelectionFilter(db, input)
  const limit = input.mode === 1 ? (input.count ?? 0) : MAX_ALLOTTED_CERTIFICATES + 1
  const picked = sql`(select ${licenses.id}, ${licenses.uid}, ${licenses.typeCode}, ${licenses.modelId}, ${licenses.batchId}
    from ${licenses} where ${eq(licenses.state, 0)} and ${which} order by ${licenses.id} limit ${limit}) as p`
  const { rows: groups } = await db.execute<Group>(sql`
    select p.type_code as "typeCode", p.model_id as "modelId", coalesce(max(m.model_name), '') as "modelName", count(*)::int as count
    from ${picked} left join device_models m on m.id = p.model_id group by 1, 2 order by 1, 2`)
  const { rows: ends } = await db.execute<{ first: string | null; last: string | null }>(
    sql`select min(p.uid) as first, max(p.uid) as last from ${picked}`,
  )
  const { rows: batches } = await db.execute<{ batchNo: string; count: number }>(sql`
    select b.batch_no as "batchNo", count(*)::int as count from ${picked} join ${licenseBatches} b on b.id = p.batch_id
    group by 1 order by min(p.id) limit 20`)
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  if (count > MAX_ALLOTTED_CERTIFICATES) throw refused(`一次最多分配${MAX_ALLOTTED_CERTIFICATES}个，请缩小范围`)
  if (input.mode === 1 && count < limit) throw invalid(`库存不足，当前可分配${count}个`, 'count')
  const total = input.mode === 1 ? count : await db.$count(licenses, which)
  return {
    count,
    skipped: total - count,
    firstUid: maskOptionalUid(ends[0]?.first),
    lastUid: maskOptionalUid(ends[0]?.last),
    tenantName: tenant.name,
    batches,
    ...(await coverage(ctx, input.tenantId, groups)),
  }
}

/** Compares the groups with the grants by the rules of `allotCertificates`. */
async function coverage({ db }: Ctx, tenantId: number, groups: readonly Group[]) {
  const grants = await listGrantsInForce(db, tenantId, [...new Set(groups.map(({ typeCode }) => typeCode))])
  const left = new Map(grants.map((grant) => [grant, grant.quota - grant.used]))
  const byNeed = grants.toSorted((a, b) => Number(a.modelId === null) - Number(b.modelId === null))
  let covered = groups.length > 0
  const shown = groups.map(({ typeCode, modelId, modelName, count }) => {
    const mine = byNeed.filter((grant) => grantCovers(grant, typeCode, modelId))
    const remaining = mine.length === 0 ? null : mine.reduce((sum, grant) => sum + (left.get(grant) ?? 0), 0)
    let open = count
    for (const grant of mine) {
      const taken = Math.min(open, left.get(grant) ?? 0)
      left.set(grant, (left.get(grant) ?? 0) - taken)
      open -= taken
    }
    if (open > 0) covered = false
    return { typeCode, modelName, count, remaining, grantNos: mine.map(({ grantNo }) => grantNo) }
  })
  return { groups: shown, covered }
}

interface Request extends CertificateSelection {
  readonly tenantId: number
  readonly expect?: number | undefined
  readonly reason: string
}

async function allotted(ctx: Ctx, input: Request, free: boolean) {
  const { db } = ctx
  const tenant = await requireAllotmentTenant(ctx, input.tenantId)
  const picks = await lockStockCertificates(db, input)
  if (input.expect !== undefined && input.expect !== picks.length)
    throw refused(`库存已变化，现在可分配${picks.length}个，请重新核对`)
  await allotCertificates(ctx, { tenantId: tenant.id, picks, reason: input.reason, free })
  const why = input.reason ? `，${free ? '原因' : '备注'}：${input.reason}` : ''
  ctx.audit({
    bizType: 'license-tenant',
    bizId: tenant.id,
    action: `${free ? '免授权' : ''}分配${picks.length}个证书给客户「${tenant.name}」${why}`,
  })
  await publishLicensesChanged(ctx, [null, tenant.id])
  return { count: picks.length }
}

export const allotWithGrant = (ctx: Ctx, input: ParsedOf<typeof calls.allot>) => allotted(ctx, input, false)

/** Allots certificates without a grant. Requires a separate permission; the history records the missing grant. */
export const allotWithoutGrant = (ctx: Ctx, input: ParsedOf<typeof calls.allotFree>) => allotted(ctx, input, true)

/** A certificate selected for allotment. */
interface PickedCertificate {
  readonly id: number
  readonly typeCode: string
  readonly modelId: number | null
}
interface CertificateSelection {
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
function requireAllotmentTenant(ctx: Pick<Ctx, 'db' | 'user'>, tenantId: number) {
  const { user } = ctx
  if (!user.isPlatform || user.scope.tenants !== 'all') throw forbidden()
  return requireReceivingTenant(ctx, tenantId, 'tenantId')
}

/** Returns the condition for the selected certificates, in whatever state. */
async function buildSelectionFilter(db: Db, given: CertificateSelection): Promise<SQL> {
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
async function lockStockCertificates(db: Db, given: CertificateSelection): Promise<PickedCertificate[]> {
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
async function allotCertificates(ctx: Pick<Ctx, 'db' | 'user' | 'now'>, { tenantId, picks, reason, free }: Allotment) {
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
async function assertGrantsCover(db: Db, tenantId: number, picks: readonly PickedCertificate[]) {
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

const maskOptionalUid = (uid: string | null | undefined) => (uid ? maskUid(uid) : '')

const Line = z.object({ uid: textLine('UID', 64) })

interface State {
  readonly tenantId: number
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  readonly seen: Map<number, number>
  readonly picks: PickedCertificate[]
}
interface Found extends Record<string, unknown> {
  id: number
  uid: string
  state: number
  typeCode: string
  modelId: number | null
}

/** Allots the UIDs of a spreadsheet to one tenant. The grants are charged once for all UIDs. */
export const importAllotments = defineImport({
  kind: 'license-allot',
  endpoint: calls.allotFile,
  name: '证书分配',
  schema: Line,
  columns: [['uid', { width: 30 }]],
  tables: ['licenses', 'license_events'],
  required: ['uid'],
  exportedRow: LicenseRow,
  example: { uid: 'VSTC-000123-ABCDE' },
  prepare: async (ctx, { tenantId, dryRun }): Promise<State> => ({
    tenantId: (await requireAllotmentTenant(ctx, tenantId)).id,
    isDryRun: Number(dryRun) === 1,
    seen: new Map(),
    picks: [],
  }),
  takeMany,
  finish: async (ctx, { tenantId, picks, isDryRun }) => {
    if (picks.length === 0) return
    if (isDryRun) return assertGrantsCover(ctx.db, tenantId, picks)
    await allotCertificates(ctx, {
      tenantId,
      picks,
      reason: `按文件「${ctx.file.name}」分配`.slice(0, 150),
      free: false,
    })
    await publishLicensesChanged(ctx, [null, tenantId])
  },
})

async function takeMany(ctx: ImportCtx, lines: readonly { row: number; input: z.output<typeof Line> }[], state: State) {
  const spelled = lines.map(({ input }) => listUidSpellings(input.uid))
  const { rows } = await ctx.db.execute<Found>(sql`
    select id, uid, state, type_code as "typeCode", model_id as "modelId" from licenses
    where uid = any(${sql.param(spelled.flat())}::text[]) order by id ${state.isDryRun ? sql`` : sql`for update`}`)
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return lines.map(({ row }, at): 'updated' | ApiError => {
    const found = spelled[at]!.map((uid) => byUid.get(uid)).find(Boolean)
    if (!found) return conflict('UID 不存在', 'uid')
    const earlier = state.seen.get(found.id)
    if (earlier !== undefined) return conflict(`与第${earlier}行的UID重复`, 'uid')
    state.seen.set(found.id, row)
    if (found.state !== 0)
      return conflict(`证书${LICENSE_STATE[found.state as keyof typeof LICENSE_STATE]}，不在库存中`, 'uid')
    state.picks.push({ id: found.id, typeCode: found.typeCode, modelId: found.modelId })
    return 'updated'
  })
}
