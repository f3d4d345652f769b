import type { Kernel } from '#kernel/kernel.ts'
import { registerExports } from '#kernel/table/export-job.ts'
import { registerImports } from '#kernel/table/import-job.ts'
import { registerFileSweep } from '#modules/file/sweep.ts'
import { registerFleetSamples } from '#modules/home/fleet-samples.ts'
import { registerLogRetention } from '#modules/log/retention.ts'
import { registerNoticeClock } from '#modules/notice/notice-clock.ts'
import { registerOtaScrub } from '#modules/ota/ota-scrub.ts'
import { registerUpgradeJobs } from '#modules/upgrade/upgrade.jobs.ts'
import { registerLicenseJobs } from '#modules/license/license.jobs.ts'
import { registerTicketJobs } from '#modules/ticket/ticket.jobs.ts'
import { registerTenantJobs } from '#modules/tenant/tenant.jobs.ts'
import { registerHousekeeping } from './housekeeping.ts'

/** Every kind of background job; one line each. */
export function registerJobs(kernel: Kernel) {
  registerFileSweep(kernel)
  registerExports(kernel)
  registerImports(kernel)
  registerHousekeeping(kernel)
  registerNoticeClock(kernel)
  registerLogRetention(kernel)
  registerFleetSamples(kernel)
  registerOtaScrub(kernel)
  registerUpgradeJobs(kernel)
  registerLicenseJobs(kernel)
  registerTicketJobs(kernel)
  registerTenantJobs(kernel)
}
