import type { Kernel } from '#kernel/kernel.ts'
import { registerTenantClock } from './tenant-clock.ts'

export function registerTenantJobs(kernel: Kernel) {
  registerTenantClock(kernel)
}
