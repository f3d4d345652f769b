import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { and } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenses } from './schema.ts'
import type { User } from '#core/http/context.ts'
import { among } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { buildLicenseFilter, type LicenseFilter, buildLicenseSort } from './license-list.ts'
import { maskLicense, selectLicenses, visibleLicenses } from './license-rows.ts'

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
  keys: (db: Db, user: User, input: LicenseFilter) =>
    db.select({ id: licenses.id }).from(licenses).where(buildLicenseFilter(user, input)).$dynamic(),
  order: buildLicenseSort,
  keyOf: ({ id }: LicenseRow) => id,
} as const
const rowsOf = (db: Db, user: User, keys: number[]) =>
  selectLicenses(db).where(and(visibleLicenses(user), among(licenses.id, keys)))

/** Exports the filtered list with masked UIDs. No export contains keys. */
export const exportMaskedLicenses = defineExport({
  ...common,
  kind: 'license',
  endpoint: calls.export,
  sheet: 'P2P证书',
  load: async (db, user, keys) => (await rowsOf(db, user, keys)).map(maskLicense),
})

/**
 * Exports the filtered list with full UIDs. Omits the stock for staff limited to chosen tenants, because all tenants
 * share the stock.
 */
export const exportPlainLicenses = defineExport({
  ...common,
  kind: 'license-plain',
  keys: (db, user, input) =>
    db
      .select({ id: licenses.id })
      .from(licenses)
      .where(and(buildLicenseFilter(user, input), scoped(user, { tenant: licenses.tenantId })))
      .$dynamic(),
  endpoint: calls.exportPlain,
  sheet: 'P2P证书明文',
  load: (db, user, keys) => rowsOf(db, user, keys),
})
