import type { Services } from '#core/services.ts'
import { registerTicketRollups } from './stat-rollup.ts'
import { registerTicketSchedule } from './ticket-schedule.ts'

export function registerTicketJobs(services: Services) {
  registerTicketSchedule(services)
  registerTicketRollups(services)
}
