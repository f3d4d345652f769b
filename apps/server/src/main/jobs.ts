import { registerMail } from '#core/mail.ts'
import type { Services } from '#core/services.ts'
import { registerExports } from '#core/spreadsheet/export-job.ts'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { registerUsageMerge } from '#modules/agent/usage/fold-usage.ts'
import { registerUsageRetention } from '#modules/agent/usage/usage-retention.ts'
import { registerGrantSchedule } from '#modules/agent/orders/grant-clock.ts'
import { registerGrantWarnings } from '#modules/agent/orders/grant-warnings.ts'
import { registerErasure } from '#modules/agent/history/erase-turns.ts'
import { registerHistoryRetention } from '#modules/agent/history/history-retention.ts'
import { registerCloneTraining } from '#modules/agent/voices/voice-clone-training.ts'
import { registerVoiceprintRemoval } from '#modules/agent/voices/remove-voiceprints.ts'
import { registerSessionWork } from '#modules/agent/history/session-work.ts'
import { registerAdvertiseJobs } from '#modules/advertise/index.ts'
import { registerStorageJobs } from '#modules/storage/index.ts'
import { registerSystemJobs } from '#modules/system/index.ts'
import { registerHomeJobs } from '#modules/home/index.ts'
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
  registerSessionWork(services)
  registerCloneTraining(services)
  registerVoiceprintRemoval(services)
  registerHistoryRetention(services)
  registerErasure(services)
  registerUsageMerge(services)
  registerUsageRetention(services)
  registerGrantSchedule(services)
  registerGrantWarnings(services)
}
