import { setTimeout } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { type Pool, DatabaseError } from 'pg'
import type { Logger } from 'pino'
import { ensureMonthPartitions } from '#core/database/month-partitions.ts'
import { runTransaction } from '#core/database/transactions.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { MediaFiles } from '#core/media/media.ts'
import { settings } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { readStorageSettings } from '../settings.ts'
import { formatObjectKey, type SegmentKey, formatDayPrefix, FOLDERS_PER_DAY } from './segment.ts'

const RUNS_KEY = 'storageSweepDays'
/**
 * The job deletes only after it ran on this number of the last days. Otherwise a clock that jumped ahead would expire
 * all videos.
 */
const STEADY_DAYS = 7
const WITHIN_DAYS = 14
const MAX_CLOCK_SECONDS = 300
const ROWS_AT_ONCE = 1000
const PURGES_AT_ONCE = 200
/** Age until which a purge runs again, because uploads may have been in progress when the purge was added. */
const SETTLED = `interval '1 minute'`
const REMOVED_AT_ONCE = 1000
/**
 * Longest wait for the lock of a table. Every read of recordings queues behind a waiting lock, so the wait is short and
 * repeated. The next run tries again after the last attempt.
 */
const LOCK_TIMEOUT = '150ms'
/** SQLSTATE of an expired `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'
const LOCK_ATTEMPTS = 6
const LOCK_PAUSE_MS = 500
/** Number of coming days whose partitions the job creates. The writer creates them only when the job did not run. */
const AHEAD = 3
/** Age in days after which a month of `oss_device_days` and of its sums is deleted. */
const KEPT_DAYS = 400

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

interface Purging {
  readonly pool: Pool
  readonly media: MediaFiles
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
  /** Called after every step, so that tests can interrupt the job there. */
  readonly onStep?: (step: string) => void
}

interface Purge {
  readonly id: number
  readonly tenantId: number
  readonly ownerId: number
  readonly deviceId: number
  readonly channel: number | null
  readonly fromMs: number
  readonly untilMs: number
}

/** Rows of a table that a purge covers; the first seven parameters are those of `parametersOf`. */
const COVERED = `device_id = $1 and tenant_id = $2 and ($3::int = 0 or owner_id = $3) and ($4::int is null or channel = $4)
  and start_ms >= $5::bigint and start_ms < $6::bigint and expire_day = $7::date`

const parametersOf = ({ deviceId, tenantId, ownerId, channel, fromMs, untilMs }: Purge) => [
  deviceId,
  tenantId,
  ownerId,
  channel,
  fromMs,
  untilMs,
]

/**
 * Adds purges for channels whose last package ended more than `keepDays` days ago. A renewal before that moves the end,
 * so the videos stay.
 */
export async function addExpiryPurges(pool: Pool, nowMs: number, keepDays: number) {
  await pool.query(
    `with ended as (update oss_queues set purged_end = end_time
       where suspended = 0 and end_time < to_timestamp($1::float8 / 1000) - make_interval(days => $2)
         and purged_end is distinct from end_time
       returning device_id, channel, tenant_id)
     insert into oss_purges (tenant_id, device_id, channel, reason, until_ms)
     select tenant_id, device_id, channel, 1, $1::float8::bigint from ended e
     where exists (select from oss_device_days o where o.device_id = e.device_id and o.channel = e.channel
       and o.expire_days <> '{}')`,
    [nowMs, keepDays],
  )
}

/** Deletes the videos of all waiting purges: objects first, then rows. A failed purge does not stop the others. */
export async function runPurges(purging: Purging): Promise<{ readonly purges: number; readonly failedItems: number }> {
  const { log, signal } = purging
  const isolation = { log, signal, kind: 'oss-purge', name: ({ id }: Purge) => ({ purgeId: id }) }
  let last = 0
  for (let [purges, failedItems] = [0, 0]; ; ) {
    const { rows } = await purging.pool.query<Purge>(
      `select id, tenant_id as "tenantId", owner_id as "ownerId", device_id as "deviceId", channel, from_ms as "fromMs",
         until_ms as "untilMs" from oss_purges where state = 0 and id > $1 order by id limit ${PURGES_AT_ONCE}`,
      [last],
    )
    const { done, failed } = await forEachIsolated(rows, isolation, (purge) => runPurge(purging, purge))
    last = rows.at(-1)?.id ?? last
    purges += done
    failedItems += failed.length
    if (rows.length < PURGES_AT_ONCE) return { purges, failedItems }
  }
}

async function runPurge(purging: Purging, purge: Purge) {
  const { pool, onStep } = purging
  const { rows } = await pool.query<{ day: string }>(
    `select distinct unnest(expire_days) as day from oss_device_days
     where device_id = $1 and tenant_id = $2 and ($3::int = 0 or owner_id = $3) and ($4::int is null or channel = $4)
     order by 1`,
    parametersOf(purge).slice(0, 4),
  )
  for (const { day } of rows) {
    while ((await removeSome(purging, purge, day)) === ROWS_AT_ONCE) purging.signal?.throwIfAborted()
    await pool.query(`delete from oss_events where ${COVERED}`, [...parametersOf(purge), day])
    onStep?.('events')
  }
  await pool.query(CALENDAR, parametersOf(purge).slice(0, 4))
  onStep?.('calendar')
  await pool.query(
    `update oss_purges set state = 1, done_time = now() where id = $1 and create_time < now() - ${SETTLED}`,
    [purge.id],
  )
}

/** Removes the expiry dates without remaining rows from the calendar. */
const CALENDAR = `
  update oss_device_days o set expire_days = array(
    select day from unnest(o.expire_days) day where exists (select from oss_segments s where s.expire_day = day
      and s.device_id = o.device_id and s.channel = o.channel and s.day = o.day and s.tenant_id = o.tenant_id
      and s.owner_id = o.owner_id and (o.entitlement_id = 0 or s.entitlement_id = o.entitlement_id)))
  where device_id = $1 and tenant_id = $2 and ($3::int = 0 or owner_id = $3) and ($4::int is null or channel = $4)
    and expire_days <> '{}'`

interface Row extends SegmentKey {
  readonly kind: number
  readonly bytes: number
}

/** Removes the objects and the rows of up to 1,000 segments. Returns their number. */
async function removeSome({ pool, media, onStep }: Purging, purge: Purge, day: string): Promise<number> {
  const { rows } = await pool.query<Row>(
    `select expire_day as "expireDay", device_id as "deviceId", channel, kind, start_ms as "startMs", salt, format, bytes
     from oss_segments where ${COVERED} limit ${ROWS_AT_ONCE}`,
    [...parametersOf(purge), day],
  )
  if (rows.length === 0) return 0
  await media.remove(rows.map(formatObjectKey))
  onStep?.('objects')
  await pool.query(
    `with deleted as (delete from oss_segments s using unnest($3::smallint[], $4::smallint[], $5::bigint[]) as x (channel, kind, start_ms)
       where s.expire_day = $1 and s.device_id = $2 and s.channel = x.channel and s.kind = x.kind and s.start_ms = x.start_ms
       returning s.bytes)
     update oss_purges set segments = segments + (select count(*) from deleted),
       bytes = bytes + (select coalesce(sum(bytes), 0) from deleted) where id = $6`,
    [
      day,
      purge.deviceId,
      rows.map(({ channel }) => channel),
      rows.map(({ kind }) => kind),
      rows.map(({ startMs }) => startMs),
      purge.id,
    ],
  )
  onStep?.('rows')
  return rows.length
}

interface Sweep {
  readonly pool: Pool
  readonly media: MediaFiles
  readonly log: Logger
  readonly signal?: AbortSignal | undefined
  /** Called after every step, so that tests can interrupt the job there. */
  readonly onStep?: (step: string) => void
}

/**
 * Deletes everything of the days that are over: objects folder by folder, then the partitions with their sums. Continues
 * where an interrupted run stopped. A day that fails does not stop the others. Returns the deleted days.
 */
export async function removeExpiredDays(
  sweep: Sweep,
  today: string,
): Promise<{ swept: string[]; failedItems: number }> {
  await addUnknownDays(sweep.pool, today)
  const { rows } = await sweep.pool.query<{ expireDay: string; progress: number }>(
    `select expire_day as "expireDay", progress from oss_days where state < 3 and expire_day <= $1 order by expire_day`,
    [today],
  )
  const swept: string[] = []
  const { log, signal } = sweep
  const isolation = { log, signal, kind: 'oss-sweep', name: ({ expireDay }: { expireDay: string }) => ({ expireDay }) }
  const { failed } = await forEachIsolated(rows, isolation, async ({ expireDay, progress }) => {
    await removeObjects(sweep, expireDay, progress)
    await dropWhenUnlocked(sweep, expireDay)
    swept.push(expireDay)
  })
  return { swept, failedItems: failed.length }
}

/**
 * Adds the days without a row since the last deleted day. A restored database does not know the days that were created
 * after its backup, but their objects exist.
 */
const addUnknownDays = (pool: Pool, today: string) =>
  pool.query(
    `insert into oss_days (expire_day)
     select d::date from (select max(expire_day) as last from oss_days where state = 3) o,
       generate_series(o.last, $1::date, '1 day') d
     on conflict do nothing`,
    [today],
  )

async function removeObjects({ pool, media, signal, onStep }: Sweep, expireDay: string, from: number) {
  const note = (state: number, progress: number, objects: number) =>
    pool.query(
      `update oss_days set state = $2, progress = $3, objects = objects + $4, update_time = now() where expire_day = $1`,
      [expireDay, state, progress, objects],
    )
  for (let folder = from; folder < FOLDERS_PER_DAY; folder += 1) {
    let removed = 0
    for (let count = REMOVED_AT_ONCE; count === REMOVED_AT_ONCE; removed += count) {
      signal?.throwIfAborted()
      count = await media.removePrefix(formatDayPrefix(expireDay, folder), REMOVED_AT_ONCE)
      onStep?.(`objects of folder ${folder}`)
    }
    if (removed > 0 || folder === from) await note(1, folder, removed)
  }
  // Removes objects that cameras uploaded during the deletion, and the folder of the day.
  const late = await media.removePrefix(formatDayPrefix(expireDay), REMOVED_AT_ONCE)
  await note(2, FOLDERS_PER_DAY, late)
  onStep?.('objects')
}

/** Drops the partitions of a day, and repeats the attempt while another transaction uses the tables. */
async function dropWhenUnlocked(sweep: Sweep, expireDay: string) {
  for (let attempt = 1; ; attempt += 1) {
    sweep.signal?.throwIfAborted()
    try {
      return await dropDay(sweep, expireDay)
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE)
        throw error
      await setTimeout(LOCK_PAUSE_MS)
    }
  }
}

/**
 * Drops the partitions of a day. Deletes the sums of the day in the same transaction, because dropping a partition
 * fires no triggers.
 */
async function dropDay({ pool, onStep }: Sweep, expireDay: string) {
  const part = expireDay.replaceAll('-', '')
  await runTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; select pg_advisory_xact_lock(7302519, 5)`)
    for (const table of ['oss_segments', 'oss_events']) {
      const name = `${table}_${part}`
      const { rows } = await client.query<{ found: boolean }>(
        `select exists (select from pg_inherits where inhrelid = to_regclass($1) and inhparent = $2::regclass) as found`,
        [name, table],
      )
      // Detaching first keeps the exclusive lock of the parent short.
      if (rows[0]?.found) await client.query(`alter table ${table} detach partition ${name}`)
      onStep?.(`detached ${table}`)
      await client.query(`drop table if exists ${name}`)
      await client.query(`delete from ${table}_other where expire_day = $1`, [expireDay])
    }
    await client.query('delete from oss_stored where expire_day = $1', [expireDay])
    onStep?.('sums')
    await client.query('update oss_days set state = 3, update_time = now() where expire_day = $1', [expireDay])
  })
  onStep?.('dropped')
}

/**
 * Creates the partitions of the coming days for all storage times in use, and deletes old months of device days. Returns
 * the number of failed steps.
 */
export const maintainVideoPartitions = ({ pool, log, signal }: Omit<Sweep, 'media'>, today: string) =>
  runSteps(
    { log, kind: 'oss-sweep', signal },
    {
      days: () => pool.query(ENSURE_DAYS, [today, AHEAD]),
      months: () => ensureMonthPartitions(pool, 'oss_device_days'),
      oldMonths: () => dropOldMonths(pool, today),
      oldDays: () => deleteOldDays(pool, today),
    },
  )

const ENSURE_DAYS = `select oms_ensure_video_days(array(
  select distinct $1::date + storage_days + 1 + n from (
    select distinct storage_days from oss_entitlements where state in (0, 1)) s, generate_series(0, $2) n order by 1))`

async function dropOldMonths(pool: Pool, today: string) {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'oss_device_days'::regclass and c.relname ~ '_[0-9]{6}$'
       and to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= $1::date - $2::int order by 1`,
    [today, KEPT_DAYS],
  )
  for (const { name } of rows) await pool.query(`drop table "${name}"`)
}

/** Deletes the sums of the months that `oss_device_days` no longer has, each day with a statement of its own. */
async function deleteOldDays(pool: Pool, today: string) {
  const { rows } = await pool.query<{ day: string }>(
    `select distinct day from oss_usage_days where day < date_trunc('month', $1::date - $2::int) order by day`,
    [today, KEPT_DAYS],
  )
  for (const { day } of rows) await pool.query('delete from oss_usage_days where day = $1', [day])
}
