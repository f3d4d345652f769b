import { storageOptions } from '@oms/contract/storage/options.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { modelOptions, tenantOptions } from './options.service.ts'
import { exportPackages, get, list, versions } from './package-rows.ts'
import { create, disable, enable, remove, update } from './package-save.ts'

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
const optionsModule = implement(storageOptions, { tenants: tenantOptions, models: modelOptions })

export const storageModules: readonly Module[] = [packageModule, optionsModule]
