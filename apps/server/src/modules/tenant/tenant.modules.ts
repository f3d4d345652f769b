import { appAccount } from '@oms/contract/tenant/app-account.ts'
import { industry } from '@oms/contract/tenant/industry.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { implement, type Module } from '#core/http/implement.ts'
import * as apps from './app-account.service.ts'
import { importApps } from './app-account-import.ts'
import * as industries from './industry.service.ts'
import { exportApplications, exportTenants } from './tenant-export.ts'
import { overview, overviewBlock } from './overview/tenant-overview.service.ts'
import { sceneOptions } from './tenant-scenes.ts'
import { create, get, list, simple, update } from './tenant.service.ts'
import { disable, enable, joinCode, remove, renew } from './tenant-status.service.ts'
import { switchable, switchBack, switchTo } from './tenant-switch.service.ts'
import { audit } from './applications/user-apply-audit.ts'
import * as applications from './applications/user-apply.service.ts'

const tenantModule = implement(
  tenant,
  {
    list,
    simple,
    scenes: sceneOptions,
    export: exportTenants,
    get,
    overview,
    overviewBlock,
    create,
    update,
    remove,
    enable,
    disable,
    renew,
    joinCode,
    switchable,
    switchTo,
    switchBack,
  },
  { outsideTransaction: ['create'] },
)

const industryModule = implement(industry, {
  list: industries.list,
  options: industries.options,
  create: industries.create,
  preset: industries.preset,
  update: industries.update,
  remove: industries.remove,
  enable: industries.enable,
  disable: industries.disable,
  merge: industries.merge,
  sort: industries.sort,
})

const applyModule = implement(
  userApply,
  {
    list: applications.list,
    count: applications.count,
    code: applications.code,
    roles: applications.roleOptions,
    audit,
    export: exportApplications,
    mine: applications.mine,
    get: applications.get,
    apply: applications.apply,
    cancel: applications.cancel,
  },
  { outsideTransaction: ['audit'] },
)

const appModule = implement(
  appAccount,
  {
    list: apps.list,
    export: apps.exportApps,
    template: importApps.template,
    import: importApps.take,
    get: apps.get,
    devices: apps.boundDevices,
    create: apps.create,
    enable: apps.enable,
    disable: apps.disable,
    bind: apps.bind,
    unbind: apps.unbind,
  },
  { outsideTransaction: ['import'] },
)

export const tenantModules: readonly Module[] = [tenantModule, industryModule, applyModule, appModule]
