import type { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { maskUid } from '@oms/contract/license/license-uid.ts'
import { and, asc, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { licenseBatches, licenses } from './schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StepContext, StoredLicense } from './steps.ts'
import { refused } from '#core/http/api-error.ts'
import { among } from '#core/database/lists/list-query.ts'
import { PLATFORM_TENANT_ID, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'

export type { StoredLicense }

/**
 * Returns the condition for certificates that the account may see. Tenants see their own, staff of the vendor also
 * the stock.
 */
export function visibleLicenses(user: User): SQL | undefined {
  if (user.scope.tenants === 'all') return undefined
  const own = scoped(user, { tenant: licenses.tenantId })
  return user.isPlatform && isTenantInScope(user, PLATFORM_TENANT_ID) ? or(own, isNull(licenses.tenantId)) : own
}

export const licenseColumns = {
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
export const selectLicenses = (db: Db) =>
  db
    .select(licenseColumns)
    .from(licenses)
    .leftJoin(licenseBatches, eq(licenseBatches.id, licenses.batchId))
    .leftJoin(tenants, eq(tenants.id, licenses.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, licenses.modelId))
    .leftJoin(devices, eq(devices.id, licenses.deviceId))
    .leftJoin(accounts, eq(accounts.uid, licenses.updateBy))

export const maskLicense = (row: LicenseRow): LicenseRow => ({ ...row, uid: maskUid(row.uid) })

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
