import type { Module } from '#core/http/implement.ts'
import { aboutModule } from '#modules/about/about.module.ts'
import { accountListModule } from '#modules/account-list/account-list.module.ts'
import { accountModule } from '#modules/account/account.module.ts'
import { deviceAccessModule, deviceGroupModule } from '#modules/device-group/device-group.module.ts'
import { deviceModelModule, deviceTypeModule } from '#modules/device-model/device-model.module.ts'
import { dictDataModule, dictTypeModule } from '#modules/dict/dict.module.ts'
import { fileModule } from '#modules/file/file.module.ts'
import { displayModule, homeModule } from '#modules/home/home.module.ts'
import { jobModule } from '#modules/job/job.module.ts'
import { liveModule } from '#modules/live/live.module.ts'
import { logModule } from '#modules/log/log.module.ts'
import { menuModule } from '#modules/menu/menu.module.ts'
import { inboxModule, noticeModule } from '#modules/notice/notice.module.ts'
import { otaModules } from '#modules/ota/ota.module.ts'
import { roleModule } from '#modules/role/role.module.ts'
import { sceneModule } from '#modules/scene/scene.module.ts'
import { staffModule } from '#modules/staff/staff.module.ts'
import { deviceModules } from '#modules/device/device.modules.ts'
import { upgradeModules } from '#modules/upgrade/upgrade.modules.ts'
import { licenseModules } from '#modules/license/license.modules.ts'
import { ticketModules } from '#modules/ticket/ticket.modules.ts'
import { tenantModules } from '#modules/tenant/tenant.modules.ts'

/** Modules of the server, one line each. */
export const modules: readonly Module[] = [
  aboutModule,
  accountListModule,
  accountModule,
  deviceAccessModule,
  deviceGroupModule,
  deviceModelModule,
  deviceTypeModule,
  dictDataModule,
  dictTypeModule,
  fileModule,
  homeModule,
  displayModule,
  inboxModule,
  jobModule,
  liveModule,
  logModule,
  menuModule,
  noticeModule,
  ...otaModules,
  roleModule,
  sceneModule,
  staffModule,
  ...deviceModules,
  ...upgradeModules,
  ...licenseModules,
  ...ticketModules,
  ...tenantModules,
]
