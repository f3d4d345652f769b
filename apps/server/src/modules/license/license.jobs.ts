import type { Services } from '#core/services.ts'
import { registerLicenseSchedule } from './license-schedule.ts'

export function registerLicenseJobs(services: Services) {
  registerLicenseSchedule(services)
}
