import { runSteps } from '#core/jobs/isolated.ts'
import { hasRunSteadily } from '#core/jobs/steady.ts'
import type { Services } from '#core/services.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { dropOldPlays, ensurePlayPartitions, shrinkPlaySums } from '../plays/play-retention.ts'
import { mergePlaySums } from '../plays/play-sums.ts'

const MERGE = 'ad-play-merge'
const RETENTION = 'ad-play-retention'

/** Registers the jobs of plays: merging sums every minute, partitions and retention every day. */
export function registerAdPlayJobs(services: Services) {
  let preparedDay = ''
  const merge = async (signal: AbortSignal) => {
    const day = utcDayOf(services)
    // Creates the partitions at the first run of a day, because late reports in a new installation need the partitions
    // of past days.
    const partitions = () => ensurePlayPartitions(services.database.pool, day, services.config.adPlayDays)
    const failedItems = day === preparedDay ? 0 : await runSteps({ log: services.log, kind: MERGE }, { partitions })
    if (failedItems === 0) preparedDay = day
    return { ...(await mergePlaySums(services.database.db, undefined, signal)), failedItems }
  }
  services.jobs.schedule(MERGE, (_job, _progress, signal) => merge(signal), {
    title: '广告播放统计汇总',
    cron: '25 * * * * *',
  })
  services.jobs.schedule(
    RETENTION,
    async () => maintainPlays(services, { forget: await hasRunSteadily(services, RETENTION) }),
    { title: '广告播放记录保留期处理', cron: '0 40 3 * * *', keepsRuns: true, timeLimitSeconds: 30 * 60 },
  )
}

const utcDayOf = ({ now }: Pick<Services, 'now'>) => now().toISOString().slice(0, 10)

/** Prepares partitions. With `forget`, removes plays and sums that are older than their retention. */
export async function maintainPlays({ database, config, now, log }: Services, { forget }: { forget: boolean }) {
  const day = utcDayOf({ now })
  let dropped: string[] = []
  const failedItems = await runSteps(
    { log, kind: RETENTION },
    {
      partitions: () => ensurePlayPartitions(database.pool, day, config.adPlayDays),
      ...(forget && {
        sums: () => shrinkPlaySums(database.db, formatLocalDay(now(), config.timeZone), config.timeZone),
        plays: async () => ({ dropped } = await dropOldPlays(database.pool, day, config.adPlayDays)),
      }),
    },
  )
  return { dropped, failedItems }
}
