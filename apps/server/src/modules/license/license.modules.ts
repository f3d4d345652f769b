import { licenseCerts, licenseOptions } from '@oms/contract/license/license.ts'
import { licenseGrants } from '@oms/contract/license/license-grant.ts'
import { licenseStats } from '@oms/contract/license/license-statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  addQuota,
  audit,
  create,
  get as getGrant,
  ledger,
  list as listGrants,
  renew,
  revoke,
} from './grants/grant.service.ts'
import { exportGrants } from './grants/grant-export.ts'
import { allot, allotFree, plan } from './grants/license-allot.service.ts'
import { allotFile } from './grants/license-allot-file.ts'
import { batches, saveThreshold, thresholds } from './license-batch.service.ts'
import { exportMasked, exportPlain } from './license-export.ts'
import { licenseImport } from './license-import.ts'
import { events, get, list } from './license-list.service.ts'
import { batchOptions, modelOptions, tenantOptions, typeOptions } from './license-options.service.ts'
import { preview } from './license-preview.ts'
import { exportStats } from './statistics/license-stat-export.ts'
import { expiring, models, summary, tenants, trend, vendors } from './statistics/license-stat.service.ts'
import { bind, recall, resume, reveal, scrap, suspend, unbind } from './license-step.service.ts'
import { saveTenantThreshold } from './statistics/license-tenant-stock.ts'

const certModule = implement(
  licenseCerts,
  {
    list,
    get,
    events,
    reveal,
    template: licenseImport.template,
    preview,
    import: licenseImport.take,
    plan,
    allot,
    allotFree,
    allotTemplate: allotFile.template,
    allotFile: allotFile.take,
    recall,
    unbind,
    suspend,
    resume,
    scrap,
    bind,
    export: exportMasked,
    exportPlain,
    batches,
    thresholds,
    saveThreshold,
    saveTenantThreshold,
  },
  { outsideTransaction: ['reveal', 'preview', 'import', 'allotFile', 'export', 'exportPlain'] },
)
const optionsModule = implement(licenseOptions, {
  tenants: tenantOptions,
  models: modelOptions,
  batches: batchOptions,
  types: typeOptions,
})
const grantModule = implement(licenseGrants, {
  list: listGrants,
  get: getGrant,
  ledger,
  create,
  audit,
  renew,
  addQuota,
  revoke,
  export: exportGrants,
})
const statModule = implement(licenseStats, { summary, trend, expiring, vendors, models, tenants, export: exportStats })

export const licenseModules: readonly Module[] = [certModule, optionsModule, grantModule, statModule]
