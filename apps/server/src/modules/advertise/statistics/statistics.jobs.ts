import { hasRunSteadily } from '#core/jobs/steady.ts'
import type { Services } from '#core/services.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { dropOldPlays, ensurePlayPartitions, shrinkPlaySums } from '#domain/ads/plays/play-retention.ts'
import { mergePlaySums } from '#domain/ads/plays/play-sums.ts'

const RETENTION = 'ad-play-retention'

/** Registers the jobs of plays: merging sums every minute, partitions and retention every day. */
export function registerAdPlayJobs(services: Services) {
  let preparedDay = ''
  const merge = async (signal: AbortSignal) => {
    const day = utcDayOf(services)
    // Creates the partitions at the first run of a day, because late reports in a new installation need the partitions
    // of past days.
    if (day !== preparedDay) await ensurePlayPartitions(services.database.pool, day, services.config.adPlayDays)
    preparedDay = day
    return mergePlaySums(services.database.db, undefined, signal)
  }
  services.jobs.schedule('ad-play-merge', (_job, _progress, signal) => merge(signal), {
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
export async function maintainPlays({ database, config, now }: Services, { forget }: { forget: boolean }) {
  const day = utcDayOf({ now })
  await ensurePlayPartitions(database.pool, day, config.adPlayDays)
  if (!forget) return { dropped: [] }
  await shrinkPlaySums(database.db, formatLocalDay(now(), config.timeZone), config.timeZone)
  return dropOldPlays(database.pool, day, config.adPlayDays)
}
