import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { licenseCerts as calls } from '@oms/contract/license.ts'
import { LICENSE_VENDORS } from '@oms/contract/license-uid.ts'
import { and, eq, sql } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import { licenseBatches, licenseCounts, licenseThresholds } from '#db/schema/license.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { forbidden } from '#kernel/problem.ts'
import { among, contains, orderOf, paginate, within } from '#kernel/query.ts'
import { PLATFORM_TENANT_ID, reaches, scoped } from '#kernel/tenancy.ts'
import { countsByState, NO_COUNTS, stateSums } from './license-counts.ts'

/** The part of the counts an account may see: as with the certificates themselves. */
export function visibleCounts(user: User) {
  if (user.scope.tenants === 'all') return undefined
  const own = scoped(user, { tenant: licenseCounts.tenantId })
  return user.isPlatform && reaches(user, PLATFORM_TENANT_ID) ? sql`(${own} or ${licenseCounts.tenantId} = 0)` : own
}

/** Deliveries with what became of their certificates; a customer sees those it has certificates of, and only these. */
export async function batches({ db, user }: Ctx, input: ParsedOf<typeof calls.batches>) {
  const { batchNo, vendor, orderNo, beginTime, endTime } = input
  const seen = visibleCounts(user)
  const rows = db
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
  const columns = { createTime: licenseBatches.createTime, total: licenseBatches.total }
  const page = await paginate(db, rows, input, orderOf(input, columns, licenseBatches.id))
  const sums = await db
    .select({ id: licenseCounts.batchId, ...stateSums })
    .from(licenseCounts)
    .where(
      and(
        seen,
        among(
          licenseCounts.batchId,
          page.list.map(({ id }) => id),
        ),
      ),
    )
    .groupBy(licenseCounts.batchId)
  const byBatch = new Map(sums.map((each) => [each.id, countsByState(each)]))
  // What a customer does not have of a delivery is not its business, nor are the vendor's order and file.
  const hidden = user.isPlatform ? {} : { orderNo: '', fileName: '', remark: '' }
  return { ...page, list: page.list.map((row) => ({ ...row, ...(byBatch.get(row.id) ?? NO_COUNTS), ...hidden })) }
}

export async function thresholds({ db, user }: Ctx) {
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
