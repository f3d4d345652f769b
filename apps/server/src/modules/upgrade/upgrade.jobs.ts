import type { Services } from '#core/services.ts'
import { registerStageSchedule } from './releases/stage-schedule.ts'
import { registerAllowlistJob } from './allowlist-job.ts'

export function registerUpgradeJobs(services: Services) {
  registerAllowlistJob(services)
  registerStageSchedule(services)
}
