import type { Kernel } from '#kernel/kernel.ts'
import { registerExports } from '#kernel/table/export-job.ts'
import { registerImports } from '#kernel/table/import-job.ts'
import { registerFileSweep } from '#modules/file/sweep.ts'
import { registerLogRetention } from '#modules/log/retention.ts'
import { registerNoticeClock } from '#modules/notice/notice-clock.ts'
import { registerHousekeeping } from './housekeeping.ts'

/** Every kind of background job; one line each. */
export function registerJobs(kernel: Kernel) {
  registerFileSweep(kernel)
  registerExports(kernel)
  registerImports(kernel)
  registerHousekeeping(kernel)
  registerNoticeClock(kernel)
  registerLogRetention(kernel)
}
