import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { storageDeviceVideos } from '@oms/contract/storage/device-video.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  allowanceLedger,
  createAllowance,
  getAllowance,
  listAllowances,
  updateAllowance,
} from './allowances/allowance.service.ts'
import { queue } from './device-queue.service.ts'
import { deviceUsage, why } from './device-video.service.ts'
import { exportEntitlements, get as getEntitlement, list as listEntitlements } from './entitlements/entitlement-rows.ts'
import { openPackage, plan } from './entitlements/open.service.ts'
import { deviceOptions, modelOptions, packageOptions, tenantOptions } from './options.service.ts'
import { exportPackages, get, list, versions } from './packages/package-rows.ts'
import { create, disable, enable, remove, update } from './packages/package-save.ts'
import { renew } from './orders/renew.service.ts'
import { storageStatModules } from './statistics/storage-stat.modules.ts'
import { storageSalesModules } from './orders/storage-sales.modules.ts'
import { cancelAll, resumeAll, suspendAll, transfer } from './entitlements/step.service.ts'

const packageModule = implement(storagePackages, {
  list,
  get,
  versions,
  create,
  update,
  remove,
  enable,
  disable,
  export: exportPackages,
})
const entitlementModule = implement(storageEntitlements, {
  list: listEntitlements,
  get: getEntitlement,
  queue,
  plan,
  open: openPackage,
  renew,
  suspend: suspendAll,
  resume: resumeAll,
  cancel: cancelAll,
  transfer,
  export: exportEntitlements,
})
const deviceVideoModule = implement(storageDeviceVideos, { why, usage: deviceUsage })
const optionsModule = implement(storageOptions, {
  tenants: tenantOptions,
  models: modelOptions,
  packages: packageOptions,
  devices: deviceOptions,
})
const allowanceModule = implement(storageAllowances, {
  list: listAllowances,
  get: getAllowance,
  ledger: allowanceLedger,
  create: createAllowance,
  update: updateAllowance,
})

export const storageModules: readonly Module[] = [
  packageModule,
  entitlementModule,
  deviceVideoModule,
  optionsModule,
  allowanceModule,
  ...storageStatModules,
  ...storageSalesModules,
]
