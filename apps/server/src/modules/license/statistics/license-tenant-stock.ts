import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { LOW_STOCK_PERCENT } from '@oms/contract/license/license-statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenseCounts, licenseTenantThresholds } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/permission-holders.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sendMessage } from '#modules/system/inbox.ts'
import { notFound } from '#core/http/api-error.ts'
import { assertSeesAllRecords, notDeleted, scoped, worksInPlatform } from '#core/tenancy/tenancy.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'

const QUERY = 'LicenseManage:Certificate:query'

/**
 * Calculates for each tenant the unused certificates, the received certificates and the warning limit. Ignores the
 * filter of the statistics: the limit applies to all certificates of the tenant.
 */
function stockQuery(db: Db) {
  const { n, state, tenantId } = licenseCounts
  const left = sql<number>`coalesce(sum(${n}) filter (where ${state} = 1), 0)::int`
  const received = sql<number>`coalesce(sum(${n}) filter (where ${state} <> 0), 0)::int`
  const threshold = sql<number | null>`max(${licenseTenantThresholds.threshold})`
  const warnBelow = sql<number>`coalesce(${threshold}, ceil(${received} * ${LOW_STOCK_PERCENT} / 100.0))::int`
  return db
    .select({
      tenantId,
      left: left.as('stock_left'),
      threshold: threshold.as('stock_threshold'),
      warnBelow: warnBelow.as('stock_warn_below'),
      isLow: sql<boolean>`${received} > 0 and ${left} < ${warnBelow}`.as('stock_is_low'),
    })
    .from(licenseCounts)
    .leftJoin(licenseTenantThresholds, eq(licenseTenantThresholds.tenantId, tenantId))
    .where(sql`${tenantId} > 0`)
    .groupBy(tenantId)
}
export const selectTenantStock = (db: Db) => stockQuery(db).as('stock')

/**
 * Counts the visible tenants with few unused certificates. For an account of a tenant, and for a session switched
 * to a tenant, also returns the tenant's own stock.
 */
export async function getTenantStock(db: Db, user: User) {
  const stock = selectTenantStock(db)
  const rows = await db
    .select({ tenantId: stock.tenantId, left: stock.left, warnBelow: stock.warnBelow, isLow: stock.isLow })
    .from(stock)
    .innerJoin(tenants, eq(tenants.id, stock.tenantId))
    .where(
      and(
        notDeleted(tenants),
        scoped(user, { tenant: tenants.id }),
        worksInPlatform(user) ? eq(stock.isLow, true) : undefined,
      ),
    )
  const mine = worksInPlatform(user) ? undefined : rows.find(({ tenantId }) => tenantId === user.tenantId)
  return {
    own: mine ? { left: mine.left, warnBelow: mine.warnBelow, isLow: mine.isLow } : null,
    lowTenants: rows.filter(({ isLow }) => isLow).length,
  }
}

/** Saves the warning limit. Staff of the vendor set the limit of any visible tenant, a tenant its own. */
export async function saveTenantThreshold(
  ctx: Ctx,
  { tenantId, ...given }: ParsedOf<typeof calls.saveTenantThreshold>,
) {
  const { db, user, now } = ctx
  assertSeesAllRecords(user)
  const threshold = given.threshold ?? null
  const [tenant] = await readTenantNames(db, user, [tenantId])
  if (!tenant) throw notFound('客户')
  const next = { threshold, warned: 0, updateBy: user.uid, updateTime: now.toISOString() }
  await db
    .insert(licenseTenantThresholds)
    .values({ tenantId, ...next })
    .onConflictDoUpdate({ target: licenseTenantThresholds.tenantId, set: next })
  const words =
    threshold === null ? `低于累计持有的${LOW_STOCK_PERCENT}%` : threshold === 0 ? '不预警' : `低于${threshold}个`
  ctx.audit({
    bizType: 'license-tenant',
    bizId: tenantId,
    action: `设置客户「${tenant.name}」的证书库存预警为${words}`,
  })
  await ctx.services.events.publish(db, 'changed', { resource: 'license', tenantId })
  return null
}

interface Low extends Record<string, unknown> {
  tenantId: number
  name: string
  left: number
  warnBelow: number
}

/** Notifies tenants once when their unused certificates become few, again after the stock has recovered. */
export async function warnOfLowTenants(services: Services) {
  return services.database.db.transaction(async (db) => {
    const stock = stockQuery(db).getSQL()
    const { rows } = await db.execute<Low>(sql`
      with s as materialized (${stock}),
      low as (insert into license_tenant_thresholds (tenant_id, warned) select tenant_id, 1 from s where stock_is_low
        on conflict (tenant_id) do update set warned = 1 where license_tenant_thresholds.warned = 0
        returning tenant_id),
      again as (update license_tenant_thresholds t set warned = 0 from s
        where t.tenant_id = s.tenant_id and not s.stock_is_low and t.warned = 1)
      select s.tenant_id as "tenantId", n.name, s.stock_left as "left", s.stock_warn_below as "warnBelow"
      from low join s using (tenant_id) join tenants n on n.id = s.tenant_id and n.deleted_at is null order by 1`)
    // Runs each tenant in a savepoint: a failed message does not undo the warnings of other tenants.
    const isolation = { log: services.log, kind: 'license-clock', name: ({ tenantId }: Low) => ({ tenantId }) }
    const { done } = await forEachIsolated(rows, isolation, (low) =>
      db.transaction((tx) => notifyLowStock(services, tx, low)),
    )
    return done
  })
}

async function notifyLowStock(services: Services, db: Db, { tenantId, name, left, warnBelow }: Low) {
  await sendMessage(services, db, {
    title: `客户「${name}」的P2P证书库存不足`.slice(0, 50),
    text: `客户「${name}」未使用的P2P证书剩余${left}个，低于预警数量${warnBelow}个，请及时申请或分配。`,
    uids: [
      ...(await listAccountsWithPermission(db, tenantId, QUERY)),
      ...(await listPlatformStaff(db, QUERY, [tenantId])),
    ],
    priority: 2,
  })
}

export type StockColumns = ReturnType<typeof selectTenantStock>
export const isStockLow = (stock: StockColumns): SQL => sql`coalesce(${stock.isLow}, false)`
