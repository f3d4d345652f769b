import type { Module } from '#core/http/implement.ts'
import { accountModules } from '#modules/account/index.ts'
import { systemModules } from '#modules/system/index.ts'
import { tenantModules } from '#modules/tenant/index.ts'
import { integrationModules } from '#modules/integration/index.ts'
import { deviceModules } from '#modules/device/index.ts'
import { upgradeModules } from '#modules/upgrade/index.ts'
import { licenseModules } from '#modules/license/index.ts'
import { ticketModules } from '#modules/ticket/index.ts'
import { storageModules } from '#modules/storage/index.ts'
import { advertiseModules } from '#modules/advertise/index.ts'
import { agentModules } from '#modules/agent/index.ts'
import { homeModules } from '#modules/home/index.ts'

/** All calls of the modules, in the order of the modules. The server mounts them, and tests visit each of them. */
export const modules: readonly Module[] = [
  accountModules,
  systemModules,
  tenantModules,
  integrationModules,
  deviceModules,
  upgradeModules,
  licenseModules,
  ticketModules,
  storageModules,
  advertiseModules,
  agentModules,
  homeModules,
].flat()
