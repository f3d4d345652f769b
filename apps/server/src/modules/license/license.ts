import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { maskUid, listUidSpellings } from '@oms/contract/license/license-uid.ts'
import { licenseCerts as calls, type licenseOptions as options } from '@oms/contract/license/license.ts'
import { and, asc, eq, isNull, or, type SQL, sql, desc, gte, inArray, not } from 'drizzle-orm'
import { assertHasPermissionInDirectory } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { among, paginate, within, contains } from '#core/database/lists/list-query.ts'
import { paginateLarge } from '#core/database/lists/prepared-list.ts'
import { refused, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { PLATFORM_TENANT_ID, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import type { StepContext, StoredLicense } from './license-step.ts'
import { licenseBatches, licenses, licenseEvents, licenseCounts, licenseGrants } from './schema.ts'

/**
 * Returns the condition for certificates that the account may see. Tenants see their own, staff of the vendor also
 * the stock.
 */
export function visibleLicenses(user: User): SQL | undefined {
  if (user.scope.tenants === 'all') return undefined
  const own = scoped(user, { tenant: licenses.tenantId })
  return user.isPlatform && isTenantInScope(user, PLATFORM_TENANT_ID) ? or(own, isNull(licenses.tenantId)) : own
}

const licenseColumns = {
  id: licenses.id,
  uid: licenses.uid,
  vendor: licenses.vendor,
  typeCode: licenses.typeCode,
  state: licenses.state,
  batchId: licenses.batchId,
  batchNo: sql<string>`coalesce(${licenseBatches.batchNo}, '')`.as('batch_no'),
  tenantId: licenses.tenantId,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  modelId: licenses.modelId,
  modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
  modelCode: sql<string>`coalesce(${deviceModels.modelCode}, '')`.as('model_code'),
  deviceId: licenses.deviceId,
  sn: sql<string>`coalesce(${devices.sn}, '')`.as('device_sn'),
  hasKey: sql<boolean>`${licenses.keySealed} <> ''`.as('has_key'),
  importTime: licenses.importTime,
  allotTime: licenses.allotTime,
  bindTime: licenses.bindTime,
  activateTime: licenses.activateTime,
  lastOnlineTime: devices.lastOnlineTime,
  expireTime: licenses.expireTime,
  operName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('oper_name'),
  remark: licenses.remark,
}

/** Selects certificates with the columns of lists and details, unmasked. */
const selectLicenses = (db: Db) =>
  db
    .select(licenseColumns)
    .from(licenses)
    .leftJoin(licenseBatches, eq(licenseBatches.id, licenses.batchId))
    .leftJoin(tenants, eq(tenants.id, licenses.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, licenses.modelId))
    .leftJoin(devices, eq(devices.id, licenses.deviceId))
    .leftJoin(accounts, eq(accounts.uid, licenses.updateBy))

const maskLicense = (row: LicenseRow): LicenseRow => ({ ...row, uid: maskUid(row.uid) })

/** Locks certificates in a fixed order, so that two batches cannot deadlock. */
export const lockLicenses = (db: Db, user: User, ids: readonly number[]): Promise<StoredLicense[]> =>
  db
    .select()
    .from(licenses)
    .where(and(among(licenses.id, ids), visibleLicenses(user)))
    .orderBy(asc(licenses.id))
    .for('update')

/** Returns the actor, time and reason for the history of each certificate. */
export const createStepContext = ({ db, now, user }: Pick<Ctx, 'db' | 'now' | 'user'>, reason = ''): StepContext => ({
  db,
  now,
  uid: user.uid,
  operName: user.realname || user.account,
  reason,
})

interface Failed {
  readonly id: number
  readonly name: string
  readonly msg: string
}

/** Splits the certificates of a batch into those that can proceed and those that fail with a reason. */
export function splitLicensesByProblem(
  ids: readonly number[],
  found: readonly StoredLicense[],
  problemOf: (license: StoredLicense) => string | undefined,
) {
  const known = new Set(found.map(({ id }) => id))
  const failed: Failed[] = [...new Set(ids)]
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: String(id), msg: '证书不存在' }))
  const good = found.filter((license) => {
    const msg = problemOf(license)
    if (msg !== undefined) failed.push({ id: license.id, name: maskUid(license.uid), msg })
    return msg === undefined
  })
  return { good, failed }
}

/** Returns the report of a batch. Throws when the batch contains a single failed certificate. */
export function buildBatchReport(ids: readonly number[], done: number, failed: Failed[]) {
  if (ids.length === 1 && failed[0]) throw refused(failed[0].msg)
  return { done, failed }
}

/** Publishes a change to open lists. Changes of several tenants are published to all accounts. */
export function publishLicensesChanged(
  { services, db }: Pick<Ctx, 'services' | 'db'>,
  tenantIds: readonly (number | null)[],
) {
  const [first, ...rest] = new Set(tenantIds)
  return services.events.publish(db, 'changed', {
    resource: 'license',
    tenantId: rest.length > 0 ? null : (first ?? null),
  })
}

type LicenseFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

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

function buildLicenseFilter(user: User, filter: Partial<LicenseFilter>): SQL | undefined {
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
function buildLicenseSort({ orderByColumn, isAsc }: Pick<LicenseFilter, 'orderByColumn' | 'isAsc'>): SQL[] {
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

const MAX_OPTIONS = 100

export async function listBatchOptions({ db, user }: Ctx, { keyword, stock }: ParsedOf<typeof options.batches>) {
  const left = sql<number>`(select coalesce(sum(n), 0)::int from license_counts c where c.batch_id = ${licenseBatches.id} and c.state = 0)`
  const seen =
    user.scope.tenants === 'all'
      ? undefined
      : sql`exists (select from ${licenseCounts} where ${licenseCounts.batchId} = ${licenseBatches.id} and ${scoped(user, { tenant: licenseCounts.tenantId })})`
  const rows = await db
    .select({ id: licenseBatches.id, name: licenseBatches.batchNo, vendor: licenseBatches.vendor, stock: left })
    .from(licenseBatches)
    .where(and(seen, contains(licenseBatches.batchNo, keyword), stock === 1 ? sql`${left} > 0` : undefined))
    .orderBy(desc(licenseBatches.id))
    .limit(MAX_OPTIONS)
  return { list: rows }
}

/** Lists type codes that occur in deliveries and grants. */
export async function listTypeOptions({ db, user }: Ctx) {
  assertHasPermissionInDirectory(user, 'LicenseManage')
  const { rows } = await db.execute<{ code: string }>(sql`
    select distinct type_code as code from ${licenseCounts}
      where ${user.scope.tenants === 'all' ? sql`true` : scoped(user, { tenant: licenseCounts.tenantId })}
    union select distinct type_code from ${licenseGrants} where ${scoped(user, { tenant: licenseGrants.tenantId }) ?? sql`true`}
    order by 1 limit ${MAX_OPTIONS}`)
  return { list: rows.map(({ code }) => code) }
}

const time = { type: 'dateTime', width: 20 } as const
const common = {
  schema: LicenseRow,
  columns: [
    ['uid', { width: 26 }],
    'vendor',
    'typeCode',
    'state',
    'batchNo',
    'tenantName',
    'modelName',
    'modelCode',
    ['sn', { width: 24 }],
    ['importTime', time],
    ['allotTime', time],
    ['bindTime', time],
    ['activateTime', time],
    ['expireTime', time],
    'operName',
    'remark',
  ],
  key: licenses.id,
  where: buildLicenseFilter,
  order: buildLicenseSort,
  keyOf: ({ id }: LicenseRow) => id,
} as const

/** Exports the filtered list with masked UIDs. No export contains keys. */
export const exportMaskedLicenses = defineExport({
  ...common,
  kind: 'license',
  endpoint: calls.export,
  sheet: 'P2P证书',
  load: async (db, _user, where) => (await selectLicenses(db).where(where)).map(maskLicense),
})

/**
 * Exports the filtered list with full UIDs. Omits the stock for staff limited to chosen tenants, because all tenants
 * share the stock.
 */
export const exportPlainLicenses = defineExport({
  ...common,
  kind: 'license-plain',
  where: (user, input) => and(buildLicenseFilter(user, input), scoped(user, { tenant: licenses.tenantId })),
  endpoint: calls.exportPlain,
  sheet: 'P2P证书明文',
  load: (db, _user, where) => selectLicenses(db).where(where),
})
