import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { and } from 'drizzle-orm'
import { licenses } from './schema.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { buildLicenseFilter, buildLicenseSort } from './license-list.ts'
import { maskLicense, selectLicenses } from './license-rows.ts'

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
