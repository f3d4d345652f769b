import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { type AllotPlan, MAX_ALLOTTED_CERTIFICATES } from '@oms/contract/license/license-rows.ts'
import { eq, sql } from 'drizzle-orm'
import { licenseBatches, licenses } from '../schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import {
  buildSelectionFilter,
  allotCertificates,
  maskOptionalUid,
  requireAllotmentTenant,
  type CertificateSelection,
  lockStockCertificates,
} from './license-allot.ts'
import { listGrantsInForce, grantCovers } from '../license-ledger.ts'
import { publishLicensesChanged } from '../license-rows.ts'

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
