import { industry } from '@oms/contract/tenant/industry.ts'
import { scene } from '@oms/contract/tenant/scene.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import * as applications from './application.ts'
import * as industries from './industry.ts'
import { listSceneOptions } from './open-tenant.ts'
import { getTenantOverview, getOverviewBlock } from './overview.ts'
import {
  getScene,
  listScenes,
  getScenePermissionTree,
  listSceneTenants,
  createScene,
  disableScene,
  enableScene,
  removeScene,
  syncSceneTenants,
  updateScene,
} from './scene.ts'
import {
  disableTenant,
  enableTenant,
  changeJoinCode,
  removeTenant,
  renewTenant,
  registerTenantSchedule,
} from './tenant-status.ts'
import { listSwitchableTenants, switchToHomeTenant, switchToTenant } from './tenant-switch.ts'
import { createTenant, exportTenants, getTenant, listTenants, updateTenant } from './tenant.ts'

const tenantModule = implement(
  tenant,
  {
    list: listTenants,
    scenes: listSceneOptions,
    export: exportTenants,
    get: getTenant,
    overview: getTenantOverview,
    overviewBlock: getOverviewBlock,
    create: createTenant,
    update: updateTenant,
    remove: removeTenant,
    enable: enableTenant,
    disable: disableTenant,
    renew: renewTenant,
    joinCode: changeJoinCode,
    switchable: listSwitchableTenants,
    switchTo: switchToTenant,
    switchBack: switchToHomeTenant,
  },
  { outsideTransaction: ['create'] },
)

const industryModule = implement(industry, {
  list: industries.listIndustries,
  options: industries.listIndustryOptions,
  create: industries.createIndustry,
  preset: industries.createPresetIndustries,
  update: industries.updateIndustry,
  remove: industries.removeIndustry,
  enable: industries.enableIndustry,
  disable: industries.disableIndustry,
  merge: industries.mergeIndustries,
  sort: industries.sortIndustries,
})

const applyModule = implement(
  userApply,
  {
    list: applications.listApplications,
    count: applications.countWaitingApplications,
    code: applications.getOwnJoinCode,
    roles: applications.listRoleOptions,
    audit: applications.reviewApplication,
    export: applications.exportApplications,
    mine: applications.listOwnApplications,
    get: applications.getApplication,
    apply: applications.submitApplication,
    cancel: applications.cancelApplication,
  },
  { outsideTransaction: ['audit'] },
)

const sceneModule = implement(scene, {
  list: listScenes,
  get: getScene,
  create: createScene,
  update: updateScene,
  remove: removeScene,
  enable: enableScene,
  disable: disableScene,
  sync: syncSceneTenants,
  permTree: getScenePermissionTree,
  tenants: listSceneTenants,
})

/** All calls of this module. */
export const tenantModules: readonly Module[] = [tenantModule, industryModule, applyModule, sceneModule]

export function registerTenantJobs(services: Services) {
  registerTenantSchedule(services)
}
