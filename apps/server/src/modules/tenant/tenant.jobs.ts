import type { Services } from '#core/services.ts'
import { registerTenantSchedule } from './tenant-schedule.ts'

export function registerTenantJobs(services: Services) {
  registerTenantSchedule(services)
}
