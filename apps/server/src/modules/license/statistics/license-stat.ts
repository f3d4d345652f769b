import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseStats as calls, LicenseStatQuery } from '@oms/contract/license/license-statistics.ts'
import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import { and, desc, eq, gt, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { licenseBatches, licenseCounts, licenseFlows, licenses, licenseThresholds } from '../schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { visibleCounts } from '../license-batch.ts'
import { ACTIVATION_RATE, extractStateCounts, ZERO_STATE_COUNTS, LICENSE_STATE_SUMS } from './license-counts.ts'
import { visibleLicenses } from '../license-rows.ts'
import { PLATFORM_TENANT_ID, worksInPlatform } from '#core/tenancy/tenancy.ts'
import { paginateTenantStats } from './license-stat-rows.ts'
import { getTenantStock } from './license-tenant-stock.ts'

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
