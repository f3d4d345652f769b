import { sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { readStorageSettings } from './settings.ts'
import { addExpiryPurges, runPurges } from './video/purge.ts'
import { maintainVideoPartitions, removeExpiredDays } from './video/sweep.ts'
import { settings } from '#core/schema/system.ts'

const RUNS_KEY = 'storageSweepDays'
/**
 * The job deletes only after it ran on this number of the last days. Otherwise a clock that jumped ahead would expire
 * all videos.
 */
const STEADY_DAYS = 7
const WITHIN_DAYS = 14
const MAX_CLOCK_SECONDS = 300

/** Registers the jobs that delete videos: of past days every hour, early deletions every minute. */
export function registerVideoJobs(services: Services) {
  const hourly = { title: '云存储到期删除', cron: '0 25 * * * *', timeLimitSeconds: 55 * 60 }
  services.jobs.schedule('oss-sweep', (_job, _progress, signal) => runVideoSweep(services, signal), hourly)
  const minutely = { title: '云存储提前删除', cron: '50 * * * * *' }
  services.jobs.schedule('oss-purge', (_job, _progress, signal) => runVideoPurge(services, signal), minutely)
}

const todayOf = ({ now, config }: Services) => formatLocalDay(now(), config.timeZone)

/** Prepares partitions, and deletes the videos of past days once the job has run steadily. */
export async function runVideoSweep(services: Services, signal?: AbortSignal) {
  const { database, videos, log } = services
  const today = todayOf(services)
  const failedSteps = await maintainVideoPartitions({ pool: database.pool, log, signal }, today)
  await noteRun(services, today)
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::int as count from oss_segments_other')
  if (rows[0]!.count > 0) log.error({ rows: rows[0]!.count }, 'videos without a partition of their day')
  if (!(await isSteady(services, today))) return { swept: [], failedItems: failedSteps }
  const { swept, failedItems } = await removeExpiredDays(
    { pool: database.pool, media: videos.media, log, signal },
    today,
  )
  return { swept, failedItems: failedSteps + failedItems }
}

/** Adds the day to the days on which the job ran. */
async function noteRun({ database }: Services, today: string) {
  const first = addDays(today, 1 - WITHIN_DAYS)
  await database.db.execute(sql`
    insert into ${settings} (key, value) values (${RUNS_KEY}, to_jsonb(array[${today}::text]))
    on conflict (key) do update set value = (
      select coalesce(jsonb_agg(distinct day order by day), '[]') from (
        select jsonb_array_elements_text(settings.value) as day union select ${today}) d where day between ${first} and ${today})`)
}

/** True when the job ran on most days lately, and the clocks of process and database agree. */
async function isSteady({ database, now }: Services, today: string): Promise<boolean> {
  const { rows } = await database.pool.query<{ days: string[]; seconds: number }>(
    `select (select value from settings where key = $1) as days, extract(epoch from now())::float8 as seconds`,
    [RUNS_KEY],
  )
  const { days, seconds } = rows[0]!
  const recent = days.filter((day) => day > addDays(today, -WITHIN_DAYS) && day <= today)
  return recent.length >= STEADY_DAYS && Math.abs(now().getTime() / 1000 - seconds) <= MAX_CLOCK_SECONDS
}

/** Deletes videos of ended packages, unbound devices and deleted intervals. */
export async function runVideoPurge(services: Services, signal?: AbortSignal) {
  const { database, videos, now, log } = services
  const { keepDays } = await readStorageSettings(database.db)
  await addExpiryPurges(database.pool, now().getTime(), keepDays)
  return runPurges({ pool: database.pool, media: videos.media, log, signal })
}
