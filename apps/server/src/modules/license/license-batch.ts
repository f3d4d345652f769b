import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import type { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among, contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { PLATFORM_TENANT_ID, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import { licenseBatches, licenseCounts, licenseThresholds } from './schema.ts'

/** Returns the condition for the counts that the account may see, equal to that for the certificates. */
export function visibleCounts(user: User) {
  if (user.scope.tenants === 'all') return undefined
  const own = scoped(user, { tenant: licenseCounts.tenantId })
  return user.isPlatform && isTenantInScope(user, PLATFORM_TENANT_ID)
    ? sql`(${own} or ${licenseCounts.tenantId} = 0)`
    : own
}

type BatchFilter = ParsedOf<typeof calls.batches>

/** Selects the deliveries that match the filter and hold certificates within the condition `seen`. */
function selectBatches(db: Db, input: BatchFilter, seen: SQL | undefined) {
  const { batchNo, vendor, orderNo, beginTime, endTime } = input
  return db
    .select({
      id: licenseBatches.id,
      batchNo: licenseBatches.batchNo,
      vendor: licenseBatches.vendor,
      orderNo: licenseBatches.orderNo,
      fileName: licenseBatches.fileName,
      createByName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as(
        'create_by_name',
      ),
      createTime: licenseBatches.createTime,
      remark: licenseBatches.remark,
    })
    .from(licenseBatches)
    .leftJoin(accounts, eq(accounts.uid, licenseBatches.createBy))
    .where(
      and(
        seen && sql`${licenseBatches.id} in (select ${licenseCounts.batchId} from ${licenseCounts} where ${seen})`,
        contains(licenseBatches.batchNo, batchNo),
        contains(licenseBatches.orderNo, orderNo),
        vendor === undefined ? undefined : eq(licenseBatches.vendor, vendor),
        ...within(licenseBatches.createTime, beginTime, endTime),
      ),
    )
    .$dynamic()
}

/** Counts the certificates of each delivery by state. */
async function countsOf(db: Db, batchIds: readonly number[], seen: SQL | undefined) {
  const sums = await db
    .select({ id: licenseCounts.batchId, ...LICENSE_STATE_SUMS })
    .from(licenseCounts)
    .where(and(seen, among(licenseCounts.batchId, batchIds)))
    .groupBy(licenseCounts.batchId)
  return new Map(sums.map((each) => [each.id, extractStateCounts(each)]))
}

/**
 * Lists deliveries with the number of certificates by state. A tenant sees only deliveries and counts of its own
 * certificates.
 */
export async function listBatches({ db, user }: Ctx, input: BatchFilter) {
  const seen = visibleCounts(user)
  const columns = { createTime: licenseBatches.createTime, total: licenseBatches.total }
  const page = await paginate(db, selectBatches(db, input, seen), input, buildSort(input, columns, licenseBatches.id))
  const ids = page.list.map(({ id }) => id)
  const byBatch = await countsOf(db, ids, seen)
  // Tenants do not see the vendor's order number, file name and remark.
  const hidden = user.isPlatform ? {} : { orderNo: '', fileName: '', remark: '' }
  return {
    ...page,
    list: page.list.map((row) => ({ ...row, ...(byBatch.get(row.id) ?? ZERO_STATE_COUNTS), ...hidden })),
  }
}

export async function listThresholds({ db, user }: Ctx) {
  if (!user.isPlatform) throw forbidden()
  const stored = await db.select().from(licenseThresholds)
  const stock = await db
    .select({ vendor: licenseCounts.vendor, n: sql<number>`sum(${licenseCounts.n})::int` })
    .from(licenseCounts)
    .where(eq(licenseCounts.state, 0))
    .groupBy(licenseCounts.vendor)
  const list = Object.keys(LICENSE_VENDORS)
    .map(Number)
    .map((vendor) => ({
      vendor,
      threshold: stored.find((each) => each.vendor === vendor)?.threshold ?? 0,
      stock: stock.find((each) => each.vendor === vendor)?.n ?? 0,
    }))
  return { list }
}

export async function saveThreshold(ctx: Ctx, { vendor, threshold }: ParsedOf<typeof calls.saveThreshold>) {
  const { db, user, now } = ctx
  if (!user.isPlatform) throw forbidden()
  const next = { threshold, warned: 0, updateBy: user.uid, updateTime: now.toISOString() }
  await db
    .insert(licenseThresholds)
    .values({ vendor, ...next })
    .onConflictDoUpdate({ target: licenseThresholds.vendor, set: next })
  ctx.audit({
    bizType: 'license-threshold',
    bizId: vendor,
    action: `设置${LICENSE_VENDORS[vendor]}证书库存预警为${threshold === 0 ? '不预警' : `低于${threshold}个`}`,
  })
  return null
}

const { n, state } = licenseCounts
const of = (value: number) =>
  sql<number>`coalesce(sum(${n}) filter (where ${state} = ${sql.raw(String(value))}), 0)::int`

/** Sums of `license_counts` by state, selectable in any grouped query. */
export const LICENSE_STATE_SUMS = {
  total: sql<number>`coalesce(sum(${n}), 0)::int`,
  stock: of(0),
  allotted: of(1),
  bound: of(2),
  activated: of(3),
  suspended: of(4),
  expired: of(5),
  scrapped: of(6),
}

/**
 * Activation rate in percent with one decimal: activated certificates among those that tenants hold. A suspended or
 * expired certificate is not activated, as in the list of the state 已激活.
 */
export const ACTIVATION_RATE = sql<number>`coalesce(round(100.0 * sum(${n}) filter (where ${state} = 3)
  / nullif(sum(${n}) filter (where ${state} <> 0), 0), 2), 0)::float8`
type StateCounts = { readonly [K in keyof typeof LICENSE_STATE_SUMS]: number }

export const ZERO_STATE_COUNTS: StateCounts = {
  total: 0,
  stock: 0,
  allotted: 0,
  bound: 0,
  activated: 0,
  suspended: 0,
  expired: 0,
  scrapped: 0,
}

/** Returns only the count columns of a row. */
export const extractStateCounts = ({
  total,
  stock,
  allotted,
  bound,
  activated,
  suspended,
  expired,
  scrapped,
}: StateCounts) => ({
  total,
  stock,
  allotted,
  bound,
  activated,
  suspended,
  expired,
  scrapped,
})
