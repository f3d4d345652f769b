import { registerMail } from '#core/mail.ts'
import type { Services } from '#core/services.ts'
import { registerExports } from '#core/spreadsheet/export-job.ts'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { registerAgentJobs } from '#modules/agent/index.ts'
import { registerAdvertiseJobs } from '#modules/advertise/index.ts'
import { registerStorageJobs } from '#modules/storage/index.ts'
import { registerSystemJobs } from '#modules/system/index.ts'
import { registerHomeJobs } from '#modules/home/index.ts'
import { registerIntegrationJobs } from '#modules/integration/index.ts'
import { registerLicenseJobs } from '#modules/license/index.ts'
import { registerUpgradeJobs } from '#modules/upgrade/index.ts'
import { registerTenantJobs } from '#modules/tenant/index.ts'
import { registerTicketJobs } from '#modules/ticket/index.ts'
import { registerHousekeeping } from './housekeeping.ts'

/** Registers every kind of background job, one line each. */
export function registerJobs(services: Services) {
  registerSystemJobs(services)
  registerExports(services)
  registerImports(services)
  registerHousekeeping(services)
  registerMail(services)
  registerHomeJobs(services)
  registerUpgradeJobs(services)
  registerLicenseJobs(services)
  registerStorageJobs(services)
  registerAdvertiseJobs(services)
  registerTicketJobs(services)
  registerTenantJobs(services)
  registerIntegrationJobs(services)
  registerAgentJobs(services)
}
