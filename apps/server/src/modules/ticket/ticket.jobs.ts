import type { Kernel } from '#kernel/kernel.ts'
import { registerTicketRollups } from './stat-rollup.ts'
import { registerTicketClock } from './ticket-clock.ts'

export function registerTicketJobs(kernel: Kernel) {
  registerTicketClock(kernel)
  registerTicketRollups(kernel)
}
