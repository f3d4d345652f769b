import type { Kernel } from '#kernel/kernel.ts'
import { registerStageClock } from './stage-clock.ts'
import { registerWhiteJob } from './white-job.ts'

export function registerUpgradeJobs(kernel: Kernel) {
  registerWhiteJob(kernel)
  registerStageClock(kernel)
}
