import type { Services } from '#core/services.ts'
import { registerExports } from '#core/spreadsheet/export-job.ts'
import { registerImports } from '#core/spreadsheet/import-job.ts'
import { registerMail } from '#core/mail/mail-queue.ts'
import { registerFileSweep } from '#modules/file/sweep.ts'
import { registerFleetSamples } from '#modules/home/fleet-samples.ts'
import { registerLogRetention } from '#modules/log/retention.ts'
import { registerNoticeSchedule } from '#modules/notice/notice-schedule.ts'
import { registerOtaScrub } from '#modules/ota/ota-scrub.ts'
import { registerUpgradeJobs } from '#modules/upgrade/upgrade.jobs.ts'
import { registerLicenseJobs } from '#modules/license/license.jobs.ts'
import { registerStorageClock } from '#modules/storage/storage-clock.ts'
import { registerStorageNotice } from '#modules/storage/storage-notice.ts'
import { registerVideoJobs } from '#modules/storage/storage-video-jobs.ts'
import { registerTicketJobs } from '#modules/ticket/ticket.jobs.ts'
import { registerTenantJobs } from '#modules/tenant/tenant.jobs.ts'
import { registerHousekeeping } from './housekeeping.ts'

/** Registers every kind of background job, one line each. */
export function registerJobs(services: Services) {
  registerFileSweep(services)
  registerExports(services)
  registerImports(services)
  registerHousekeeping(services)
  registerMail(services)
  registerNoticeSchedule(services)
  registerLogRetention(services)
  registerFleetSamples(services)
  registerOtaScrub(services)
  registerUpgradeJobs(services)
  registerLicenseJobs(services)
  registerStorageClock(services)
  registerStorageNotice(services)
  registerVideoJobs(services)
  registerTicketJobs(services)
  registerTenantJobs(services)
}
