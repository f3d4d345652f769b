import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { storageDeviceVideos } from '@oms/contract/storage/device-video.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  listAllowanceLedger,
  createAllowance,
  getAllowance,
  listAllowances,
  updateAllowance,
} from './allowances/allowance.ts'
import { appAccountModule } from './app-accounts/app-account.module.ts'
import { getDeviceQueues } from './device-queue.ts'
import { getDeviceUsage, explainPermitForDevice } from './device-video.ts'
import { exportEntitlements, getEntitlement, listEntitlements } from './entitlements/entitlement-rows.ts'
import { openPackage, planOpening } from './entitlements/open.ts'
import { listDeviceOptions, listPackageOptions, listTransferTargets } from './options.ts'
import { exportPackages, getPackage, listPackages, listPackageVersions } from './packages/package-rows.ts'
import { createPackage, disablePackage, enablePackage, removePackage, updatePackage } from './packages/package-save.ts'
import { renewEntitlements } from './orders/renew.ts'
import { storageStatModules } from './statistics/storage-stat.modules.ts'
import { storageSalesModules } from './orders/storage-sales.modules.ts'
import { cancelEntitlements, resumeEntitlements, suspendEntitlements } from './entitlements/step.ts'
import { transferEntitlements } from './entitlements/transfer.ts'
import { tooMany } from '#core/http/api-error.ts'
import { limitConcurrency } from '#core/process/limit-concurrency.ts'

const packageModule = implement(storagePackages, {
  list: listPackages,
  get: getPackage,
  versions: listPackageVersions,
  create: createPackage,
  update: updatePackage,
  remove: removePackage,
  enable: enablePackage,
  disable: disablePackage,
  export: exportPackages,
})
/**
 * Limits calls that lock queues, so that calls for the same entitlement do not hold all database connections while they
 * wait for the lock.
 */
const limitQueueChanges = limitConcurrency(2, 500, () => tooMany(5))

const entitlementModule = implement(
  storageEntitlements,
  {
    list: listEntitlements,
    get: getEntitlement,
    queue: getDeviceQueues,
    plan: planOpening,
    open: openPackage,
    renew: renewEntitlements,
    suspend: suspendEntitlements,
    resume: resumeEntitlements,
    cancel: cancelEntitlements,
    transfer: transferEntitlements,
    export: exportEntitlements,
  },
  { limit: { entries: ['open', 'renew', 'suspend', 'resume', 'cancel', 'transfer'], run: limitQueueChanges } },
)
const deviceVideoModule = implement(storageDeviceVideos, { why: explainPermitForDevice, usage: getDeviceUsage })
const optionsModule = implement(storageOptions, {
  packages: listPackageOptions,
  devices: listDeviceOptions,
  targets: listTransferTargets,
})
const allowanceModule = implement(storageAllowances, {
  list: listAllowances,
  get: getAllowance,
  ledger: listAllowanceLedger,
  create: createAllowance,
  update: updateAllowance,
})

export const storageModules: readonly Module[] = [
  packageModule,
  entitlementModule,
  deviceVideoModule,
  optionsModule,
  allowanceModule,
  appAccountModule,
  ...storageStatModules,
  ...storageSalesModules,
]
