import { hasRunSteadily } from '#core/jobs/steady.ts'
import type { Services } from '#core/services.ts'
import { removeExpiredAds } from '../ad-retention.ts'

const RETENTION = 'ad-retention'

/** Registers the daily job that removes deleted ads after their retention period. */
export function registerAdRetention(services: Services) {
  services.jobs.schedule(
    RETENTION,
    async (_job, _progress, signal) => {
      if (!(await hasRunSteadily(services, RETENTION))) return { removed: 0 }
      return { removed: await removeExpiredAds(services.database.db, { now: services.now(), signal }) }
    },
    { title: '已删除广告保留期处理', cron: '0 50 3 * * *', keepsRuns: true, timeLimitSeconds: 30 * 60 },
  )
}
