import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { licenseStats } from '@oms/contract/license/license-statistics.ts'
import { licenseCerts, licenseOptions } from '@oms/contract/license/license.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import { allotWithGrant, allotWithoutGrant, planAllotment, importAllotments } from './allot.ts'
import {
  addGrantQuota,
  reviewGrant,
  createGrant,
  getGrant,
  listLedgerEntries,
  listGrants,
  renewGrant,
  revokeGrant,
  exportGrants,
} from './grant.ts'
import { listBatches, saveThreshold, listThresholds } from './license-batch.ts'
import { importLicenses, previewImport } from './license-import.ts'
import { registerLicenseSchedule } from './license-schedule.ts'
import {
  bindLicense,
  recallLicenses,
  resumeLicenses,
  revealUid,
  scrapLicenses,
  suspendLicenses,
  unbindLicenses,
} from './license-step.ts'
import {
  exportMaskedLicenses,
  exportPlainLicenses,
  listLicenseEvents,
  getLicense,
  listLicenses,
  listBatchOptions,
  listTypeOptions,
} from './license.ts'
import {
  exportTenantStatistics,
  countExpiringLicenses,
  listModelStats,
  getLicenseSummary,
  listTenantStats,
  getLicenseTrend,
  listVendorStats,
  saveTenantThreshold,
} from './statistics.ts'

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

/** All calls of this module. */
export const licenseModules: readonly Module[] = [certModule, optionsModule, grantModule, statModule]

export function registerLicenseJobs(services: Services) {
  registerLicenseSchedule(services)
}

// What later modules use.
export { licenseGrants } from './schema.ts'
