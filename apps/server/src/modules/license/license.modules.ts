import { licenseCerts, licenseOptions } from '@oms/contract/license/license.ts'
import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { licenseStats } from '@oms/contract/license/license-statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  addGrantQuota,
  reviewGrant,
  createGrant,
  getGrant,
  listLedgerEntries,
  listGrants,
  renewGrant,
  revokeGrant,
} from './grants/grant.ts'
import { exportGrants } from './grants/grant-export.ts'
import { allotWithGrant, allotWithoutGrant, planAllotment } from './grants/allot-calls.ts'
import { importAllotments } from './grants/license-allot-file.ts'
import { listBatches, saveThreshold, listThresholds } from './license-batch.ts'
import { exportMaskedLicenses, exportPlainLicenses } from './license-export.ts'
import { importLicenses } from './license-import.ts'
import { listLicenseEvents, getLicense, listLicenses } from './license-list.ts'
import { listBatchOptions, listTypeOptions } from './license-options.ts'
import { previewImport } from './license-preview.ts'
import { exportTenantStatistics } from './statistics/license-stat-export.ts'
import {
  countExpiringLicenses,
  listModelStats,
  getLicenseSummary,
  listTenantStats,
  getLicenseTrend,
  listVendorStats,
} from './statistics/license-stat.ts'
import {
  bindLicense,
  recallLicenses,
  resumeLicenses,
  revealUid,
  scrapLicenses,
  suspendLicenses,
  unbindLicenses,
} from './license-step.ts'
import { saveTenantThreshold } from './statistics/license-tenant-stock.ts'

const certModule = implement(
  licenseCerts,
  {
    list: listLicenses,
    get: getLicense,
    events: listLicenseEvents,
    reveal: revealUid,
    template: importLicenses.template,
    preview: previewImport,
    import: importLicenses.take,
    plan: planAllotment,
    allot: allotWithGrant,
    allotFree: allotWithoutGrant,
    allotTemplate: importAllotments.template,
    allotFile: importAllotments.take,
    recall: recallLicenses,
    unbind: unbindLicenses,
    suspend: suspendLicenses,
    resume: resumeLicenses,
    scrap: scrapLicenses,
    bind: bindLicense,
    export: exportMaskedLicenses,
    exportPlain: exportPlainLicenses,
    batches: listBatches,
    thresholds: listThresholds,
    saveThreshold,
    saveTenantThreshold,
  },
  { outsideTransaction: ['reveal', 'preview', 'import', 'allotFile', 'export', 'exportPlain'] },
)
const optionsModule = implement(licenseOptions, {
  batches: listBatchOptions,
  types: listTypeOptions,
})
const grantModule = implement(licenseGrants, {
  list: listGrants,
  get: getGrant,
  ledger: listLedgerEntries,
  create: createGrant,
  audit: reviewGrant,
  renew: renewGrant,
  addQuota: addGrantQuota,
  revoke: revokeGrant,
  export: exportGrants,
})
const statModule = implement(licenseStats, {
  summary: getLicenseSummary,
  trend: getLicenseTrend,
  expiring: countExpiringLicenses,
  vendors: listVendorStats,
  models: listModelStats,
  tenants: listTenantStats,
  export: exportTenantStatistics,
})

export const licenseModules: readonly Module[] = [certModule, optionsModule, grantModule, statModule]
