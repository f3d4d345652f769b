import type { Kernel } from '#kernel/kernel.ts'
import { registerLicenseClock } from './license-clock.ts'

export function registerLicenseJobs(kernel: Kernel) {
  registerLicenseClock(kernel)
}
