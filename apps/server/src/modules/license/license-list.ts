import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { listUidSpellings } from '@oms/contract/license/license-uid.ts'
import { and, desc, eq, gte, inArray, not, type SQL, sql } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import { licenseEvents, licenses } from './schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { paginateLarge } from '#core/database/lists/prepared-list.ts'
import { paginate, within } from '#core/database/lists/list-query.ts'
import { maskLicense, selectLicenses, visibleLicenses } from './license-rows.ts'

export type LicenseFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

/** Returns the condition for UIDs that start with the text. The index has byte order. */
function beginningWith(text: string | undefined): SQL | undefined {
  if (!text) return undefined
  const ranges = spellings(text).map(
    (start) => sql`(${licenses.uid} >= ${start} and ${licenses.uid} < ${`${start}\u{10FFFF}`})`,
  )
  return sql`(${sql.join(ranges, sql` or `)})`
}

/** Returns the text with and without the hyphen that a person may omit after the letters. */
const spellings = (text: string) => [
  ...new Set(listUidSpellings(text).flatMap((each) => [each, each.replace(/^([A-Z]{3,7})(?=\d+[A-Z]*$)/, '$1-')])),
]

const USABLE = inArray(licenses.state, [1, 2, 3])

export function buildLicenseFilter(user: User, filter: Partial<LicenseFilter>): SQL | undefined {
  const { uid, sn, state, tenantId, batchId, vendor, typeCode, modelId, usable } = filter
  return and(
    visibleLicenses(user),
    beginningWith(uid),
    state === undefined ? undefined : eq(licenses.state, state),
    tenantId === undefined ? undefined : eq(licenses.tenantId, tenantId),
    batchId === undefined ? undefined : eq(licenses.batchId, batchId),
    vendor === undefined ? undefined : eq(licenses.vendor, vendor),
    typeCode === undefined ? undefined : eq(licenses.typeCode, typeCode),
    modelId === undefined ? undefined : eq(licenses.modelId, modelId),
    usable === undefined ? undefined : usable === 1 ? USABLE : not(USABLE),
    sn ? sql`${licenses.deviceId} in (select id from ${devices} where sn = ${sn} and deleted_at is null)` : undefined,
    ...within(licenses.importTime, filter.beginTime, filter.endTime),
    ...within(licenses.allotTime, filter.allotBegin, filter.allotEnd),
    ...within(licenses.activateTime, filter.activateBegin, filter.activateEnd),
    ...within(licenses.expireTime, filter.expireBegin, filter.expireEnd),
  )
}

/** Returns the sort order: newest first unless a column is given. Ids increase with time. */
export function buildLicenseSort({ orderByColumn, isAsc }: Pick<LicenseFilter, 'orderByColumn' | 'isAsc'>): SQL[] {
  const column = orderByColumn === 'uid' ? licenses.uid : licenses.id
  return [orderByColumn && isAsc === 'asc' ? sql`${column} asc` : desc(column)]
}

const EXACT = {
  state: licenses.state,
  tenantId: licenses.tenantId,
  batchId: licenses.batchId,
  vendor: licenses.vendor,
  typeCode: licenses.typeCode,
  modelId: licenses.modelId,
} as const

export async function listLicenses(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const page = await paginateLarge(ctx, input, {
    name: 'license',
    key: licenses.id,
    exact: EXACT,
    order: buildLicenseSort(input),
    select: () => selectLicenses(ctx.db).$dynamic(),
    where: () => buildLicenseFilter(ctx.user, input),
  })
  return { ...page, list: page.list.map(maskLicense) }
}

export async function getLicense({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectLicenses(db).where(and(eq(licenses.id, id), visibleLicenses(user)))
  if (!found) throw notFound('证书')
  return maskLicense(found)
}

/**
 * Lists the history of one certificate. A tenant sees only events since the certificate was allotted to the tenant.
 */
export async function listLicenseEvents({ db, user }: Ctx, { id, ...page }: ParsedOf<typeof calls.events>) {
  const [license] = await db
    .select({ tenantId: licenses.tenantId, allotTime: licenses.allotTime })
    .from(licenses)
    .where(and(eq(licenses.id, id), visibleLicenses(user)))
  if (!license) throw notFound('证书')
  const rows = db
    .select({
      id: licenseEvents.id,
      action: licenseEvents.action,
      fromState: licenseEvents.fromState,
      toState: licenseEvents.toState,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      deviceSn: licenseEvents.deviceSn,
      operName: licenseEvents.operName,
      reason: licenseEvents.reason,
      createTime: licenseEvents.createTime,
    })
    .from(licenseEvents)
    .leftJoin(tenants, eq(tenants.id, licenseEvents.tenantId))
    .where(
      and(
        eq(licenseEvents.licenseId, id),
        user.isPlatform ? undefined : eq(licenseEvents.tenantId, license.tenantId ?? 0),
        user.isPlatform || license.allotTime === null ? undefined : gte(licenseEvents.createTime, license.allotTime),
      ),
    )
    .$dynamic()
  return paginate(db, rows, page, [desc(licenseEvents.id)])
}
