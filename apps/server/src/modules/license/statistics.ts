import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  licenseStats as calls,
  type LicenseStatQuery,
  TenantStatRow,
  LOW_STOCK_PERCENT,
} from '@oms/contract/license/license-statistics.ts'
import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import { licenseCerts as certificates } from '@oms/contract/license/license.ts'
import { and, eq, type SQL, sql, desc, gt, inArray, isNotNull, asc } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped, PLATFORM_TENANT_ID, worksInPlatform, assertSeesAllRecords } from '#core/tenancy/tenancy.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { deviceModels } from '#modules/device/schema.ts'
import {
  ACTIVATION_RATE,
  visibleCounts,
  extractStateCounts,
  ZERO_STATE_COUNTS,
  LICENSE_STATE_SUMS,
} from './license-batch.ts'
import { visibleLicenses } from './license.ts'
import {
  licenseCounts,
  licenseGrants,
  licenseBatches,
  licenseFlows,
  licenses,
  licenseThresholds,
  licenseTenantThresholds,
} from './schema.ts'

type TenantStatFilter = Omit<ParsedOf<typeof calls.tenants>, 'pageNum' | 'pageSize'>

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
function buildTenantStatQuery(db: Db, user: User, filter: Partial<TenantStatFilter>) {
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

function paginateTenantStats(db: Db, user: User, input: ParsedOf<typeof calls.tenants>) {
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

type Narrowed = z.output<typeof LicenseStatQuery>

/** Returns the condition for the counts within the filter and the account's scope. */
const countsOf = (user: User, { vendor, tenantId, typeCode }: Narrowed): SQL | undefined =>
  and(
    visibleCounts(user),
    vendor === undefined ? undefined : eq(licenseCounts.vendor, vendor),
    tenantId === undefined ? undefined : eq(licenseCounts.tenantId, tenantId),
    typeCode === undefined ? undefined : eq(licenseCounts.typeCode, typeCode),
  )

/** Returns the condition for the daily flows within the filter and the account's scope. */
const flowsOf = (user: User, { vendor, tenantId, typeCode }: Narrowed): SQL | undefined =>
  and(
    user.scope.tenants === 'all' ? undefined : inArray(licenseFlows.tenantId, [...user.scope.tenants, 0]),
    vendor === undefined ? undefined : eq(licenseFlows.vendor, vendor),
    tenantId === undefined ? undefined : eq(licenseFlows.tenantId, tenantId),
    typeCode === undefined ? undefined : eq(licenseFlows.typeCode, typeCode),
  )

export async function getLicenseSummary({ db, user }: Ctx, input: ParsedOf<typeof calls.summary>) {
  const [sums] = await db
    .select({ ...LICENSE_STATE_SUMS, rate: ACTIVATION_RATE })
    .from(licenseCounts)
    .where(countsOf(user, input))
  return {
    states: { id: 0, name: '', ...extractStateCounts(sums ?? ZERO_STATE_COUNTS) },
    rate: sums?.rate ?? 0,
    stocks: worksInPlatform(user) ? await listStocks(db, user, input) : [],
    ...(await getTenantStock(db, user)),
    expiring30: await expiringWithin(db, user, input, 30),
    expiring7: await expiringWithin(db, user, input, 7),
  }
}

/** Returns whether the vendor's stock is in the account's data scope. */
const seesStock = ({ scope: { tenants } }: User) => tenants === 'all' || tenants.includes(PLATFORM_TENANT_ID)

/** Returns the stock and the threshold of each supplier. */
async function listStocks(db: Db, user: User, input: Narrowed) {
  const stocks = await db
    .select({ vendor: licenseCounts.vendor, stock: LICENSE_STATE_SUMS.stock })
    .from(licenseCounts)
    .where(countsOf(user, { ...input, tenantId: undefined }))
    .groupBy(licenseCounts.vendor)
  const thresholds = await db.select().from(licenseThresholds)
  // A supplier with a threshold and without certificates is low in stock as well.
  const watched = seesStock(user)
    ? thresholds.filter(({ threshold, vendor }) => threshold > 0 && (input.vendor ?? vendor) === vendor)
    : []
  const suppliers = new Set([...stocks, ...watched].map(({ vendor }) => vendor))
  return [...suppliers]
    .map((vendor) => {
      const stock = stocks.find((each) => each.vendor === vendor)?.stock ?? 0
      const threshold = thresholds.find((each) => each.vendor === vendor)?.threshold ?? 0
      return { vendor, stock, threshold, isLow: stock < threshold }
    })
    .toSorted((a, b) => a.vendor - b.vendor)
}

/** Counts allotted, bound and activated certificates that end within this many days. Uses the index on end dates. */
const expiringWithin = (db: Db, user: User, { vendor, tenantId, typeCode }: Narrowed, days: number) =>
  db.$count(
    licenses,
    and(
      visibleLicenses(user),
      inArray(licenses.state, [1, 2, 3]),
      isNotNull(licenses.expireTime),
      sql`${licenses.expireTime} > now() and ${licenses.expireTime} <= now() + make_interval(days => ${days})`,
      vendor === undefined ? undefined : eq(licenses.vendor, vendor),
      tenantId === undefined ? undefined : eq(licenses.tenantId, tenantId),
      typeCode === undefined ? undefined : eq(licenses.typeCode, typeCode),
    ),
  )

const UNITS = {
  1: { unit: sql.raw(`'day'`), back: sql.raw(`29`), step: sql.raw(`interval '1 day'`) },
  2: { unit: sql.raw(`'week'`), back: sql.raw(`11`), step: sql.raw(`interval '1 week'`) },
  3: { unit: sql.raw(`'month'`), back: sql.raw(`11`), step: sql.raw(`interval '1 month'`) },
} as const

/** Counts allotted and activated certificates of the last 30 days, 12 weeks or 12 months. */
export async function getLicenseTrend({ db, user }: Ctx, { unit: given, ...input }: ParsedOf<typeof calls.trend>) {
  const { unit, back, step } = UNITS[given]
  const of = (kind: number) =>
    sql`coalesce(sum(${licenseFlows.n}) filter (where ${licenseFlows.kind} = ${sql.raw(String(kind))}), 0)::int`
  const { rows } = await db.execute<{ from: string; to: string; allotted: number; activated: number }>(sql`
    with p as (select g::date as "from", (g + ${step} - interval '1 day')::date as "to" from generate_series(
      date_trunc(${unit}, current_date::timestamp) - ${back} * ${step}, date_trunc(${unit}, current_date::timestamp), ${step}) g)
    select p."from"::text, p."to"::text, ${of(1)} as allotted, ${of(3)} as activated
    from p left join ${licenseFlows} on ${licenseFlows.day} between p."from" and p."to" and ${flowsOf(user, input) ?? sql`true`}
    group by 1, 2 order by 1`)
  return { list: rows }
}

export async function countExpiringLicenses({ db, user }: Ctx, input: ParsedOf<typeof calls.expiring>) {
  const { rows } = await db.execute<{ from: string; to: string; count: number }>(sql`
    with p as (select g::date as "from", (g + interval '1 month - 1 day')::date as "to" from generate_series(
      date_trunc('month', current_date::timestamp), date_trunc('month', current_date::timestamp) + interval '11 months', interval '1 month') g)
    select p."from"::text, p."to"::text, coalesce(sum(${licenseCounts.n}), 0)::int as count
    from p left join ${licenseCounts} on ${licenseCounts.expireMonth} = p."from" and ${licenseCounts.state} in (1, 2, 3)
      and ${countsOf(user, input) ?? sql`true`}
    group by 1, 2 order by 1`)
  return { list: rows }
}

const MAX_ROWS = 20

export async function listVendorStats({ db, user }: Ctx, input: ParsedOf<typeof calls.vendors>) {
  const where = countsOf(user, input)
  const byVendor = await db
    .select({ id: licenseCounts.vendor, ...LICENSE_STATE_SUMS })
    .from(licenseCounts)
    .where(where)
    .groupBy(licenseCounts.vendor)
    .having(gt(LICENSE_STATE_SUMS.total, 0))
    .orderBy(licenseCounts.vendor)
  const byBatch = await db
    .select({ id: licenseCounts.batchId, name: licenseBatches.batchNo, ...LICENSE_STATE_SUMS })
    .from(licenseCounts)
    .innerJoin(licenseBatches, eq(licenseBatches.id, licenseCounts.batchId))
    .where(where)
    .groupBy(licenseCounts.batchId, licenseBatches.batchNo)
    .having(gt(LICENSE_STATE_SUMS.total, 0))
    .orderBy(desc(licenseCounts.batchId))
    .limit(MAX_ROWS)
  return {
    vendors: byVendor.map((row) => ({ ...row, name: LICENSE_VENDORS[row.id as keyof typeof LICENSE_VENDORS] ?? '' })),
    batches: byBatch,
  }
}

export async function listModelStats({ db, user }: Ctx, input: ParsedOf<typeof calls.models>) {
  const rows = await db
    .select({ id: licenseCounts.modelId, name: deviceModels.modelName, ...LICENSE_STATE_SUMS })
    .from(licenseCounts)
    .leftJoin(deviceModels, eq(deviceModels.id, licenseCounts.modelId))
    .where(countsOf(user, input))
    .groupBy(licenseCounts.modelId, deviceModels.modelName)
    .having(gt(LICENSE_STATE_SUMS.total, 0))
    .orderBy(desc(LICENSE_STATE_SUMS.total))
    .limit(MAX_ROWS)
  return { list: rows.map((row) => ({ ...row, name: row.name ?? '不限型号' })) }
}

export const listTenantStats = (ctx: Ctx, input: ParsedOf<typeof calls.tenants>) =>
  paginateTenantStats(ctx.db, ctx.user, input)

const number = { type: 'number', width: 12 } as const

/** Exports the statistics of tenants. */
export const exportTenantStatistics = defineExport({
  kind: 'license-stat',
  endpoint: calls.export,
  sheet: '授权统计',
  schema: TenantStatRow,
  columns: [
    ['tenantName', { width: 30 }],
    ['received', number],
    ['allotted', number],
    ['bound', number],
    ['activated', number],
    ['suspended', number],
    ['expired', number],
    ['scrapped', number],
    ['rate', number],
    ['quota', number],
    ['used', number],
    ['remaining', number],
    ['warnBelow', number],
    ['isLow', { width: 10 }],
  ],
  key: tenants.id,
  join: (query, db, user, input) => {
    const { counted, granted, stock } = buildTenantStatQuery(db, user, input)
    return query
      .leftJoin(counted, eq(counted.tenantId, tenants.id))
      .leftJoin(granted, eq(granted.tenantId, tenants.id))
      .leftJoin(stock, eq(stock.tenantId, tenants.id))
  },
  where: (user, input, { db }) => buildTenantStatQuery(db, user, input).where,
  order: () => [asc(tenants.id)],
  load: (db, user, where) => {
    const { counted, granted, stock, columns } = buildTenantStatQuery(db, user, {})
    return db
      .select(columns)
      .from(tenants)
      .leftJoin(counted, eq(counted.tenantId, tenants.id))
      .leftJoin(granted, eq(granted.tenantId, tenants.id))
      .leftJoin(stock, eq(stock.tenantId, tenants.id))
      .where(where)
  },
  keyOf: ({ tenantId }) => tenantId,
})

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
const selectTenantStock = (db: Db) => stockQuery(db).as('stock')

/**
 * Counts the visible tenants with few unused certificates. For an account of a tenant, and for a session switched
 * to a tenant, also returns the tenant's own stock.
 */
async function getTenantStock(db: Db, user: User) {
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
  { tenantId, ...given }: ParsedOf<typeof certificates.saveTenantThreshold>,
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
    topic: 'license',
    title: `客户「${name}」的P2P证书库存不足`.slice(0, 50),
    text: `客户「${name}」未使用的P2P证书剩余${left}个，低于预警数量${warnBelow}个，请及时申请或分配。`,
    uids: [
      ...(await listAccountsWithPermission(db, tenantId, QUERY)),
      ...(await listPlatformStaff(db, QUERY, [tenantId])),
    ],
    priority: 2,
  })
}

type StockColumns = ReturnType<typeof selectTenantStock>
const isStockLow = (stock: StockColumns): SQL => sql`coalesce(${stock.isLow}, false)`
