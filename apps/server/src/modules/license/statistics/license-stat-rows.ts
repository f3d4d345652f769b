import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseStats as calls } from '@oms/contract/license/license-statistics.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenseCounts, licenseGrants } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { User } from '#core/http/context.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { ACTIVATION_RATE } from './license-counts.ts'
import { isStockLow, selectTenantStock } from './license-tenant-stock.ts'

export type TenantStatFilter = Omit<ParsedOf<typeof calls.tenants>, 'pageNum' | 'pageSize'>

const { n, state } = licenseCounts
const of = (states: string) => sql<number>`coalesce(sum(${n}) filter (where ${state} in (${sql.raw(states)})), 0)::int`

const zero = <T>(column: T) => sql<number>`coalesce(${column}, 0)`

function countsByTenant(db: Db, filter: Partial<TenantStatFilter>) {
  return db
    .select({
      tenantId: licenseCounts.tenantId,
      received: of('1, 2, 3, 4, 5, 6').as('received'),
      allotted: of('1').as('allotted'),
      bound: of('2').as('bound'),
      activated: of('3').as('activated'),
      suspended: of('4').as('suspended'),
      expired: of('5').as('expired'),
      scrapped: of('6').as('scrapped'),
      rate: ACTIVATION_RATE.as('rate'),
    })
    .from(licenseCounts)
    .where(
      and(
        filter.vendor === undefined ? undefined : eq(licenseCounts.vendor, filter.vendor),
        filter.typeCode === undefined ? undefined : eq(licenseCounts.typeCode, filter.typeCode),
      ),
    )
    .groupBy(licenseCounts.tenantId)
    .as('counted')
}

function grantsByTenant(db: Db, filter: Partial<TenantStatFilter>) {
  return db
    .select({
      tenantId: licenseGrants.tenantId,
      quota: sql<number>`sum(${licenseGrants.quota})::bigint`.as('quota'),
      used: sql<number>`sum(${licenseGrants.used})::bigint`.as('used'),
      remaining: sql<number>`(sum(${licenseGrants.quota}) - sum(${licenseGrants.used}))::bigint`.as('remaining'),
    })
    .from(licenseGrants)
    .where(
      and(
        sql`${licenseGrants.status} not in (0, 5)`,
        filter.typeCode === undefined ? undefined : eq(licenseGrants.typeCode, filter.typeCode),
      ),
    )
    .groupBy(licenseGrants.tenantId)
    .as('granted')
}

interface Sources {
  readonly counted: ReturnType<typeof countsByTenant>
  readonly granted: ReturnType<typeof grantsByTenant>
  readonly stock: ReturnType<typeof selectTenantStock>
}

function columnsOf({ counted, granted, stock }: Sources) {
  return {
    tenantId: tenants.id,
    tenantName: tenants.name,
    received: zero(counted.received).as('n_received'),
    allotted: zero(counted.allotted).as('n_allotted'),
    bound: zero(counted.bound).as('n_bound'),
    activated: zero(counted.activated).as('n_activated'),
    suspended: zero(counted.suspended).as('n_suspended'),
    expired: zero(counted.expired).as('n_expired'),
    scrapped: zero(counted.scrapped).as('n_scrapped'),
    rate: zero(counted.rate).as('n_rate'),
    quota: zero(granted.quota).as('n_quota'),
    used: zero(granted.used).as('n_used'),
    remaining: zero(granted.remaining).as('n_remaining'),
    threshold: stock.threshold,
    warnBelow: zero(stock.warnBelow).as('n_warn_below'),
    isLow: sql<boolean>`${isStockLow(stock)}`.as('n_is_low'),
  }
}

/** Selects tenants that hold certificates or grants, with their counts. */
export function buildTenantStatQuery(db: Db, user: User, filter: Partial<TenantStatFilter>) {
  const counted = countsByTenant(db, filter)
  const granted = grantsByTenant(db, filter)
  const stock = selectTenantStock(db)
  const where = and(
    notDeleted(tenants),
    scoped(user, { tenant: tenants.id }),
    filter.tenantId === undefined ? undefined : eq(tenants.id, filter.tenantId),
    sql`(${counted.received} > 0 or ${granted.quota} > 0)`,
    filter.low === undefined ? undefined : isStockLow(stock),
  )
  const order = (given: Pick<TenantStatFilter, 'orderByColumn' | 'isAsc'>): SQL[] =>
    buildSort(
      given,
      {
        received: zero(counted.received),
        activated: zero(counted.activated),
        rate: zero(counted.rate),
        remaining: zero(granted.remaining),
      },
      tenants.id,
      [sql`coalesce(${counted.received}, 0) desc`, sql`${tenants.id} desc`],
    )
  return { counted, granted, stock, columns: columnsOf({ counted, granted, stock }), where, order }
}

export function paginateTenantStats(db: Db, user: User, input: ParsedOf<typeof calls.tenants>) {
  const { counted, granted, stock, columns, where, order } = buildTenantStatQuery(db, user, input)
  const rows = db
    .select(columns)
    .from(tenants)
    .leftJoin(counted, eq(counted.tenantId, tenants.id))
    .leftJoin(granted, eq(granted.tenantId, tenants.id))
    .leftJoin(stock, eq(stock.tenantId, tenants.id))
    .where(where)
    .$dynamic()
  return paginate(db, rows, input, order(input))
}
