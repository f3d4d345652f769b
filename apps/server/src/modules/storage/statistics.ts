import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import { ENTITLEMENT_SOURCE } from '@oms/contract/storage/entitlement.ts'
import { type storageStats as calls, FORECAST_DAYS, type storageStats } from '@oms/contract/storage/statistics.ts'
import { and, eq, gt, sql, type SQL } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { scoped, transact } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { ossStored, ossUsageDays } from './schema-video.ts'
import { ossCounts, ossEnds, ossFlows } from './schema.ts'

type InRange = ParsedOf<typeof calls.trend>
const TOP = 10
/** Number of packages in the stacked chart; all other packages are one series. */
const SERIES = 6
const DAY_MS = 86_400_000
/** Kinds of flows that are sales. */
const SALES = sql`kind in (1, 2)`

const sum = (column: string, condition = sql`true`) =>
  sql`coalesce(sum(${sql.raw(column)}) filter (where ${condition}), 0)::bigint::float8`
const inRange = ({ startDate, endDate }: InRange) => sql`day between ${startDate}::date and ${endDate}::date`
/** Number, amount and average amount of the sales of a group. */
const SOLD = sql`sum(n)::int as n, sum(amount)::bigint::float8 as amount,
  coalesce(round(sum(amount) / nullif(sum(n), 0)), 0)::float8 as average`
type Sold = { n: number; amount: number; average: number }

/** Returns the current day of the console's zone. */
const todayOf = ({ now, services }: Ctx) => formatLocalDay(now, services.config.timeZone)

/** Channels that the models of the visible devices record to cloud storage. */
async function capableChannels({ db, user }: Ctx, tenantId: number | undefined) {
  const [row] = await db
    .select({ n: sql<number>`coalesce(sum(${deviceModels.cloudChannels}), 0)::int` })
    .from(devices)
    .innerJoin(deviceModels, and(eq(deviceModels.id, devices.modelId), gt(deviceModels.cloudChannels, 0)))
    .where(and(visibleDevices(user), tenantId === undefined ? undefined : eq(devices.tenantId, tenantId)))
  return row?.n ?? 0
}

export async function getStorageSummary(ctx: Ctx, { tenantId }: ParsedOf<typeof calls.summary>) {
  const { db, user } = ctx
  const { counts, flows, ends } = buildStatSources(user, tenantId)
  const states = await db.execute<{ inForce: number; waiting: number; suspended: number }>(sql`
    select ${sum('n', sql`state = 1`)} as "inForce", ${sum('n', sql`state = 0`)} as waiting,
      ${sum('n', sql`state = 3`)} as suspended from ${counts} c`)
  const today = todayOf(ctx)
  const monthBegin = `${today.slice(0, 7)}-01`
  const month = await db.execute<{ revenue: number; gross: number; sold: number }>(sql`
    select ${sum('amount')} as revenue, ${sum('amount', SALES)} as gross,
      ${sum('n', SALES)} as sold
    from ${flows} f where day between ${monthBegin}::date and ${today}::date`)
  const due = await db.execute<{ due7: number; due30: number }>(sql`
    select ${sum('n', sql`day < ${today}::date + 7`)} as due7, ${sum('n')} as due30
    from ${ends} e where day >= ${today}::date and day < ${today}::date + 30`)
  const capable = await capableChannels(ctx, tenantId)
  const now = states.rows[0]!
  return {
    ...now,
    ...month.rows[0]!,
    ...due.rows[0]!,
    ...(await countStoredBytes(ctx, tenantId, today)),
    today,
    monthBegin,
    capable,
    rate: computePercentage(now.inForce, capable) ?? 0,
  }
}

export async function getStorageTrend({ db, user }: Ctx, input: InRange) {
  const { flows } = buildStatSources(user, input.tenantId)
  const { rows } = await db.execute<{ day: string; opened: number; renewed: number; expired: number }>(sql`
    with s as (select day, ${sum('n', sql`kind = 1`)} as opened, ${sum('n', sql`kind = 2`)} as renewed,
      ${sum('n', sql`kind = 3`)} as expired from ${flows} f where ${inRange(input)} group by day)
    select g::date::text as day, coalesce(opened, 0) as opened, coalesce(renewed, 0) as renewed,
      coalesce(expired, 0) as expired
    from generate_series(${input.startDate}::date, ${input.endDate}::date, interval '1 day') g
    left join s on s.day = g::date order by 1`)
  return { days: rows }
}

interface PackageRow extends Sold {
  packageId: number
  packageName: string
  inForce: number
}

interface SoldRow extends Record<string, unknown> {
  day: string
  packageId: number
  n: number
  amount: number
}

export async function listPackageStats(ctx: Ctx, input: InRange) {
  const { flows } = buildStatSources(ctx.user, input.tenantId)
  // PostgreSQL can hash one group for each day and package. Grouping sets for the whole range and its days would sort
  // all rows.
  const { rows } = await ctx.db.execute<SoldRow>(sql`
    select day::text as day, package_id as "packageId", sum(n)::int as n, sum(amount)::bigint::float8 as amount
    from ${flows} f where ${SALES} and ${inRange(input)} group by day, package_id`)
  const sold = sumByPackage(rows)
  const list = (await packagesOf(ctx, input, [...sold.keys()])).map((row): PackageRow => {
    const { n, amount } = sold.get(row.packageId) ?? { n: 0, amount: 0 }
    return { ...row, n, amount, average: n === 0 ? 0 : Math.round(amount / n) }
  })
  list.sort((a, b) => b.amount - a.amount || b.n - a.n || b.inForce - a.inForce || a.packageId - b.packageId)
  return { list, ...seriesOf(input, list, rows) }
}

function sumByPackage(rows: readonly SoldRow[]) {
  const sums = new Map<number, { n: number; amount: number }>()
  for (const { packageId, n, amount } of rows) {
    const sum = sums.get(packageId) ?? { n: 0, amount: 0 }
    sums.set(packageId, { n: sum.n + n, amount: sum.amount + amount })
  }
  return sums
}

/** Returns the sold packages and the packages with entitlements in force, with the number of these entitlements. */
async function packagesOf({ db, user }: Ctx, { tenantId }: InRange, sold: readonly number[]) {
  const { counts } = buildStatSources(user, tenantId)
  const { rows } = await db.execute<
    Pick<PackageRow, 'packageId' | 'packageName' | 'inForce'> & Record<string, unknown>
  >(
    sql`with u as (select package_id, sum(n)::int as n from ${counts} c where state = 1 group by 1 having sum(n) > 0)
      select k.id as "packageId", coalesce(p.package_name, '') as "packageName", coalesce(u.n, 0) as "inForce"
      from (select package_id as id from u union select unnest(${sql.param(`{${sold.join()}}`)}::int[])) k
      left join u on u.package_id = k.id left join oss_packages p on p.id = k.id`,
  )
  return rows
}

/** Sales of each day by package: the packages sold most, and one series for all others. */
function seriesOf(input: InRange, list: readonly PackageRow[], sold: readonly SoldRow[]) {
  const top = list.filter(({ n }) => n > 0).toSorted((a, b) => b.n - a.n)
  const named = top.length > SERIES + 1 ? top.slice(0, SERIES) : top
  const days = daysBetween(input.startDate, input.endDate)
  const indexOf = new Map(days.map((day, at) => [day, at]))
  const series = [...named, ...(named.length < top.length ? [{ packageId: 0, packageName: '其他套餐' }] : [])].map(
    ({ packageId, packageName }) => ({ packageId, packageName, values: days.map(() => 0) }),
  )
  const byPackage = new Map(series.map((one) => [one.packageId, one]))
  for (const { day, packageId, n } of sold) {
    const { values } = byPackage.get(packageId) ?? byPackage.get(0) ?? { values: [] }
    const at = indexOf.get(day)
    if (at !== undefined) values[at] = (values[at] ?? 0) + n
  }
  return { days, series }
}

function daysBetween(first: string, last: string) {
  const [from, to] = [Date.parse(first), Date.parse(last)]
  return Array.from({ length: (to - from) / DAY_MS + 1 }, (_, at) =>
    new Date(from + at * DAY_MS).toISOString().slice(0, 10),
  )
}

export async function listSourceStats({ db, user }: Ctx, input: InRange) {
  const { flows } = buildStatSources(user, input.tenantId)
  const { rows } = await db.execute<Sold & Record<string, unknown> & { source: number }>(sql`
    select source, ${SOLD} from ${flows} f where ${SALES} and ${inRange(input)} group by 1 having sum(n) > 0 order by 1`)
  return { list: rows }
}

export async function listTenantStats({ db, user }: Ctx, input: InRange) {
  const { flows } = buildStatSources(user, input.tenantId)
  const { rows } = await db.execute<Sold & Record<string, unknown> & { tenantId: number; tenantName: string }>(sql`
    with s as (select tenant_id, ${SOLD} from ${flows} f where ${SALES} and ${inRange(input)} group by 1
      having sum(n) > 0 order by sum(amount) desc, sum(n) desc, 1 limit ${TOP})
    select tenant_id as "tenantId", coalesce(t.name, '') as "tenantName", s.n, s.amount, s.average
    from s left join tenants t on t.id = tenant_id order by s.amount desc, s.n desc, 1`)
  return { list: rows }
}

interface DueRow extends Record<string, unknown> {
  tenantId: number
  tenantName: string
  days7: number
  days30: number
  days90: number
}

export async function countExpiringEntitlements(ctx: Ctx, { tenantId }: ParsedOf<typeof calls.expiring>) {
  const { db, user } = ctx
  const today = todayOf(ctx)
  const { ends } = buildStatSources(user, tenantId)
  const { rows } = await db.execute<DueRow>(sql`
    with s as (select tenant_id, ${sum('n', sql`day < ${today}::date + 7`)} as days7,
        ${sum('n', sql`day < ${today}::date + 30`)} as days30, ${sum('n')} as days90
      from ${ends} e where day >= ${today}::date and day < ${today}::date + 90
      group by 1 having sum(n) > 0 order by 3 desc, 4 desc, 1 limit ${TOP})
    select tenant_id as "tenantId", coalesce(t.name, '') as "tenantName", days7, days30, days90
    from s left join tenants t on t.id = tenant_id order by days30 desc, days90 desc, 1`)
  return { today, list: rows }
}

export async function getExpiryForecast(ctx: Ctx, { tenantId }: ParsedOf<typeof calls.forecast>) {
  const { db, user } = ctx
  const today = todayOf(ctx)
  const { ends } = buildStatSources(user, tenantId)
  const { rows } = await db.execute<{ day: string; n: number }>(sql`
    with s as (select day, sum(n)::int as n from ${ends} e
      where day between ${today}::date and ${today}::date + ${FORECAST_DAYS - 1}::int group by 1)
    select g::date::text as day, coalesce(n, 0) as n
    from generate_series(${today}::date, ${today}::date + ${FORECAST_DAYS - 1}::int, interval '1 day') g
    left join s on s.day = g::date order by 1`)
  return { list: rows }
}

/** Devices that the account created. */
const ownDevices = (uid: number) => sql`(select id from ${devices} where create_by = ${uid})`

/**
 * Sources of the sums. The sums have a tenant but no creator. For an account that sees only the records it created, the
 * same columns are computed from the videos of the devices that it created.
 */
function buildUsageSources({ scope: { ownOnly }, uid }: User) {
  if (!ownOnly) return { stored: sql`${ossStored}`, uploaded: sql`${ossUsageDays}` }
  return {
    stored: sql`(select tenant_id, expire_day, bytes from oss_segments
      where status <> 2 and device_id in ${ownDevices(uid)}) as oss_stored`,
    uploaded: sql`(select day, tenant_id, bytes, segments, 1 as device_days from oss_device_days
      where device_id in ${ownDevices(uid)}) as oss_usage_days`,
  }
}

type Sums = typeof ossUsageDays | typeof ossStored

const visible = (of: Sums, user: User, tenantId: number | undefined) =>
  and(scoped(user, { tenant: of.tenantId }), tenantId === undefined ? undefined : eq(of.tenantId, tenantId)) ??
  sql`true`

/** Returns the bytes of the stored videos whose storage time is not over, and the bytes that cameras recorded today. */
async function countStoredBytes({ db, user }: Ctx, tenantId: number | undefined, today: string) {
  const { stored, uploaded } = buildUsageSources(user)
  const { rows } = await db.execute<{ storedBytes: number; todayBytes: number }>(sql`
    select (select coalesce(sum(bytes), 0)::float8 from ${stored}
        where expire_day > ${today}::date and ${visible(ossStored, user, tenantId)}) as "storedBytes",
      (select coalesce(sum(bytes), 0)::float8 from ${uploaded}
        where day = ${today}::date and ${visible(ossUsageDays, user, tenantId)}) as "todayBytes"`)
  return rows[0]!
}

type UsageDay = {
  day: string
  bytes: number
  segments: number
  deviceDays: number
}

/** Returns the uploads of each day of the range. */
export async function getStorageUsage(
  { db, user }: Ctx,
  { startDate, endDate, tenantId }: ParsedOf<typeof calls.usage>,
) {
  const { uploaded } = buildUsageSources(user)
  const inRange = sql`day between ${startDate}::date and ${endDate}::date`
  const { rows } = await db.execute<UsageDay>(sql`
    with s as (select day, sum(bytes)::float8 as bytes, sum(segments)::int as segments, sum(device_days)::int as days
      from ${uploaded} where ${inRange} and ${visible(ossUsageDays, user, tenantId)} group by day)
    select g::date::text as day, coalesce(s.bytes, 0) as bytes, coalesce(s.segments, 0) as segments,
      coalesce(days, 0) as "deviceDays"
    from generate_series(${startDate}::date, ${endDate}::date, interval '1 day') g
    left join s on s.day = g::date order by 1`)
  return { days: rows }
}

type Query = ParsedOf<typeof storageStats.export>

const COLUMNS = [
  { key: 'part', title: '分类', width: 18 },
  { key: 'name', title: '项目', width: 30 },
  { key: 'value', title: '数值', width: 14, type: 'number' },
  { key: 'more', title: '说明', width: 50 },
] as const

const line =
  (part: string) =>
  (name: string, value: number | null, more = '') => ({ part, name, value, more })
const gigabytes = (bytes: number) => Math.round(bytes / 1e7) / 100
const soldText = ({ amount, average }: { amount: number; average: number }) =>
  `金额（未减退款） ${formatFenAsYuan(amount)} 元，均价 ${formatFenAsYuan(average)} 元`

const monthText = ({ sold, gross, revenue }: { sold: number; gross: number; revenue: number }) =>
  `开通和续期 ${sold} 份，金额（未减退款） ${formatFenAsYuan(gross)} 元，退款 ${formatFenAsYuan(gross - revenue)} 元`

/** Exports every figure of the page, one row each. */
export async function exportStorageStats(ctx: Ctx, input: Query): Promise<StreamResponse> {
  const { format } = input
  const rows = await transact(ctx, (db) => linesOf({ ...ctx, db }, input))
  ctx.audit({ bizType: 'entitlement', action: `导出云存统计 ${input.startDate} 至 ${input.endDate}` })
  return (_request, reply) => sendTable(reply, { name: '云存统计', format, columns: COLUMNS, rows })
}

async function linesOf(ctx: Ctx, input: Query) {
  const now = await getStorageSummary(ctx, input)
  const { days: usage } = await getStorageUsage(ctx, input)
  const one = line('概览')
  return [
    one('使用中通道', now.inForce, `待生效 ${now.waiting} 份，已暂停 ${now.suspended} 份`),
    one('开通率（%）', now.rate, `共 ${now.capable} 个通道支持云存储`),
    one('本月净收入（元）', now.revenue / 100, monthText(now)),
    one('7 天内到期', now.due7),
    one('30 天内到期', now.due30),
    one('已用空间（GB）', gigabytes(now.storedBytes)),
    one('今日上传（GB）', gigabytes(now.todayBytes)),
    ...(await soldLines(ctx, input)),
    ...(await getStorageTrend(ctx, input)).days.map(({ day, opened, renewed, expired }) =>
      line('每日开通')(day, opened, `续期 ${renewed}，到期 ${expired}`),
    ),
    ...usage.map(({ day, bytes, deviceDays }) => line('每日上传（GB）')(day, gigabytes(bytes), `${deviceDays} 个通道`)),
    ...(await getExpiryForecast(ctx, input)).list.map(({ day, n }) => line('到期预测')(day, n)),
  ]
}

async function soldLines(ctx: Ctx, input: Query) {
  return [
    ...(await listPackageStats(ctx, input)).list.map((row) => line('按套餐')(row.packageName, row.n, soldText(row))),
    ...(await listSourceStats(ctx, input)).list.map((row) =>
      line('按来源')(ENTITLEMENT_SOURCE[row.source as 1], row.n, soldText(row)),
    ),
    ...(ctx.user.can('ossManage:ossStatisticalAnalysis:query')
      ? (await listTenantStats(ctx, input)).list.map((row) => line('按客户')(row.tenantName, row.n, soldText(row)))
      : []),
  ]
}

/**
 * Sources of the statistics. The sums have a tenant but no creator. For an account that sees only the
 * entitlements it created, the same columns are computed from these rows.
 */
interface StatSources {
  /** `tenant_id, package_id, record_type, source, state, n`. */
  readonly counts: SQL
  /** `day, tenant_id, package_id, source, kind, n, amount`. */
  readonly flows: SQL
  /** `day, tenant_id, package_id, n`. */
  readonly ends: SQL
}

export function buildStatSources(user: User, tenantId: number | undefined): StatSources {
  const { ownOnly } = user.scope
  const within = (tenant: typeof ossCounts.tenantId | typeof ossFlows.tenantId | typeof ossEnds.tenantId) =>
    sql`${scoped(user, { tenant }) ?? sql`true`} and ${tenantId === undefined ? sql`true` : sql`${tenant} = ${tenantId}`}`
  const counts = sql`(select * from ${ossCounts} where ${within(ossCounts.tenantId)})`
  const flows = sql`(select * from ${ossFlows} where ${within(ossFlows.tenantId)})`
  const ends = sql`(select * from ${ossEnds} where ${within(ossEnds.tenantId)})`
  if (!ownOnly) return { counts, flows, ends }
  return {
    counts: sql`(select * from ${ownCounts(user.uid)} as oss_counts where ${within(ossCounts.tenantId)})`,
    flows: sql`(select * from ${ownFlows(user.uid)} as oss_flows where ${within(ossFlows.tenantId)})`,
    ends: sql`(select * from ${ownEnds(user.uid)} as oss_ends where ${within(ossEnds.tenantId)})`,
  }
}

const ownCounts = (uid: number) => sql`(select tenant_id, package_id, record_type, source, state, 1 as n
  from oss_entitlements where create_by = ${uid})`

const ownFlows = (uid: number) => sql`(select l.at_time::date as day, l.tenant_id, l.package_id, l.source,
    case when l.kind = 1 then 1 + l.is_renewal when l.kind = 2 and l.balance = 0 then 3 when l.kind = 4 then 4
      when l.kind = 3 then 5 end as kind, 1 as n, l.amount
  from oss_ledger l join oss_entitlements e on e.id = l.entitlement_id where e.create_by = ${uid})`

const ownEnds = (uid: number) => sql`(select q.end_time::date as day, q.tenant_id, e.package_id, 1 as n
  from oss_queues q join oss_entitlements e
    on e.device_id = q.device_id and e.channel = q.channel and e.end_time = q.end_time and e.state in (0, 1)
  where q.next_time is not null and e.create_by = ${uid})`
